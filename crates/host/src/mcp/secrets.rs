//! What a server was given, so that it does not come back by what it says.

use std::sync::{Mutex, PoisonError};

use value::{Text, Value};

use crate::secrets::{Revealed, process_variable};

/// What a server was given, in this session and those before.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Its secrets.
    given: Mutex<Revealed>,
    /// What a program sees because `env` names it, secret or not.
    seen: Mutex<Revealed>,
}

impl Known {
    /// These are known from now on.
    pub(super) fn learn(&self, revealed: &Revealed) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        // A server whose secret is a short word could offer nothing at all.
        revealed.all().for_each(|(name, secret)| given.suspect(name.clone(), secret.to_owned()));
    }

    /// So is what variables hold.
    pub(super) fn learn_variables(&self, names: &[String]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            let held = process_variable(name).into_iter();
            held.for_each(|held| seen.suspect(Text::from(&**name), held));
        }
    }

    /// A message without any of them.
    pub(super) fn hide(&self, message: &str) -> String {
        let mut all = self.given.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.extend(&self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        all.hide(message)
    }

    /// An answer without secrets. What else a program sees may well be part of an answer.
    pub(super) fn hide_in(&self, value: Value) -> Value {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).hide_in(value)
    }
}
