//! Time slices. A thread that sleeps almost always watches how long the machine has been
//! inside one stretch of Luau and arms the interrupt when it has been too long; until then
//! running code pays nothing at its back-edges.

use std::cell::Cell;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::raw::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mlua::{Lua, ffi};

use crate::fault::is_engine_frame;

/// How much longer than its own limit a stretch may last with all the stretches inside it.
const WITH_INNER: u32 = 10;
/// And how much longer with what the engine's own code does about a script that was ended.
const WITH_CLEARING: u32 = 2 * WITH_INNER;
/// How often the watching thread looks while Luau runs.
const TICK: Duration = Duration::from_millis(4);
/// Ticks inside one stretch before the interrupt is armed.
const TICKS_BEFORE_ARMING: u32 = 2;
/// Idle ticks before the watching thread goes to sleep until it is woken.
const TICKS_BEFORE_SLEEP: u32 = 250;

/// How the stretch of Luau that is about to run may be stopped.
#[derive(Clone, Copy)]
pub(crate) enum Stretch {
    /// A coroutine of the scheduler: suspended at its slice, ended where it cannot be.
    Task { thread: *mut ffi::lua_State },
    /// Engine code calling into Luau: never suspended. `progress` is a counter that the code
    /// advances; only a stretch without progress is ended.
    Step { progress: *const u32 },
    /// A plain call: never suspended.
    Call,
}

pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Boxed, because the interrupt reads it through a thread-local pointer.
    watch: Box<Watch>,
}

struct Shared {
    /// Odd while Luau runs; every start and end adds one.
    sequence: AtomicU64,
    asleep: AtomicBool,
    ended: AtomicBool,
    /// The machine's callback table; null once the machine is gone.
    callbacks: Mutex<CallbackTable>,
}

struct CallbackTable(*mut ffi::lua_Callbacks);

// SAFETY: only the `interrupt` word is touched from the watching thread, with an atomic store
// and under the mutex that `Watchdog::drop` takes before the machine goes.
unsafe impl Send for CallbackTable {}

/// What the interrupt decides by. Lives on the engine thread only.
struct Watch {
    callbacks: *mut ffi::lua_Callbacks,
    preempted: Cell<bool>,
    now: Cell<Now>,
}

/// The stretch that runs.
#[derive(Clone, Copy)]
struct Now {
    stretch: Stretch,
    began: Instant,
    /// Time spent in stretches inside it, which have limits of their own.
    inner: Duration,
    limit: Duration,
    progress_seen: u32,
    /// Has used up what it may: its scripts are thrown out at every step until it is left, so
    /// that no `pcall` of theirs keeps it going.
    over: bool,
}

impl Now {
    fn new(stretch: Stretch, limit: Duration) -> Now {
        Now { stretch, began: Instant::now(), inner: Duration::ZERO, limit, progress_seen: 0, over: false }
    }
}

thread_local! {
    static CURRENT: Cell<*const Watch> = const { Cell::new(ptr::null()) };
}

impl Watchdog {
    pub(crate) fn new(lua: &Lua) -> Watchdog {
        // SAFETY: the callback table lives as long as the machine.
        let callbacks = lua.exec_raw_lua(|raw| unsafe { ffi::lua_callbacks(raw.state()) });
        let shared = Arc::new(Shared {
            sequence: AtomicU64::new(0),
            asleep: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            callbacks: Mutex::new(CallbackTable(callbacks)),
        });
        let watching = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("luau-watchdog".to_owned())
            .spawn(move || watching.watch())
            .expect("the operating system starts one more thread");
        let watch = Box::new(Watch {
            callbacks,
            preempted: Cell::new(false),
            now: Cell::new(Now::new(Stretch::Call, Duration::ZERO)),
        });
        Watchdog { shared, thread: Some(thread), watch }
    }

    /// Runs `body` as one watched stretch. Returns its result and whether it was suspended
    /// because its slice was over. Stretches nest: the inner one has its own limit.
    pub(crate) fn run<R>(&self, stretch: Stretch, limit: Duration, body: impl FnOnce() -> R) -> (R, bool) {
        let watch = &*self.watch;
        let mut outer = watch.now.replace(Now::new(stretch, limit));
        let outer_current = CURRENT.replace(watch);
        watch.preempted.set(false);
        if outer_current.is_null() {
            self.shared.begin(self.thread.as_ref());
        }
        let result = body();
        let preempted = watch.preempted.replace(false);
        if outer_current.is_null() {
            self.shared.end();
        }
        outer.inner += watch.now.get().began.elapsed();
        watch.now.set(outer);
        CURRENT.set(outer_current);
        if !outer.over {
            watch.disarm();
        }
        (result, preempted)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.watch.disarm();
        self.shared.callbacks.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).0 = ptr::null_mut();
        self.shared.ended.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread only sleeps and stores one word: it ends within a tick.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn begin(&self, thread: Option<&JoinHandle<()>>) {
        self.sequence.fetch_add(1, Ordering::AcqRel);
        if self.asleep.swap(false, Ordering::AcqRel)
            && let Some(thread) = thread
        {
            thread.thread().unpark();
        }
    }

