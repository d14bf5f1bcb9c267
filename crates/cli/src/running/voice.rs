//! What models say, on the terminal, while they say it.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

use host::models::{Piece, Speaker, Voice};

use super::view::View;
use crate::args::running::WorldChoice;
use crate::output;

/// Who hears models speak: a terminal, unless somebody wants something else.
pub(super) fn voice(choice: &WorldChoice, view: &View) -> Option<Arc<dyn Voice>> {
    let is_wanted = choice.stream || (!choice.no_stream && std::io::stderr().is_terminal());
    let spoken =
        Spoken { view: view.clone(), is_asked_for: choice.stream, stage: Mutex::default() };
    is_wanted.then(|| Arc::new(spoken) as Arc<dyn Voice>)
}

struct Spoken {
    view: View,
    /// Also where no progress is shown.
    is_asked_for: bool,
    stage: Mutex<Stage>,
}

/// One speaks, the others wait until it is over: two texts at once are none.
#[derive(Default)]
struct Stage {
    speaking: Option<Speaker>,
    waiting: VecDeque<(Speaker, String)>,
    /// Those who were done before anybody heard them.
    done: Vec<Speaker>,
}

impl Voice for Spoken {
    fn says(&self, speaker: &Speaker, piece: Piece<'_>) {
        if !self.is_asked_for && !self.view.is_shown() {
            return;
        }
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if stage.speaking.is_none() {
            self.begin(&mut stage, speaker, "");
        }
        let is_speaking = stage.speaking.as_ref() == Some(speaker);
        match piece {
            Piece::Text(text) | Piece::Thought(text) if is_speaking => output::piece(text),
            Piece::Text(text) | Piece::Thought(text) => stage.keep(speaker, text),
            Piece::Broken if is_speaking => output::piece("\n(it broke off, and begins again)\n"),
            Piece::Broken => stage.waiting.retain(|(other, _)| other != speaker),
            Piece::End if is_speaking => self.next(&mut stage),
            Piece::End => stage.done.push(speaker.clone()),
        }
    }
}

impl Stage {
    fn keep(&mut self, speaker: &Speaker, text: &str) {
        match self.waiting.iter_mut().find(|(other, _)| other == speaker) {
            Some((_, kept)) => kept.push_str(text),
            None => self.waiting.push_back((speaker.clone(), text.to_owned())),
        }
    }
}

impl Spoken {
    fn begin(&self, stage: &mut Stage, speaker: &Speaker, text: &str) {
        self.view.put_aside();
        output::piece(&format!("{}: {text}", speaker.agent));
        stage.speaking = Some(speaker.clone());
    }

    /// Ends a speech, and lets those speak who waited.
    fn next(&self, stage: &mut Stage) {
        loop {
            output::piece("\n");
            stage.speaking = None;
            let Some((speaker, text)) = stage.waiting.pop_front() else { break };
            self.begin(stage, &speaker, &text);
            let Some(done) = stage.done.iter().position(|other| *other == speaker) else { return };
            stage.done.remove(done);
        }
        self.view.take_up();
    }
}
