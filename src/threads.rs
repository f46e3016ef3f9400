//! Threads that share the work of a step, with the same results on any number of them.
//!
//! Work is divided by its size alone, never by how many threads there are; each part writes nothing but its
//! own memory, and what parts find is put together in their order. So a thread more changes when something is
//! done, and no bit of what comes out. With one thread there is no pool, and all of this is a plain loop.
//!
//! Fork and join is [`rayon`]'s. A step has many short parallel passes, and a thread that has gone to sleep
//! between two of them wakes too late for the next; [`Threads::engage`] keeps all of them up for as long as a
//! step lasts.

mod divide;

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

use crate::error::{Error, Result};
pub(crate) use divide::{Divide, Owner, Owners, Stretches};

/// Looks for work, or at what others have done, after which a thread that has none lets others have its
/// processor.
const PATIENCE: u32 = 256;

/// The threads that a step may use. A clone shares them.
#[derive(Clone, Default)]
pub struct Threads {
    /// There is none where one thread does it all.
    pool: Option<Arc<ThreadPool>>,
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Threads").field(&self.count()).finish()
    }
}

impl Threads {
    /// The most threads that there may be.
    pub const MOST: usize = 256;

    /// So many threads. Where it is one, that is whichever asks for a step.
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
        let name = |index| format!("sinew-{index}");
        let pool = ThreadPoolBuilder::new().num_threads(count).thread_name(name).build();
        let pool = pool.map_err(|error| Error::threads(count, error.to_string()))?;
        Ok(Self { pool: Some(Arc::new(pool)) })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Does two things, at the same time if there is a thread for each.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let Some(pool) = &self.pool else { return (a(), b()) };
        let (mut a, mut b) = (Errand::new(a), Errand::new(b));
        fork(pool, &mut || a.run(), &mut || b.run());
        (a.found(), b.found())
    }

    /// Does some work in the course of which other functions here are called often: the other threads stay
    /// awake all the while.
    pub fn engage<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let Some(pool) = &self.pool else { return work() };
        let mut work = Errand::new(work);
        lead(pool, &mut || work.run());
        work.found()
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
        if parts <= 1 {
            return work(data);
        }
        let (first, second) = data.divide(parts / 2 * size);
        let of_first = || self.parts(first, size, work, both);
        let of_second = || self.parts(second, size, work, both);
        let (a, b) = self.join(of_first, of_second);
        both(a, b)
    }

    /// The same for work that returns nothing.
    pub(crate) fn each<D: Divide>(&self, data: D, size: usize, work: impl Fn(D) + Sync) {
        self.parts(data, size, &work, &|(), ()| ());
    }

    /// Does `rounds` rounds of `stages`, each of which has so many tasks. The tasks of a stage may be done at
    /// the same time; none begins before those of the stage before it are done. `work` is told the round, the stage
    /// and the task.
    ///
    /// All that are free take part. Whoever asked begins with the first tasks of a stage, the next with the last, and so
    /// on in turn, and each takes the next that nobody has taken: so a thread comes back to what it has worked on in the
    /// round before, which is near it still. Nothing waits for a thread that has not come yet.
    pub(crate) fn stages(
        &self,
        rounds: u32,
        stages: &[usize],
        work: impl Fn(u32, usize, usize) + Sync,
    ) {
        let Some(pool) = &self.pool else {
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
        let take_part = |place| Busy::with(|| take_part(place));
        pool.install(|| together(0..pool.current_num_threads().min(all), &take_part));
    }
}

/// Work that is done once, and what it returns. What forks and joins is told only to run it, so that all of [`rayon`]
/// that a join needs is compiled once, not anew for each of the hundred kinds of work that a step divides.
struct Errand<W, R> {
    work: Option<W>,
    found: Option<R>,
}

impl<W: FnOnce() -> R, R> Errand<W, R> {
    fn new(work: W) -> Self {
        Self { work: Some(work), found: None }
    }

    fn run(&mut self) {
        self.found = self.work.take().map(|work| work());
    }

    /// What the work has returned.
    fn found(self) -> R {
        self.found.expect("whoever forks comes back when both have run, or else panics")
    }
}

/// Runs two things, at the same time if there is a thread for each.
fn fork(pool: &ThreadPool, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    pool.join(|| Busy::with(a), || Busy::with(b));
}

/// Runs some work, in the course of which all other threads do what it shares out.
fn lead(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    let done = AtomicBool::new(false);
    let mut work = || {
        let _over = Signal(&done);
        Busy::with(&mut *work);
    };
    pool.install(|| attend(pool.current_num_threads() - 1, &done, &mut work));
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

/// Calls `work` on so many threads, each with its place among them, if as many come before it is done.
fn together(places: Range<usize>, work: &(impl Fn(usize) + Sync)) {
    let Range { start, end } = places;
    if start + 1 < end {
        rayon::join(|| work(start), || together(start + 1..end, work));
    } else {
        work(start);
    }
}

/// Does what the lead does while `others` threads do what it shares out, until it is `done`.
fn attend(others: usize, done: &AtomicBool, lead: &mut (dyn FnMut() + Send)) {
    if others == 0 {
        return lead();
    }
    let help = || {
        // A thread that waits for others may be given this to do in the meantime. It must not: what it waits
        // for may be what the lead needs to be done.
        if Busy::is() {
            return;
        }
        Busy::with(|| {
            let mut idle = 0;
            while !done.load(Ordering::Acquire) {
                match rayon::yield_now() {
                    Some(Yield::Executed) => idle = 0,
                    Some(Yield::Idle) | None => pause(&mut idle),
                }
            }
        });
    };
    rayon::join(|| attend(others - 1, done, lead), help);
}

/// Waits for what other threads do.
fn wait_until(holds: impl Fn() -> bool) {
    let mut waited = 0;
    while !holds() {
        pause(&mut waited);
    }
}

fn pause(waited: &mut u32) {
    if *waited < PATIENCE {
        *waited += 1;
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

thread_local! {
    /// How many pieces of work this thread is in the middle of.
    static BUSY: Cell<u32> = const { Cell::new(0) };
}

/// Marks a thread as in the middle of something.
struct Busy;

impl Busy {
    fn with<R>(work: impl FnOnce() -> R) -> R {
        BUSY.set(BUSY.get() + 1);
        let _busy = Self;
        work()
    }

    fn is() -> bool {
        BUSY.get() > 0
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.set(BUSY.get() - 1);
    }
}

/// Tells the others, in the end, that the lead is done; also if it panics.
struct Signal<'a>(&'a AtomicBool);

impl Drop for Signal<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
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
    use super::*;

    fn all() -> Vec<Threads> {
        [1, 2, 3, 7].map(|count| Threads::new(count).unwrap()).into()
    }

    #[test]
    fn parts_are_put_together_in_order() {
        let data: Vec<u32> = (0..1000).collect();
        for threads in all() {
            let both = |mut a: Vec<Vec<u32>>, b: Vec<Vec<u32>>| {
                a.extend(b);
                a
            };
            let parts = threads.parts(&data[..], 64, &|part| vec![part.to_vec()], &both);
            let expected: Vec<Vec<u32>> = data.chunks(64).map(<[u32]>::to_vec).collect();
            assert_eq!(parts, expected);
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
