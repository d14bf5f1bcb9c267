//! An answer as it comes.

use reqwest::Client;
use serde_json::Value as Json;
use value::Text;

use super::answer::VALUES_MAX;
use super::ask::Asked;
use super::retry::{Again, Lacks, Trouble};
use super::transport::{self, Frames, frames};
use super::{anthropic, gemini, openai};
use crate::models::named::{Protocol, Target};

/// After so many bytes it is counted of how many values an answer is made so far.
const COUNTED_EVERY: usize = 1 << 20;

/// Who speaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Speaker {
    /// In which run.
    pub run: Text,
    /// At which node, as `label/n1`.
    pub at: Text,
    /// Which agent.
    pub agent: Text,
    /// Through which model.
    pub model: Text,
}

/// A piece of what is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Of the answer.
    Text(&'a str),
    /// Of what is thought before it.
    Thought(&'a str),
    /// The connection broke: what was said so far does not count, and is said again.
    Broken,
    /// Nothing more comes.
    End,
}

/// Hears what models say while they say it. The history keeps only the whole answer.
pub trait Voice: Send + Sync {
    /// Takes a piece. It must not wait for anything.
    fn says(&self, speaker: &Speaker, piece: Piece<'_>);
}

/// The pieces of an answer, put together as the provider would have sent it at once.
#[derive(Debug)]
enum Pieces {
    OpenAi(openai::Pieces),
    Anthropic(anthropic::Pieces),
    Gemini(gemini::Pieces),
}

impl Pieces {
    fn of(protocol: Protocol) -> Pieces {
        match protocol {
            Protocol::OpenAi => Pieces::OpenAi(openai::Pieces::default()),
            Protocol::Anthropic => Pieces::Anthropic(anthropic::Pieces::default()),
            Protocol::Gemini => Pieces::Gemini(gemini::Pieces::default()),
        }
    }

    fn take(&mut self, frame: &Json) {
        match self {
            Pieces::OpenAi(pieces) => pieces.take(frame),
            Pieces::Anthropic(pieces) => pieces.take(frame),
            Pieces::Gemini(pieces) => pieces.take(frame),
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Pieces::OpenAi(pieces) => pieces.is_over(),
            Pieces::Anthropic(pieces) => pieces.is_over(),
            Pieces::Gemini(pieces) => pieces.is_over(),
        }
    }

    fn values(&self) -> usize {
        match self {
            Pieces::OpenAi(pieces) => pieces.values(),
            Pieces::Anthropic(pieces) => pieces.values(),
            Pieces::Gemini(pieces) => pieces.values(),
        }
    }

    fn whole(self) -> Json {
        match self {
            Pieces::OpenAi(pieces) => pieces.whole(),
            Pieces::Anthropic(pieces) => pieces.whole(),
            Pieces::Gemini(pieces) => pieces.whole(),
        }
    }
}

/// What a piece says, in its protocol.
fn heard(protocol: Protocol, frame: &Json, says: &mut dyn FnMut(Piece<'_>)) {
    match protocol {
        Protocol::OpenAi => openai::heard(frame, says),
        Protocol::Anthropic => anthropic::heard(frame, says),
        Protocol::Gemini => gemini::heard(frame, says),
    }
}

/// Asks, and lets the voice hear the answer as it comes. The body comes back as if it had been
/// sent at once.
pub(super) async fn streamed(
    client: &Client,
    target: &Target,
    asked: Asked,
    voice: &dyn Voice,
    speaker: &Speaker,
) -> Result<Json, Trouble> {
    let protocol = target.provider.protocol;
    let mut frames = frames(client, target, asked).await?;
    let mut pieces = Pieces::of(protocol);
    let mut spoke = false;
    let mut says = |piece: Piece<'_>| match piece {
        Piece::Text("") | Piece::Thought("") => {}
        piece => {
            spoke = true;
            voice.says(speaker, piece);
        }
    };
    let ended = listen(protocol, &mut frames, &mut pieces, &mut says).await;
    let ended = match ended {
        // Whatever it broke off with, an answer that came to its end is one.
        Err(trouble) if trouble.again != Again::No && pieces.is_over() => Ok(()),
        Ok(0) => Err(Trouble::lacks(Lacks::Streams, "it does not send answers as they come")),
        Ok(_) if !pieces.is_over() => Err(Trouble::dropped(None)),
        other => other.map(|_| ()),
    };
    if ended.is_ok() {
        frames.end().await;
    }
    if spoke {
        voice.says(speaker, if ended.is_ok() { Piece::End } else { Piece::Broken });
    }
    ended.map(|()| pieces.whole())
}

/// Takes all pieces up to the one that says that it is the last; how many there were.
async fn listen(
    protocol: Protocol,
    frames: &mut Frames,
    pieces: &mut Pieces,
    says: &mut (dyn FnMut(Piece<'_>) + Send),
) -> Result<usize, Trouble> {
    let (mut count, mut uncounted) = (0, 0);
    while let Some(data) = frames.next().await? {
        if data.trim_ascii() == b"[DONE]" {
            break;
        }
        if data.trim_ascii().is_empty() {
            continue;
        }
        let frame = transport::read(&data)?;
        count += 1;
        heard(protocol, &frame, says);
        pieces.take(&frame);
        uncounted += data.len();
        if uncounted > COUNTED_EVERY {
            uncounted = 0;
            if pieces.values() > VALUES_MAX {
                return Err(Trouble::too_many());
            }
        }
        if frame.get("type").is_some_and(|kind| kind == "message_stop") {
            break;
        }
    }
    Ok(count)
}
