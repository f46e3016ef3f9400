//! The clock that steps are timed with: the processor time of the thread.
//!
//! A solver runs on one thread, so on a machine with nothing else to do this is the time on the wall.
//! On a busy one it leaves out what others did meanwhile. Where the system does not tell it, the
//! wall clock has to do.

/// Whether the processor's time is what [`seconds`] tells.
pub(crate) const OF_PROCESSOR: bool = cfg!(any(target_os = "linux", target_os = "macos"));

/// What `work` returns, and the seconds it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = seconds();
    let result = work();
    (result, seconds() - before)
}

/// Seconds since some moment.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Seconds since the first call.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_sleep_none() {
        let work =
            || (1..200_000_u64).map(|n| std::hint::black_box(n).wrapping_mul(n)).sum::<u64>();
        let (sum, spent) = timed(work);
        assert!(sum > 0 && spent > 0.0);
        if OF_PROCESSOR {
            let ((), asleep) = timed(|| std::thread::sleep(std::time::Duration::from_millis(50)));
            assert!(asleep < 0.04, "{asleep} s of 0.05 s asleep");
        }
    }
}
