//! An answer as it comes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use genai::chat::{ChatFrameSink, ChatStreamEvent, FrameCtx, RawFrameRef};
use serde_json::Value as Json;
use tokio::sync::Notify;
use value::Text;

use super::answer::BYTES_MAX;
use super::ask::{Asked, Mode, service};
use super::retry::{Again, Lacks, Trouble, judged};
use super::{anthropic, gemini, openai};
use crate::models::named::{Protocol, Target};

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

    fn whole(self) -> Json {
        match self {
            Pieces::OpenAi(pieces) => pieces.whole(),
            Pieces::Anthropic(pieces) => pieces.whole(),
            Pieces::Gemini(pieces) => pieces.whole(),
        }
    }
}

/// Takes every frame as the library reads it.
struct Ear {
    heard: Mutex<Heard>,
    is_too_much: Notify,
}

struct Heard {
    pieces: Pieces,
    bytes: usize,
    frames: usize,
}

impl Ear {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The library's own trait: its `Arc` is ours and its.
struct Listening(Arc<Ear>);

impl ChatFrameSink for Listening {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        let mut heard = self.0.lock();
        heard.bytes = heard.bytes.saturating_add(frame.data.len());
        if heard.bytes > BYTES_MAX {
            self.0.is_too_much.notify_one();
        } else if let Some(frame) = frame.json() {
            heard.frames += 1;
            heard.pieces.take(&frame);
        }
    }
}

/// Asks, and lets the voice hear the answer as it comes. The body comes back as if it had been
/// sent at once.
pub(super) async fn streamed(
    client: &genai::Client,
    target: &Target,
    asked: &Asked,
    voice: &dyn Voice,
    speaker: &Speaker,
) -> Result<Json, Trouble> {
    let pieces = Pieces::of(target.provider.protocol);
    let heard = Mutex::new(Heard { pieces, bytes: 0, frames: 0 });
    let ear = Arc::new(Ear { heard, is_too_much: Notify::new() });
    let options = asked.options.clone().with_raw_frame_sink(Listening(Arc::clone(&ear)));
    let begun = client
        .exec_chat_stream(service(target, Mode::Stream), asked.request.clone(), Some(&options))
        .await
        .map_err(|error| judged(target, &error))?;
    let mut stream = begun.stream;
    let mut spoke = false;
    let ended = loop {
        let event = tokio::select! {
            biased;
            () = ear.is_too_much.notified() => break Err(Trouble::too_large()),
            event = stream.next() => event,
        };
        match event {
            Some(Ok(ChatStreamEvent::Chunk(chunk))) => {
                spoke = true;
                voice.says(speaker, Piece::Text(&chunk.content));
            }
            Some(Ok(ChatStreamEvent::ReasoningChunk(chunk))) => {
                spoke = true;
                voice.says(speaker, Piece::Thought(&chunk.content));
            }
            Some(Ok(ChatStreamEvent::End(_))) | None => break Ok(()),
            Some(Ok(_)) => {}
            Some(Err(error)) => break Err(judged(target, &error)),
        }
    };
    drop(stream);
    let mut heard = ear.lock();
    let pieces = std::mem::replace(&mut heard.pieces, Pieces::of(target.provider.protocol));
    let frames = heard.frames;
    drop(heard);
    let ended = match ended {
        // Whatever the library stumbled over, an answer that came to its end is one.
        Err(trouble) if trouble.again != Again::No && pieces.is_over() => Ok(()),
        Ok(()) if frames == 0 => {
            Err(Trouble::lacks(Lacks::Streams, "it does not send answers as they come"))
        }
        Ok(()) if !pieces.is_over() => Err(Trouble::dropped(None)),
        other => other,
    };
    if spoke {
        voice.says(speaker, if ended.is_ok() { Piece::End } else { Piece::Broken });
    }
    ended.map(|()| pieces.whole())
}
