//! The party that has time.

use mercer::detect::Replace;
use mercer::kernel::Rbf;
use mercer::{Error, Progress, Recipe};

use crate::{FanLearner, FanStream, Model, Window};

/// After how many new windows it learns again.
const AGAIN: u32 = 128;

/// Learns from windows, the first time once there are enough of them and then from time to time.
pub struct Teacher<'a> {
    learner: &'a mut FanLearner,
    /// The model that the sentry does not have; none while it is on its way.
    spare: Option<&'a mut Model>,
    new: u32,
}

impl<'a> Teacher<'a> {
    /// A teacher, and room for what it learns.
    pub fn new(learner: &'a mut FanLearner, spare: &'a mut Model) -> Self {
        Self { learner, spare: Some(spare), new: 0 }
    }

    /// Takes a window, and begins to learn if it is time to.
    ///
    /// # Errors
    /// Those of the learner, such as too little that differs from window to window.
    pub fn on_window(&mut self, window: &Window) -> Result<(), Error> {
        if self.learner.is_learning() {
            return Ok(());
        }
        if self.learner.detector().is_ok() {
            self.learner.refresh(&window.reading, Replace::Oldest)?;
            self.new += 1;
        } else if !self.learner.is_full() {
            self.learner.push(&window.reading)?;
            self.new = if self.learner.is_full() { AGAIN } else { 0 };
        }
        if self.new >= AGAIN && self.spare.is_some() {
            self.new = 0;
            self.learner.begin(Rbf::for_inputs(FanStream::INPUTS), Recipe::default())?;
        }
        Ok(())
    }

    /// Does a step of what there is to learn; returns a model for the sentry after the last one.
    ///
    /// # Errors
    /// Those of [`Learner::step`](mercer::Learner::step). What had been collected for a first
    /// model is dropped then, and a later one is tried again with other windows.
    pub fn step(&mut self) -> Result<Option<&'a mut Model>, Error> {
        if !self.learner.is_learning() {
            return Ok(None);
        }
        match self.learner.step() {
            Ok(Progress::Working) => Ok(None),
            Ok(Progress::Done) => {
                let learned = self.learner.detector()?;
                let Some(spare) = self.spare.take() else { return Ok(None) };
                spare.copy_from(learned)?;
                Ok(Some(spare))
            }
            Err(error) => {
                if self.learner.detector().is_err() {
                    self.learner.forget();
                }
                Err(error)
            }
        }
    }

    /// The sentry's model from before, which has become the spare one.
    pub fn take_back(&mut self, model: &'a mut Model) {
        self.spare = Some(model);
    }

    /// Is there a step to do?
    pub fn is_learning(&self) -> bool {
        self.learner.is_learning()
    }

    /// The learner, to store what it has learned, or to take up what was stored.
    pub fn learner(&mut self) -> &mut FanLearner {
        self.learner
    }
}
