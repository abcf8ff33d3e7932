//! Which coroutine runs next. Knows threads and times; what a task belongs to is a number
//! that its owner understands.

use std::collections::{BTreeMap, VecDeque};

use mlua::{MultiValue, Thread};

/// A coroutine that is due, with what to resume it with.
#[derive(Debug)]
pub struct Due {
    pub thread: Thread,
    pub args: MultiValue,
    /// The owner's number for the work this coroutine belongs to.
    pub context: u64,
}

/// What a waiting coroutine waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WaitFor {
    /// The start of the next frame.
    Frame,
    /// The end of the next frame.
    FrameEnd,
    /// A moment of the clock, in seconds.
    Until(f64),
}

/// Coroutines that are due or wait. Order is by time, then by when they were added: the same
/// calls give the same order.
#[derive(Debug, Default)]
pub struct Scheduler {
    ready: VecDeque<Due>,
    frame: Vec<Due>,
    frame_end: Vec<Due>,
    sleeping: BTreeMap<(Moment, u64), Due>,
    added: u64,
}

/// Seconds as an ordered key; never NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moment(f64);

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Moment) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Moment) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Scheduler {
    /// Due at once, behind what is due already.
    pub fn push(&mut self, due: Due) {
        self.ready.push_back(due);
    }

    pub fn wait(&mut self, due: Due, wait_for: WaitFor) {
        match wait_for {
            WaitFor::Frame => self.frame.push(due),
            WaitFor::FrameEnd => self.frame_end.push(due),
            WaitFor::Until(time) => {
                self.added += 1;
                self.sleeping.insert((Moment(if time.is_nan() { 0.0 } else { time }), self.added), due);
            }
        }
    }

    /// Makes due whatever slept until `now`.
    pub fn advance(&mut self, now: f64) {
        while let Some(entry) = self.sleeping.first_entry() {
            if entry.key().0.0 > now {
                break;
            }
            self.ready.push_back(entry.remove());
        }
    }

    /// Makes due whatever waited for a frame.
    pub fn begin_frame(&mut self) {
        self.ready.extend(self.frame.drain(..));
    }

    /// Makes due whatever waited for a frame to be over.
    pub fn end_frame(&mut self) {
        self.ready.extend(self.frame_end.drain(..));
    }

    /// The coroutine that has been due longest.
    pub fn take_due(&mut self) -> Option<Due> {
        self.ready.pop_front()
    }

    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub fn waits_for_frame(&self) -> bool {
        !self.frame.is_empty() || !self.frame_end.is_empty()
    }

    /// When the next sleeper is due.
    pub fn next_wake(&self) -> Option<f64> {
        self.sleeping.first_key_value().map(|((moment, _), _)| moment.0)
    }

    /// Takes a coroutine out, wherever it waits. False if it does not.
    pub fn cancel(&mut self, thread: &Thread) -> bool {
        let before = self.len();
        self.ready.retain(|due| due.thread != *thread);
        self.frame.retain(|due| due.thread != *thread);
        self.frame_end.retain(|due| due.thread != *thread);
        self.sleeping.retain(|_, due| due.thread != *thread);
        self.len() != before
    }

    /// Takes out everything of one context.
    pub fn cancel_context(&mut self, context: u64) {
        self.ready.retain(|due| due.context != context);
        self.frame.retain(|due| due.context != context);
        self.frame_end.retain(|due| due.context != context);
        self.sleeping.retain(|_, due| due.context != context);
    }

    fn len(&self) -> usize {
        self.ready.len() + self.frame.len() + self.frame_end.len() + self.sleeping.len()
    }
}
