//! What a driver works with, and why it stops.

use std::sync::atomic::AtomicBool;

use history::Timestamp;
use runtime::{Plan, Refusal, Run};
use store::{AppendError, Store, StoreError};

use super::people::People;
use crate::adapter::Adapter;
use crate::dispatch::Dispatcher;
use crate::load::LoadError;

/// What a driver works with.
pub struct World<'a> {
    /// Where events are kept.
    pub store: &'a dyn Store,
    /// Where calls go.
    pub adapter: &'a dyn Adapter,
    /// Lets calls run that take time.
    pub dispatcher: &'a Dispatcher,
    /// Who is asked, if anybody is here.
    pub people: &'a dyn People,
    /// What time it is.
    pub clock: &'a (dyn Fn() -> Timestamp + Sync),
    /// Set when the run should pause.
    pub stop: &'a AtomicBool,
    /// Sees how a run comes along.
    pub progress: &'a dyn Fn(&Plan, &Run),
}

/// Why a driver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The run is over.
    Over,
    /// It waits for a person.
    Waiting,
    /// It was paused.
    Paused,
}

/// Why a run could not be driven.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// Another process drives it.
    #[error(
        "another process drives this run: {holder}; its claim lasts until {until}, and longer if it goes on"
    )]
    Held {
        /// Which.
        holder: String,
        /// Until when its lease lasts.
        until: Timestamp,
    },
    /// Another process took it over.
    #[error("another process has taken this run over")]
    TakenOver,
    /// It cannot be read.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// Its events cannot be written.
    #[error("{0}")]
    Append(#[from] AppendError),
    /// Calls left elsewhere that the policy here was not asked about, and cannot be any more.
    #[error(
        "this run was not begun here, and {} had left before the policy that is in force here could \
         be asked: fork it (`quipu fork`), and the policy is asked in the fork", .0
    )]
    LeftElsewhere(String),
    /// The core does not take an input of its own host: a bug.
    #[error("the run does not take this: {0}")]
    Refused(Refusal),
}

impl From<StoreError> for DriveError {
    fn from(error: StoreError) -> DriveError {
        DriveError::Append(error.into())
    }
}
