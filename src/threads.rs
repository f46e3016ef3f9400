//! Threads that share the work of a step, with the same results on any number of them.
//!
//! Work is divided by its size alone, never by how many threads there are; each part writes nothing but its
//! own memory, and what parts find is put together in their order. So a thread more changes when something is
//! done, and no bit of what comes out. With one thread there are no helpers, and all of this is a plain loop.
//!
//! Whoever asks for a step does it, and helpers take part (`crew.rs`). All that are free take the next piece that nobody has
//! taken yet: whoever asked from the front, the next from the back, and so on in turn. So a thread comes back to what it has
//! worked on in the pass before, which is near it still. A pool that takes a step over from whoever asks (rayon's was
//! here) has one thread more to wake than there are processors, if they are as many: a system that finds none idle just then puts
//! two of them on one, where they take turns for the whole step.

mod crew;
mod divide;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crew::{Crew, wait_until};
pub(crate) use divide::{Divide, Owner, Owners, Stretches};

/// The most pieces that work is shared out in; a power of two.
const PIECES: usize = 64;

/// The threads that a step may use. A clone shares them; they are at one step at a time, and who asks for another meanwhile does that
/// alone.
#[derive(Clone, Default)]
pub struct Threads {
    /// There is none where one thread does it all.
    crew: Option<Arc<Crew>>,
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Threads").field(&self.count()).finish()
    }
}

impl Threads {
    /// The most threads that there may be.
    pub const MOST: usize = 256;

    /// So many threads, the one that asks for a step among them.
    ///
    /// # Errors
    /// If there are none, or more than [`Threads::MOST`], or if the system does not give them.
    pub fn new(count: usize) -> Result<Self> {
        if !(1..=Self::MOST).contains(&count) {
            return Err(Error::threads(count, format!("choose 1 to {}", Self::MOST)));
        }
        if count == 1 {
            return Ok(Self::default());
        }
        let crew =
            Crew::new(count - 1).map_err(|error| Error::threads(count, error.to_string()))?;
        Ok(Self { crew: Some(Arc::new(crew)) })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.crew.as_ref().map_or(1, |crew| crew.count())
    }

    /// Does some work, in the course of which what is asked for here is shared with the helpers; all else they have no part
    /// in.
    pub fn engage<R>(&self, work: impl FnOnce() -> R) -> R {
        let _lead = self.crew.as_ref().and_then(|crew| crew.lead());
        work()
    }

    /// The helpers, if this thread may share work with them.
    fn crew(&self) -> Option<&Crew> {
        self.crew.as_deref().filter(|crew| crew.is_led())
    }

    /// Divides `data` into parts of `size`, the last of which may be smaller, and does `work` on each; what it
    /// returns is put together by `both`, neighbours first.
    pub(crate) fn parts<D: Divide, R: Send>(
        &self,
        data: D,
        size: usize,
        work: &(impl Fn(D) -> R + Sync),
        both: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        let parts = data.size().div_ceil(size.max(1));
        match self.crew() {
            Some(crew) if parts > 1 => {
                let pieces = Pieces::new(data, size, parts);
                crew.share(pieces.count, &|place| {
                    let from_front = place.is_multiple_of(2);
                    let mut next = pieces.take(from_front);
                    while let Some((piece, data)) = next {
                        let found = one_by_one(data, size, work, both);
                        next = pieces.give(piece, found, from_front);
                    }
                });
                pieces.found(both)
            }
            _ => one_by_one(data, size, work, both),
        }
    }

    /// The same for work that returns nothing.
    pub(crate) fn each<D: Divide>(&self, data: D, size: usize, work: impl Fn(D) + Sync) {
        self.parts(data, size, &work, &|(), ()| ());
    }

    /// Makes a list a copy of others, in the memory that it has.
    pub(crate) fn copy<T: Copy + Default + Send + Sync>(&self, from: &[T], to: &mut Vec<T>) {
        /// So few are not worth sharing out.
        const PART: usize = 4096;
        to.resize(from.len(), T::default());
        self.each((&mut to[..], from), PART, |(to, from): (&mut [T], &[T])| {
            to.copy_from_slice(from);
        });
    }

