//! Which Luau machine runs, and the clocks its tasks wait by.

use std::rc::Rc;

use zero_script::{Due, Scheduler, Vm, WaitFor};

use super::Shared;
use crate::machine::Machine;
use crate::state::Mode;

impl Shared {
    pub(crate) fn machine(&self) -> Rc<Machine> {
        Rc::clone(self.machine.borrow().as_ref().expect("a machine runs from start to end"))
    }

    pub(crate) fn vm(&self) -> Rc<Vm> {
        Rc::clone(&self.machine().vm)
    }

    pub(crate) fn set_machine(&self, machine: Rc<Machine>) {
        *self.machine.borrow_mut() = Some(machine);
    }

    pub(crate) fn has_machine(&self) -> bool {
        self.machine.borrow().is_some()
    }

    /// Puts the edit machine aside for play's.
    pub(crate) fn park_machine(&self) {
        *self.parked.borrow_mut() = self.machine.borrow_mut().take();
    }

    /// Drops play's machine and goes on with the edit machine.
    pub(crate) fn unpark_machine(&self) {
        if let Some(parked) = self.parked.borrow_mut().take() {
            *self.machine.borrow_mut() = Some(parked);
        }
    }

    pub(crate) fn drop_machines(&self) {
        self.machine.borrow_mut().take();
        self.parked.borrow_mut().take();
    }

    /// Seconds of the clock since the engine started.
    pub(crate) fn wall(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// The clock that tasks wait by: game time in play, the wall's otherwise.
    pub(crate) fn now(&self) -> f64 {
        let state = self.state.borrow();
        match state.mode {
            Mode::Play => state.time,
            Mode::Edit => self.wall(),
        }
    }

    pub(crate) fn scheduler(&self, work: impl FnOnce(&mut Scheduler)) {
        work(&mut self.machine().scheduler.borrow_mut());
    }

    pub(crate) fn sleep(&self, due: Due, secs: f64) {
        let wait_for = if secs > 0.0 { WaitFor::Until(self.now() + secs) } else { WaitFor::Frame };
        self.scheduler(|scheduler| scheduler.wait(due, wait_for));
    }
}
