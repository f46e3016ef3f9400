//! The clock that steps are timed with.
//!
//! On one thread it is the processor time of that thread: on a machine with nothing else to do that is
//! the time on the wall, and on a busy one it leaves out what others did meanwhile. On several threads,
//! or where the system does not tell, it is the wall clock.

use std::time::Instant;

/// A clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    of_processor: bool,
}

impl Clock {
    /// The clock for engines that use so many threads. Rapier built for several has its work done by
    /// a thread of its own even if it is one.
    pub fn for_threads(threads: u32) -> Self {
        Self {
            of_processor: threads == 1 && !cfg!(feature = "parallel") && thread_time().is_some(),
        }
    }

    /// What it tells, in words.
    pub fn about(self) -> &'static str {
        if self.of_processor { "processor time of the thread" } else { "time on the wall" }
    }

    /// What `work` returns, and the milliseconds it took.
    pub fn time<T>(self, work: impl FnOnce() -> T) -> (T, f64) {
        if self.of_processor
            && let Some(before) = thread_time()
        {
            let result = work();
            return (result, 1e3 * thread_time().map_or(f64::NAN, |after| after - before));
        }
        let before = Instant::now();
        let result = work();
        (result, 1e3 * before.elapsed().as_secs_f64())
    }
}

/// The processor time of this thread, s.
fn thread_time() -> Option<f64> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64)
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    None
}