    /// Notes of so many, `size` of them at a time, which are what is asked for. Returns whether any is.
    pub(crate) fn mark(
        &self,
        marks: &mut Vec<bool>,
        count: usize,
        size: usize,
        are: impl Fn(usize) -> bool + Sync,
    ) -> bool {
        let look = |(marks, numbers): (&mut [bool], Range<usize>)| {
            marks.iter_mut().zip(numbers).for_each(|(mark, number)| *mark = are(number));
            marks.contains(&true)
        };
        marks.resize(count, false);
        self.parts((&mut marks[..], 0..count), size, &look, &|a, b| a || b)
    }

    /// Does `rounds` rounds of `stages`, each of which has so many tasks. The tasks of a stage may be done at
    /// the same time; none begins before those of the stage before it are done. `work` is told the round, the stage
    /// and the task.
    ///
    /// Nothing waits for a thread that has not come yet.
    pub(crate) fn stages(
        &self,
        rounds: u32,
        stages: &[usize],
        work: impl Fn(u32, usize, usize) + Sync,
    ) {
        let Some(crew) = self.crew() else {
            for round in 0..rounds {
                for (stage, &tasks) in stages.iter().enumerate() {
                    (0..tasks).for_each(|task| work(round, stage, task));
                }
            }
            return;
        };
        let in_round: usize = stages.iter().sum();
        let all = in_round * rounds as usize;
        let count = stages.len();
        let first = stages.first().copied().unwrap_or(0);
        let (left, done) = (Left::new(first), AtomicUsize::new(0));
        let take_part = |place: usize| {
            // Tasks that are done when the stage is over that this thread is at, and how many stages there were before.
            let (mut over, mut at) = (first, 0);
            while at < count * rounds as usize {
                if let Some(task) = left.take(at, place.is_multiple_of(2)) {
                    let _done = Count(&done);
                    work((at / count) as u32, at % count, task);
                    continue;
                }
                wait_until(|| done.load(Ordering::Acquire) >= over);
                at += 1;
                let tasks = stages[at % count];
                left.open(at, tasks);
                over += tasks;
            }
        };
        crew.share(all, &take_part);
    }
}

/// Does work on parts of some size, one after the other, and puts what it returns together, neighbours first.
fn one_by_one<D: Divide, R>(
    data: D,
    size: usize,
    work: &impl Fn(D) -> R,
    both: &impl Fn(R, R) -> R,
) -> R {
    let parts = data.size().div_ceil(size.max(1));
    if parts <= 1 {
        return work(data);
    }
    let (first, second) = data.divide(parts / 2 * size);
    let first = one_by_one(first, size, work, both);
    both(first, one_by_one(second, size, work, both))
}

/// Data in pieces that threads take from both ends, and what has been found in each. A piece is a part, or, where there are many,
/// what is left of all after so many halvings: so what is found is put together in the same order, whoever finds it.
struct Pieces<D, R> {
    count: usize,
    /// The size of a part, and how many there are.
    size: usize,
    parts: usize,
    left: Mutex<Rest<D, R>>,
}

/// The pieces that nobody has taken yet: those between two numbers.
struct Rest<D, R> {
    data: Option<D>,
    first: usize,
    end: usize,
    found: [Option<R>; PIECES],
}

impl<D: Divide, R> Pieces<D, R> {
    fn new(data: D, size: usize, parts: usize) -> Self {
        let count = parts.min(PIECES);
        let found = [const { None }; PIECES];
        let left = Mutex::new(Rest { data: Some(data), first: 0, end: count, found });
        Self { count, size, parts, left }
    }

    fn left(&self) -> MutexGuard<'_, Rest<D, R>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The part that a piece begins with.
    fn first_part(&self, piece: usize) -> usize {
        if self.parts == self.count {
            return piece;
        }
        if piece == self.count {
            return self.parts;
        }
        let (mut first, mut parts, mut pieces) = (0, self.parts, self.count);
        while pieces > 1 {
            pieces /= 2;
            let half = parts / 2;
            if piece & pieces == 0 {
                parts = half;
            } else {
                (first, parts) = (first + half, parts - half);
            }
        }
        first
    }

    /// Takes the first or the last piece that is left.
    fn take(&self, from_front: bool) -> Option<(usize, D)> {
        self.take_of(&mut self.left(), from_front)
    }

