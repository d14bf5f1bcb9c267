//! What is in a channel.

use std::collections::VecDeque;
use std::sync::Arc;

use value::{Map, Value};

use crate::{Fault, FaultKind};

/// A channel with its messages. A copy costs nothing until one of the two changes.
///
/// A `topic` and a `broadcast` show everyone what `retention` keeps, as `reducer` puts it
/// together. From a `queue` and a `request_reply` each message is taken once, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    is_taken: bool,
    keeps: Keeps,
    shows: Shows,
    room: Option<usize>,
    messages: Arc<VecDeque<Value>>,
}

/// Which messages stay.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keeps {
    /// Each until it has been received.
    None,
    Last,
    All,
    Window,
}

/// What the messages come to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shows {
    /// A list of them.
    List,
    /// The last one.
    Last,
    /// An object with the members of all; later ones win.
    Merged,
}

/// How many messages a window has that does not say.
const WINDOW: usize = 100;

impl Channel {
    /// An empty channel, as declared (`channel_type`, `retention`, `reducer`, `buffer_size`).
    pub fn new(declared: &Value) -> Channel {
        let word = |member| declared.get(member).and_then(Value::as_text).map(|text| &**text);
        let room = match declared.get("buffer_size") {
            Some(Value::Int(size)) => Some(usize::try_from(*size).unwrap_or(0).max(1)),
            _ => None,
        };
        Channel {
            is_taken: matches!(word("channel_type"), Some("queue" | "request_reply")),
            keeps: match word("retention") {
                Some("none") => Keeps::None,
                Some("last") => Keeps::Last,
                Some("windowed") => Keeps::Window,
                _ => Keeps::All,
            },
            shows: match word("reducer") {
                Some("replace") => Shows::Last,
                Some("merge") => Shows::Merged,
                _ => Shows::List,
            },
            room,
            messages: Arc::default(),
        }
    }

    /// The same channel with the messages that [`Channel::to_value`] gave.
    #[must_use]
    pub fn with_messages(mut self, value: &Value) -> Channel {
        let messages = value.as_list().unwrap_or_default();
        self.messages = Arc::new(messages.iter().cloned().collect());
        self
    }

    /// Its messages, oldest first.
    pub fn to_value(&self) -> Value {
        Value::list(self.messages.iter().cloned())
    }

    /// Sends a message. Where everyone sees the messages, the oldest makes room for it; where
    /// each is taken once, none may get lost, and a full channel refuses it.
    pub fn publish(&mut self, message: Value) -> Result<(), Fault> {
        if !self.is_taken && self.shows == Shows::Merged && message.as_map().is_none() {
            let why = format!("{} cannot be merged into a channel", message.kind());
            return Err(Fault::new(FaultKind::Store, why));
        }
        let is_full = self.room.is_some_and(|room| self.messages.len() >= room);
        if self.is_taken && is_full && matches!(self.keeps, Keeps::All | Keeps::None) {
            let why = format!("the channel is full: it holds {} messages", self.messages.len());
            return Err(Fault::new(FaultKind::Store, why));
        }
        let shows_last = !self.is_taken && self.shows == Shows::Last;
        let kept = match self.keeps {
            Keeps::Last => 1,
            _ if shows_last => 1,
            Keeps::Window => self.room.unwrap_or(WINDOW),
            Keeps::All | Keeps::None => self.room.unwrap_or(usize::MAX),
        };
        let messages = Arc::make_mut(&mut self.messages);
        // What nothing will ever drop again need not be kept apart.
        if !self.is_taken && self.shows == Shows::Merged && kept == usize::MAX {
            let mut all = match messages.pop_front() {
                Some(Value::Map(all)) => all,
                _ => Arc::default(),
            };
            take_in(&mut all, &message);
            messages.push_back(Value::Map(all));
            return Ok(());
        }
        while messages.len() >= kept {
            messages.pop_front();
        }
        messages.push_back(message);
        Ok(())
    }

    /// What a subscriber gets.
    pub fn receive(&mut self) -> Value {
        if self.is_taken {
            if self.messages.is_empty() {
                return Value::Null;
            }
            return Arc::make_mut(&mut self.messages).pop_front().into();
        }
        let shown = match self.shows {
            Shows::List => self.to_value(),
            Shows::Last => self.messages.back().cloned().into(),
            Shows::Merged => merged(self.messages.iter()),
        };
        if self.keeps == Keeps::None {
            self.messages = Arc::default();
        }
        shown
    }
}

fn merged<'v>(messages: impl Iterator<Item = &'v Value>) -> Value {
    let mut all = Arc::default();
    messages.for_each(|message| take_in(&mut all, message));
    Value::Map(all)
}

fn take_in(all: &mut Arc<Map>, message: &Value) {
    if let Value::Map(members) = message {
        let members = members.iter().map(|(key, value)| (key.clone(), value.clone()));
        Arc::make_mut(all).extend(members);
    }
}
