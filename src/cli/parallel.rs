//! Work on all cores, with the results in the order of the work.
//!
//! Each thread takes the next piece that nobody has taken; what ends first does not matter, so the
//! results are the same for any number of threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// As many threads as there are cores.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Does `work` on each item, on `threads` threads; `done` is called after each.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        for _ in 0..threads.clamp(1, items.len().max(1)) {
            let (next, work, sender) = (&next, &work, sender.clone());
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    // The receiver lives as long as the scope.
                    let _ = sender.send((index, work(item)));
                }
            });
        }
        drop(sender);
        receiver.iter().inspect(|_| done()).collect()
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..40).collect();
        let expected: Vec<u64> = items.iter().map(|item| item * item).collect();
        // The first pieces take longest, so that others overtake them.
        let work = |item: &u64| {
            thread::sleep(std::time::Duration::from_micros(400 - 10 * item));
            item * item
        };
        for threads in [0, 1, 3, 100] {
            let mut count = 0;
            assert_eq!(map(&items, threads, work, || count += 1), expected);
            assert_eq!(count, items.len());
        }
        assert!(map(&[], 2, |item: &u64| *item, || ()).is_empty());
    }
}
