//! Helpers: threads that take part in what another thread does, for as long as it does it.
//!
//! Whoever shares work does it too, and never waits for a helper that has not come: what is shared is a function that
//! each who comes calls once, and that takes its tasks from what nobody has taken yet. So a helper that the system
//! wakes late costs nothing, and a step runs where it was asked for: on the thread, and the processor, of the game.
//!
//! The leader of a step calls the helpers when it first has work for two. From then on they look for the next piece of
//! work without sleeping, as a step has many and each takes less time than to wake a thread; when the step is over they go
//! to sleep.

use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Looks for work, or at what others have done, after which a thread that has none lets others have its
/// processor.
const PATIENCE: u32 = 256;
/// How often a helper lets others have its processor, when a step is over, before it goes to sleep: the next may begin
/// at once.
const LINGER: u32 = PATIENCE + 64;

/// What helpers are told of the work that is shared: each who comes has another place, from 1.
type Work<'a> = dyn Fn(usize) + Sync + 'a;

/// Helpers, until it is dropped.
pub(super) struct Crew {
    board: Arc<Board>,
    helpers: Vec<JoinHandle<()>>,
}

/// What the leader and the helpers know of each other.
#[derive(Default)]
struct Board {
    notice: Mutex<Notice>,
    /// Wakes helpers that sleep.
    call: Condvar,
    /// Whether helpers stay awake.
    called: AtomicBool,
    /// Whether there is a leader.
    led: AtomicBool,
    /// How often something has been shared: what is new can be seen without the lock.
    shared: AtomicU64,
    /// Helpers that are at what is shared.
    busy: AtomicUsize,
}

#[derive(Default)]
struct Notice {
    work: Option<&'static Work<'static>>,
    /// How many may come, and how many have.
    most: usize,
    came: usize,
    /// What a helper has panicked with.
    panic: Option<Box<dyn Any + Send>>,
    /// There will be no more work.
    over: bool,
}

thread_local! {
    /// The board of the crew that this thread leads and may share work with now; or zero.
    static LEADS: Cell<usize> = const { Cell::new(0) };
}

impl Crew {
    /// So many helpers.
    pub(super) fn new(helpers: usize) -> io::Result<Self> {
        let mut crew = Self { board: Arc::default(), helpers: Vec::with_capacity(helpers) };
        for index in 1..=helpers {
            let board = Arc::clone(&crew.board);
            let helper = Builder::new().name(format!("sinew-{index}"));
            crew.helpers.push(helper.spawn(move || board.help())?);
        }
        Ok(crew)
    }

    /// All threads, the leader's among them.
    pub(super) fn count(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Makes this thread the leader until what is returned is dropped; none if there is one.
    pub(super) fn lead(&self) -> Option<Lead<'_>> {
        let board = &*self.board;
        let is_free = !board.led.swap(true, Ordering::Acquire);
        is_free.then(|| Lead { board, before: LEADS.replace(board.id()) })
    }

    /// Whether this thread can share work: it leads, and is not in the middle of something that it shares.
    pub(super) fn is_led(&self) -> bool {
        LEADS.get() == self.board.id()
    }

    /// Calls `work` here, for place 0, and meanwhile on as many helpers as come, `most` in all. Only the leader may.
    ///
    /// # Panics
    /// If `work` does, wherever.
    pub(super) fn share(&self, most: usize, work: &Work<'_>) {
        debug_assert!(self.is_led(), "whoever shares work leads");
        let board = &*self.board;
        let leads = LEADS.replace(0);
        let shared = Shared { board, leads };
        board.post(most, work);
        work(0);
        drop(shared);
        let panic = board.notice().panic.take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.board.notice().over = true;
        self.board.call.notify_all();
        for helper in self.helpers.drain(..) {
            // It has nothing to say: what work panics with is told to who shared it.
            let _ = helper.join();
        }
    }
}

impl Board {
    /// One of the boards that there are.
    fn id(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn notice(&self) -> MutexGuard<'_, Notice> {
        self.notice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shares some work until it is taken down, which must be before it ends.
    fn post(&self, most: usize, work: &Work<'_>) {
        #[allow(unsafe_code, reason = "a thread that lives on cannot be lent anything otherwise")]
        // SAFETY: only the lifetime changes. A helper has the work only between `come` and `go`, and it can come only while
        // the work is posted. `Shared`, which `share` has made before, takes it down and waits for all who have come
        // before `share` ends or unwinds, and `share` has borrowed the work until then.
        let work = unsafe { std::mem::transmute::<&Work<'_>, &'static Work<'static>>(work) };
        let mut notice = self.notice();
        *notice = Notice { work: Some(work), most, ..Notice::default() };
        self.shared.fetch_add(1, Ordering::Release);
        // Under the lock, or a helper might look just before and sleep just after.
        let were_called = self.called.swap(true, Ordering::Relaxed);
        drop(notice);
        if !were_called {
            self.call.notify_all();
        }
    }

    /// Ends what is shared: nobody else can come, and all who have are done.
    fn take_down(&self) {
        self.notice().work = None;
        wait_until(|| self.busy.load(Ordering::Acquire) == 0);
    }

    /// What is shared, and the place of who has come; none if it is over, or enough have come.
    fn come(&self) -> Option<(&'static Work<'static>, usize)> {
        let mut notice = self.notice();
        let work = notice.work.filter(|_| notice.came + 1 < notice.most)?;
        notice.came += 1;
        self.busy.fetch_add(1, Ordering::Relaxed);
        Some((work, notice.came))
    }

    /// Says that who has come is done.
    fn go(&self) {
        self.busy.fetch_sub(1, Ordering::Release);
    }

    /// What a helper does all its life.
    fn help(&self) {
        let (mut seen, mut waited) = (0, 0);
        loop {
            let shared = self.shared.load(Ordering::Acquire);
            if shared != seen {
                (seen, waited) = (shared, 0);
                self.take_part();
            } else if self.called.load(Ordering::Relaxed) {
                pause(&mut waited);
                waited = waited.min(PATIENCE);
            } else if waited < LINGER {
                pause(&mut waited);
            } else if self.sleep() {
                waited = 0;
            } else {
                return;
            }
        }
    }

    /// Does a part of what is shared, if there is still something.
    fn take_part(&self) {
        let Some((work, place)) = self.come() else { return };
        let done = catch_unwind(AssertUnwindSafe(|| work(place)));
        if let Err(panic) = done {
            self.notice().panic.get_or_insert(panic);
        }
        self.go();
    }

    /// Sleeps until the leader calls. Whether there is going to be work.
    fn sleep(&self) -> bool {
        let idle = |notice: &mut Notice| !notice.over && !self.called.load(Ordering::Relaxed);
        let notice = self.call.wait_while(self.notice(), idle);
        !notice.unwrap_or_else(PoisonError::into_inner).over
    }
}

/// The right to share work with a crew.
pub(super) struct Lead<'a> {
    board: &'a Board,
    before: usize,
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        LEADS.set(self.before);
        self.board.called.store(false, Ordering::Relaxed);
        self.board.led.store(false, Ordering::Release);
    }
}

/// Something that is shared, until this is dropped.
struct Shared<'a> {
    board: &'a Board,
    leads: usize,
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        self.board.take_down();
        LEADS.set(self.leads);
    }
}

/// Waits for what other threads do.
pub(super) fn wait_until(holds: impl Fn() -> bool) {
    let mut waited = 0;
    while !holds() {
        pause(&mut waited);
    }
}

fn pause(waited: &mut u32) {
    *waited = waited.saturating_add(1);
    if *waited < PATIENCE {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}
