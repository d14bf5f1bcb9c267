//! Why a server did not do what it should, and what became of the call.

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use runtime::{Fault, FaultKind, Happened};
use value::{Text, Value};

use crate::tools::detailed;

/// How much of what a server says of an error is kept, in characters.
const SAID_MAX: usize = 2_000;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    pub(super) kind: FaultKind,
    pub(super) message: String,
    pub(super) left: Left,
    /// Whether there is still somebody to talk to.
    pub(super) session: Standing,
}

/// Whether a server that did not begin a session might do so in the way of newer versions, which
/// have no handshake: it has understood, and refused.
pub(super) fn refuses_handshake(error: &ClientInitializeError) -> bool {
    matches!(error, ClientInitializeError::JsonRpcError(_))
}

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It has not left.
    No,
    /// It has left, and nobody knows what became of it.
    Lost,
    /// It has left, and the server says that it failed.
    Reported,
}

/// What became of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Goes,
    /// The server does not know it any more. Nothing was done.
    Expired,
    Over,
}

impl Trouble {
    /// Nothing has left, and the session is as it was.
    pub(super) fn before(kind: FaultKind, message: impl Into<String>) -> Trouble {
        let message = message.into();
        Trouble { kind, message, left: Left::No, session: Standing::Goes }
    }

    /// There is nobody to talk to.
    pub(super) fn no_session(kind: FaultKind, message: impl Into<String>) -> Trouble {
        Trouble { session: Standing::Over, ..Trouble::before(kind, message) }
    }

    /// What a call that has left came to.
    pub(super) fn of_call(server: &str, error: ServiceError) -> Trouble {
        let lost =
            |kind, message| Trouble { kind, message, left: Left::Lost, session: Standing::Over };
        match error {
            ServiceError::McpError(error) => Trouble {
                left: Left::Reported,
                session: Standing::Goes,
                ..lost(FaultKind::Tool, format!("{} (code {})", cut(&error.message), error.code.0))
            },
            ServiceError::TransportSend(error) => match Sending::of(&*error.error) {
                Sending::Expired => Trouble {
                    left: Left::No,
                    session: Standing::Expired,
                    ..lost(FaultKind::Tool, format!("`{server}` does not know the session"))
                },
                Sending::NotConnected(why) => Trouble {
                    left: Left::No,
                    ..lost(FaultKind::Tool, format!("`{server}` cannot be reached: {why}"))
                },
                Sending::Broken(why) => {
                    lost(FaultKind::Tool, format!("the connection to `{server}` broke: {why}"))
                }
            },
            ServiceError::TransportClosed => {
                lost(FaultKind::Tool, format!("the session with `{server}` ended"))
            }
            ServiceError::UnexpectedResponse => Trouble {
                session: Standing::Goes,
                ..lost(FaultKind::Tool, format!("`{server}` answered something else than asked"))
            },
            ServiceError::Cancelled { .. } => Trouble {
                session: Standing::Goes,
                ..lost(FaultKind::Tool, format!("`{server}` gave the call up"))
            },
            other => lost(FaultKind::Tool, format!("`{server}`: {}", cut(&other.to_string()))),
        }
    }

    /// Why a session did not begin.
    pub(super) fn of_beginning(server: &str, error: &ClientInitializeError) -> Trouble {
        let why = match error {
            ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
            ClientInitializeError::JsonRpcError(error) => {
                format!("it refuses: {}", cut(&error.message))
            }
            ClientInitializeError::TransportError { error, .. } => {
                match Sending::of(&*error.error) {
                    Sending::Expired => "it answers 404".to_owned(),
                    Sending::NotConnected(why) | Sending::Broken(why) => why,
                }
            }
            _ => "it does not speak MCP".to_owned(),
        };
        Trouble::no_session(FaultKind::Tool, format!("no session with `{server}`: {why}"))
    }

    /// The same with more words.
    pub(super) fn because(mut self, why: Option<String>) -> Trouble {
        if let Some(why) = why {
            self.message = format!("{}: {why}", self.message);
        }
        self
    }

    /// As a failure of a tool. Where it touches anything, a call that is lost may have happened.
    pub(crate) fn fault(self, tool: &Text, touching: Happened) -> Fault {
        let tool = ("tool", Value::Text(tool.clone()));
        let fault = detailed(self.kind, self.message, [tool]);
        match self.left {
            Left::No => fault.with_happened(Happened::No),
            Left::Lost => fault.with_happened(touching),
            Left::Reported => fault.reported().with_happened(touching),
        }
    }
}

/// Why a message could not be sent.
enum Sending {
    Expired,
    NotConnected(String),
    Broken(String),
}

impl Sending {
    fn of(error: &(dyn std::error::Error + 'static)) -> Sending {
        let mut causes: Vec<String> = Vec::new();
        let mut is_connecting = false;
        let mut next = Some(error);
        while let Some(cause) = next {
            match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
                Some(StreamableHttpError::SessionExpired) => return Sending::Expired,
                Some(StreamableHttpError::Client(error)) => is_connecting |= error.is_connect(),
                _ => {}
            }
            let said = cut(&cause.to_string());
            if !causes.iter().any(|known| known.contains(&said)) {
                causes.push(said);
            }
            let http = cause.downcast_ref::<reqwest::Error>();
            is_connecting |= http.is_some_and(reqwest::Error::is_connect);
            next = cause.source();
        }
        // The last cause is the one that says what to do about it.
        let why = causes.pop().unwrap_or_default();
        if is_connecting { Sending::NotConnected(why) } else { Sending::Broken(why) }
    }
}

/// Not more of it than anybody reads.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(SAID_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