    fn end(&self) {
        self.sequence.fetch_add(1, Ordering::AcqRel);
    }

    fn watch(&self) {
        let (mut seen, mut ticks) = (0, 0);
        while !self.ended.load(Ordering::Acquire) {
            let sequence = self.sequence.load(Ordering::Acquire);
            ticks = if sequence == seen { ticks + 1 } else { 0 };
            seen = sequence;
            let running = sequence % 2 == 1;
            if running && ticks >= TICKS_BEFORE_ARMING {
                self.arm();
            }
            if !running && ticks >= TICKS_BEFORE_SLEEP {
                self.asleep.store(true, Ordering::Release);
                if self.sequence.load(Ordering::Acquire) == sequence {
                    thread::park_timeout(Duration::from_secs(60));
                }
                self.asleep.store(false, Ordering::Release);
                ticks = 0;
            } else {
                thread::sleep(TICK);
            }
        }
    }

    fn arm(&self) {
        let table = self.callbacks.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !table.0.is_null() {
            // SAFETY: the machine is alive while the pointer is not null (see `Drop`).
            unsafe { interrupt_word(table.0) }.store(interrupt as *mut (), Ordering::Release);
        }
    }
}

impl Watch {
    fn arm(&self) {
        // SAFETY: as in `disarm`.
        unsafe { interrupt_word(self.callbacks) }.store(interrupt as *mut (), Ordering::Release);
    }

    fn disarm(&self) {
        // SAFETY: `self` never outlives the machine: `Vm` drops its watchdog first.
        unsafe { interrupt_word(self.callbacks) }.store(ptr::null_mut(), Ordering::Release);
    }

    /// Whether the stretch has used up what it may.
    fn is_over(&self) -> bool {
        let mut now = self.now.get();
        if let Stretch::Step { progress } = now.stretch {
            // SAFETY: the counter lives as long as the stretch (see `Vm::run_step`).
            let count = unsafe { ptr::read_volatile(progress) };
            if count != now.progress_seen {
                let limit = now.limit;
                now = Now { progress_seen: count, ..Now::new(now.stretch, limit) };
            }
        }
        let whole = now.began.elapsed();
        now.over |= whole.saturating_sub(now.inner) >= now.limit || whole >= now.limit * WITH_INNER;
        self.now.set(now);
        now.over
    }
}

/// The `interrupt` field, as the atomic word it is shared as.
///
/// # Safety
/// `callbacks` points to the callback table of a live machine.
unsafe fn interrupt_word<'a>(callbacks: *mut ffi::lua_Callbacks) -> &'a AtomicPtr<()> {
    // An optional function pointer has the layout of a plain pointer.
    unsafe { AtomicPtr::from_ptr((&raw mut (*callbacks).interrupt).cast()) }
}

unsafe extern "C-unwind" fn interrupt(state: *mut ffi::lua_State, gc: c_int) {
    if gc >= 0 {
        return;
    }
    let current = CURRENT.get();
    if current.is_null() {
        return;
    }
    // SAFETY: the pointer is set for the length of `Watchdog::run` and cleared after it.
    let watch = unsafe { &*current };
    watch.disarm();
    if let Stretch::Task { thread } = watch.now.get().stretch
        && ptr::eq(thread, state)
        // SAFETY: `state` is the running state the machine handed us.
        && unsafe { ffi::lua_isyieldable(state) } != 0
    {
        watch.preempted.set(true);
        // SAFETY: as above; the machine allows a yield from an interrupt at a yieldable point.
        unsafe { ffi::lua_yield(state, 0) };
        return;
    }
    if !watch.is_over() {
        return;
    }
    watch.arm();
    let now = watch.now.get();
    // SAFETY: as above.
    if now.began.elapsed() < now.limit * WITH_CLEARING && unsafe { in_engine_code(state) } {
        return;
    }
    let message = format!(
        "this code ran for more than {} ms where it cannot be suspended, and was ended [script/overrun]",
        watch.now.get().limit.as_millis()
    );
    // SAFETY: the strings are copied onto the state's stack before the error unwinds it;
    // `message` is leaked nowhere: it is dropped before `lua_error`.
    unsafe {
        ffi::lua_rawcheckstack(state, 4);
        ffi::luaL_where(state, 0);
        ffi::lua_pushlstring(state, message.as_ptr().cast(), message.len());
        drop(message);
        ffi::lua_concat(state, 2);
        ffi::lua_error(state);
    }
}

/// Whether the function that runs is the engine's own: what it does after a script's failure
/// must be done.
///
/// # Safety
/// `state` is the state that runs.
unsafe fn in_engine_code(state: *mut ffi::lua_State) -> bool {
    let mut frame = MaybeUninit::<ffi::lua_Debug>::zeroed();
    // SAFETY: the source of the running function is written into `frame`, and its text lives
    // as long as the function.
    unsafe {
        if ffi::lua_getinfo(state, 0, c"s".as_ptr(), frame.as_mut_ptr()) == 0 {
            return false;
        }
        let source = frame.assume_init_ref().short_src;
        !source.is_null() && is_engine_frame(&CStr::from_ptr(source).to_string_lossy())
    }
}
