//! How much a server may say. Without these a hostile one could fill the memory, or be listened to
//! for ever.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// The longest message.
pub(super) const MESSAGE_MAX: usize = 8 << 20;

/// How much may stand between messages that is none: banners, and what libraries print.
const NOISE_MAX: u64 = 64 << 10;

/// How many messages may come for one that was sent: progress, logs, and what nobody asked for.
const MESSAGES_MAX: u64 = 20_000;

/// How many pages a list of tools may have.
pub(super) const PAGES_MAX: usize = 100;

/// How many tools a server may have.
pub(super) const TOOLS_MAX: usize = 2_000;

/// How long everything that a server says of its tools may be.
pub(super) const LISTING_MAX: usize = 8 << 20;

/// What is left of what a server may say in a session, and why the session ended.
#[derive(Debug, Default)]
pub(super) struct Limits {
    noise: AtomicU64,
    messages: AtomicU64,
    ended: Mutex<Option<String>>,
    /// How the program ended, where it is one.
    exit: watch::Sender<Option<String>>,
}

impl Limits {
    /// Something was asked: answers may come.
    pub(super) fn asked(&self) {
        self.messages.store(0, Ordering::Relaxed);
    }

    /// A message came.
    pub(super) fn message(&self) -> Result<(), Exceeded> {
        let count = self.messages.fetch_add(1, Ordering::Relaxed);
        if count < MESSAGES_MAX { Ok(()) } else { Err(self.exceeded(Exceeded::Messages)) }
    }

    /// So much came that is no message.
    pub(super) fn noise(&self, bytes: u64) -> Result<(), Exceeded> {
        let before = self.noise.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes <= NOISE_MAX { Ok(()) } else { Err(self.exceeded(Exceeded::Noise)) }
    }

    /// A message is so long by now.
    pub(super) fn length(&self, bytes: usize) -> Result<(), Exceeded> {
        if bytes <= MESSAGE_MAX { Ok(()) } else { Err(self.exceeded(Exceeded::Length)) }
    }

    fn exceeded(&self, what: Exceeded) -> Exceeded {
        self.ended(what.to_string());
        what
    }

    /// The session has ended, for this reason. The first one is the one that counts.
    pub(super) fn ended(&self, why: String) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.get_or_insert(why);
    }

    /// The program has ended.
    pub(super) fn exited(&self, how: String) {
        self.exit.send_replace(Some(how));
    }

    /// How the program ended, if it does so within this time.
    pub(super) async fn exit(&self, time_max: Duration) -> Option<String> {
        let mut exit = self.exit.subscribe();
        let exited = timeout(time_max, exit.wait_for(Option::is_some)).await;
        exited.ok()?.ok()?.clone()
    }

    /// Why the session ended, where that is known.
    pub(super) fn why(&self) -> Option<String> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What there was too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Exceeded {
    #[error("it wrote more than {NOISE_MAX} bytes that are no messages")]
    Noise,
    #[error("it sent more than {MESSAGES_MAX} messages without being asked")]
    Messages,
    #[error("it sent a message of more than {MESSAGE_MAX} bytes")]
    Length,
}