    fn take_of(&self, left: &mut Rest<D, R>, from_front: bool) -> Option<(usize, D)> {
        let data = left.data.take()?;
        let (first, end) = (left.first, left.end);
        if first + 1 == end {
            return Some((first, data));
        }
        let middle = if from_front { first + 1 } else { end - 1 };
        let at = (self.first_part(middle) - self.first_part(first)) * self.size;
        let (before, after) = data.divide(at);
        let (piece, taken, rest) =
            if from_front { (first, before, after) } else { (middle, after, before) };
        (left.first, left.end) = if from_front { (middle, end) } else { (first, middle) };
        left.data = Some(rest);
        Some((piece, taken))
    }

    /// Notes what has been found in a piece, and takes the next.
    fn give(&self, piece: usize, found: R, from_front: bool) -> Option<(usize, D)> {
        let mut left = self.left();
        left.found[piece] = Some(found);
        self.take_of(&mut left, from_front)
    }

    /// What has been found in all of them, put together.
    fn found(self, both: &impl Fn(R, R) -> R) -> R {
        let left = self.left.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = left.found.into_iter().take(self.count);
        let mut found = found.map(|found| found.expect("each piece is taken by someone"));
        in_halves(self.count, &mut || found.next().expect("there is one of each piece"), both)
    }
}

/// Puts together so many: the first half, the second half, then both.
fn in_halves<R>(count: usize, next: &mut impl FnMut() -> R, both: &impl Fn(R, R) -> R) -> R {
    if count == 1 {
        return next();
    }
    let first = in_halves(count / 2, next, both);
    both(first, in_halves(count - count / 2, next, both))
}

/// The tasks of a stage that nobody has taken yet: those between two numbers. All in one, with the number of the stage.
struct Left(AtomicU64);

impl Left {
    /// The bits for each of the two numbers.
    const BITS: u32 = 20;

    /// Those of the first stage.
    fn new(tasks: usize) -> Self {
        Self(AtomicU64::new(Self::pack(0, 0, tasks as u64)))
    }

    fn pack(stage: u64, first: u64, end: u64) -> u64 {
        (stage << (2 * Self::BITS)) | (first << Self::BITS) | end
    }

    /// Takes the first or the last task of a stage; none where none is left, or the stage is over.
    fn take(&self, stage: usize, from_front: bool) -> Option<usize> {
        let mask = (1 << Self::BITS) - 1;
        let take = |now: u64| {
            let (first, end) = ((now >> Self::BITS) & mask, now & mask);
            let is_at = now >> (2 * Self::BITS) == stage as u64;
            (is_at && first < end).then(|| match from_front {
                true => (first, Self::pack(stage as u64, first + 1, end)),
                false => (end - 1, Self::pack(stage as u64, first, end - 1)),
            })
        };
        let mut now = self.0.load(Ordering::Acquire);
        loop {
            let (task, rest) = take(now)?;
            match self.0.compare_exchange_weak(now, rest, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(task as usize),
                Err(other) => now = other,
            }
        }
    }

    /// Goes on to a stage with so many tasks, if nobody has yet.
    fn open(&self, stage: usize, tasks: usize) {
        let next = Self::pack(stage as u64, 0, tasks as u64);
        let before = stage as u64 - 1;
        let go_on = |now: u64| (now >> (2 * Self::BITS) == before).then_some(next);
        // Whoever was faster has done the same.
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, go_on);
    }
}

/// Counts a task as done; also if it panics, or the others would wait for ever.
struct Count<'a>(&'a AtomicUsize);

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// What one thread has at a time.
#[derive(Debug, Default)]
pub(crate) struct Held<T>(Mutex<T>);

impl<T> Held<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits until no other thread has it.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For whoever has it all alone.
    #[inline]
    pub(crate) fn get(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Default> Held<Vec<T>> {
    /// Does some work with one of these that no other thread has, or with a new one.
    pub(crate) fn lend<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut one = self.lock().pop().unwrap_or_default();
        let found = work(&mut one);
        self.lock().push(one);
        found
    }
}

impl<T: Clone> Clone for Held<T> {
    fn clone(&self) -> Self {
        Self::new(self.lock().clone())
    }
}

/// Two numbers for each of many, that threads may write at the same time: each of them those of its own.
#[derive(Debug, Default)]
pub(crate) struct AtomicPairs(Vec<AtomicU64>);

