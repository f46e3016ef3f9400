//! Opening a window with a library that panics where it cannot.
//!
//! A display without OpenGL or without the system libraries makes macroquad panic before the first
//! frame. Such a panic is turned into an error; one that comes later is a fault of the program and
//! goes on as usual.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An attempt to open a window.
pub(crate) struct Opening {
    opened: Arc<AtomicBool>,
}

/// An attempt, and the function to call once it has succeeded.
pub(crate) fn watch() -> (Opening, impl FnOnce() + 'static) {
    let opened = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&opened);
    (Opening { opened }, move || flag.store(true, Ordering::Relaxed))
}

impl Opening {
    /// Runs `window`, which opens it and returns when it is closed.
    ///
    /// # Errors
    /// With the message of a panic that came before it was open.
    ///
    /// # Panics
    /// If `window` panics later than that.
    pub(crate) fn attempt(self, window: impl FnOnce()) -> Result<(), String> {
        let usual: Arc<dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync> =
            Arc::from(take_hook());
        let (opened, report) = (Arc::clone(&self.opened), Arc::clone(&usual));
        set_hook(Box::new(move |info| {
            if opened.load(Ordering::Relaxed) {
                report(info);
            }
        }));
        let outcome = catch_unwind(AssertUnwindSafe(window));
        set_hook(Box::new(move |info| usual(info)));
        match outcome {
            Err(panic) if self.opened.load(Ordering::Relaxed) => resume_unwind(panic),
            outcome => outcome.map_err(|panic| message(&*panic)),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the display refused it").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because the hook belongs to the whole process.
    #[test]
    fn only_panics_before_the_window_is_open_become_errors() {
        let (opening, _opened) = watch();
        let refused = opening.attempt(|| panic!("no {}", "GLX"));
        assert_eq!(refused, Err("no GLX".to_owned()));

        let (opening, opened) = watch();
        assert_eq!(opening.attempt(opened), Ok(()));

        let (opening, opened) = watch();
        let late = catch_unwind(AssertUnwindSafe(|| {
            opening.attempt(|| {
                opened();
                panic!("a fault of the program");
            })
        }));
        assert!(late.is_err());
    }
}