impl AtomicPairs {
    /// What is said of those that have none.
    pub(crate) const NONE: [u32; 2] = [u32::MAX; 2];

    /// Forgets all, and makes room for so many.
    pub(crate) fn reset(&mut self, count: usize) {
        self.0.resize_with(count, AtomicU64::default);
        self.0.iter_mut().for_each(|spot| *spot.get_mut() = u64::MAX);
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> [u32; 2] {
        bytemuck::cast(self.0[index].load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn set(&self, index: usize, to: [u32; 2]) {
        self.0[index].store(bytemuck::cast(to), Ordering::Relaxed);
    }
}

impl Clone for AtomicPairs {
    fn clone(&self) -> Self {
        let load = |spot: &AtomicU64| AtomicU64::new(spot.load(Ordering::Relaxed));
        Self(self.0.iter().map(load).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    fn all() -> Vec<Threads> {
        [1, 2, 3, 7].map(|count| Threads::new(count).unwrap()).into()
    }

    /// Also in which order, as sums of rounded numbers depend on it.
    #[test]
    fn parts_are_put_together_as_on_one_thread() {
        let one = |part: &[u32]| format!("{}+{}", part[0], part.len());
        let both = |a: String, b: String| format!("({a} {b})");
        for length in [1, 6, 7, 13, 64, 65, 127, 128, 300, 1000] {
            let data: Vec<u32> = (0..length).collect();
            for size in [1, 3, 7] {
                let on = |threads: Threads| {
                    threads.engage(|| threads.parts(&data[..], size, &one, &both))
                };
                let expected = on(Threads::default());
                assert_eq!(expected.matches('+').count(), data.len().div_ceil(size));
                all().into_iter().for_each(|threads| assert_eq!(on(threads), expected));
            }
        }
    }

    /// Each of as many tasks as there are threads waits for all others to begin.
    #[test]
    fn helpers_take_part() {
        for threads in all() {
            let (count, begun) = (threads.count(), AtomicUsize::new(0));
            let start = Instant::now();
            let wait = |_: Range<usize>| {
                begun.fetch_add(1, Ordering::Relaxed);
                wait_until(|| {
                    assert!(start.elapsed() < Duration::from_secs(60), "a helper does not come");
                    begun.load(Ordering::Relaxed).is_multiple_of(count)
                });
            };
            threads.engage(|| threads.each(0..count, 1, wait));
            assert_eq!(begun.into_inner(), count);
        }
    }

    /// Work that is asked for in the middle of other work, by a thread that leads and by one that helps, and by one that asks
    /// while another leads.
    #[test]
    fn work_within_work_and_beside_it_is_done() {
        for threads in all() {
            let sum = |to: usize| {
                let of = |range: Range<usize>| range.sum::<usize>();
                threads.engage(|| threads.parts(0..to, 10, &of, &|a, b| a + b))
            };
            let sums = |range: Range<usize>| range.map(sum).sum::<usize>();
            let all = || threads.engage(|| threads.parts(0..100, 3, &sums, &|a, b| a + b));
            let expected = (0..100).map(|to| to * (to.max(1) - 1) / 2).sum::<usize>();
            thread::scope(|scope| {
                let askers: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
                for asker in askers {
                    assert_eq!(asker.join().unwrap(), expected);
                }
            });
            assert_eq!(all(), expected);
        }
    }

    /// Whoever panics, a helper or who has asked, it is told to who has asked, and the next work is done.
    #[test]
    fn a_panic_is_passed_on() {
        for threads in all() {
            let done = AtomicUsize::new(0);
            for at in 0..20 {
                let work = |range: Range<usize>| {
                    assert!(range.start != at, "part {at}");
                    done.fetch_add(1, Ordering::Relaxed);
                };
                let stage = |_, _, task| work(task..task + 1);
                let of_parts = || threads.engage(|| threads.each(0..20, 1, work));
                let of_stages = || threads.engage(|| threads.stages(2, &[20], stage));
                let panic = catch_unwind(AssertUnwindSafe(of_parts)).unwrap_err();
                assert_eq!(panic.downcast_ref::<String>(), Some(&format!("part {at}")));
                let panic = catch_unwind(AssertUnwindSafe(of_stages)).unwrap_err();
                assert_eq!(panic.downcast_ref::<String>(), Some(&format!("part {at}")));
            }
            let before = done.swap(0, Ordering::Relaxed);
            assert!(before < 20 * (20 + 40), "{before}");
            let count = |range: Range<usize>| done.fetch_add(range.len(), Ordering::Relaxed);
            threads.engage(|| threads.each(0..1000, 7, |range| _ = count(range)));
            assert_eq!(done.into_inner(), 1000);
        }
    }

    #[test]
    fn spots_are_written_by_all_at_once() {
        for threads in all() {
            let mut spots = AtomicPairs::default();
            spots.reset(1000);
            let write = |numbers: Range<usize>| {
                numbers.for_each(|number| spots.set(number, [7, number as u32]));
            };
            threads.engage(|| threads.each(0..999, 10, write));
            for (number, spot) in spots.clone().0.iter().enumerate() {
                let written = if number < 999 { [7, number as u32] } else { AtomicPairs::NONE };
                assert_eq!(spots.get(number), written);
                assert_eq!(spot.load(Ordering::Relaxed), bytemuck::cast::<_, u64>(written));
            }
            spots.reset(3);
            assert_eq!([0, 1, 2].map(|number| spots.get(number)), [AtomicPairs::NONE; 3]);
        }
    }

    #[test]
    fn each_part_writes_its_own() {
        for threads in all() {
            let mut data = vec![0; 999];
            let numbered = (&mut data[..], 0..999);
            threads.engage(|| {
                threads.each(numbered, 10, |(part, numbers): (&mut [usize], Range<usize>)| {
                    part.iter_mut().zip(numbers).for_each(|(item, number)| *item = number);
                });
            });
            assert!(data.iter().enumerate().all(|(number, item)| number == *item));
        }
    }

    #[test]
    fn each_owner_writes_its_own_stretch() {
        struct From(usize);
        impl Owner for From {
            fn first(&self) -> usize {
                self.0
            }
        }
        // Of every ten the first three are owned.
        let owners: Vec<From> = (0..100).map(|number| From(10 * number)).collect();
        for threads in all() {
            let mut values = vec![0; 1000];
            threads.engage(|| {
                let all = Stretches::new((&owners[..], 0..100), &mut values);
                threads.each(all, 7, |part: Stretches<(&[From], Range<usize>), usize>| {
                    let Stretches { owners: (owners, numbers), values, first } = part;
                    for (owner, number) in owners.iter().zip(numbers) {
                        values[owner.0 - first..][..3].fill(number + 1);
                    }
                });
            });
            let wanted = |at: usize| if at % 10 < 3 { at / 10 + 1 } else { 0 };
            assert!(values.iter().enumerate().all(|(at, value)| *value == wanted(at)));
        }
    }

    #[test]
    fn no_stage_begins_before_the_last_is_done() {
        for threads in all() {
            let cells: Vec<_> = (0..8).map(|_| Held::new(1_u64)).collect();
            // Each cell is changed, then each pair of neighbours.
            threads.engage(|| {
                threads.stages(50, &[8, 0, 4], |_, stage, task| {
                    if stage == 0 {
                        let mut cell = cells[task].lock();
                        *cell =
                            cell.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(task as u64);
                    } else {
                        let (mut a, mut b) = (cells[2 * task].lock(), cells[2 * task + 1].lock());
                        (*a, *b) = (*b, *a ^ *b);
                    }
                });
            });
            let sum = cells.iter().fold(0_u64, |sum, cell| sum.rotate_left(7) ^ *cell.lock());
            assert_eq!(sum, expected());
        }
        fn expected() -> u64 {
            let mut cells = [1_u64; 8];
            for _ in 0..50 {
                for (task, cell) in cells.iter_mut().enumerate() {
                    *cell = cell.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(task as u64);
                }
                for pair in cells.chunks_mut(2) {
                    (pair[0], pair[1]) = (pair[1], pair[0] ^ pair[1]);
                }
            }
            cells.iter().fold(0, |sum, cell| sum.rotate_left(7) ^ cell)
        }
    }

    #[test]
    fn no_threads_and_too_many_are_refused() {
        for count in [0, Threads::MOST + 1] {
            let error = Threads::new(count).unwrap_err().to_string();
            assert!(error.contains("1 to 256"), "{error}");
        }
    }
}
