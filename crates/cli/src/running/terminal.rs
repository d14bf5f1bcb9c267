//! Asks on the terminal, one question after the other. The lines are read on a thread of their
//! own, which nobody waits for: the run goes on meanwhile, and may end.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use host::{People, Reply, Who, Withdrawn};
use runtime::{Fault, Question};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};
use value::{Text, Value};

use super::view::View;
use super::{shown, written};
use crate::output;

/// How often the reader looks whether anything is still asked.
const LOOK: Duration = Duration::from_millis(50);

/// So much of a line is read at once.
const PIECE: usize = 4096;

/// Asks on the terminal, where there is one.
pub(super) struct Terminal {
    prompts: Arc<Mutex<Prompts>>,
    /// Whoever sits there.
    who: Who,
}

/// The questions that wait for a line, the first of which is shown.
struct Prompts {
    open: VecDeque<(Question, Reply)>,
    /// What was read of a line that has no end yet.
    typed: Vec<u8>,
    /// Whether a thread reads. It ends when nothing is asked.
    is_read: bool,
    /// What must not be drawn over a prompt.
    view: View,
}

impl Terminal {
    /// Questions put this view aside.
    pub(super) fn new(view: View, who: Who) -> Terminal {
        let (open, typed) = (VecDeque::new(), Vec::new());
        let prompts = Arc::new(Mutex::new(Prompts { open, typed, is_read: false, view }));
        Terminal { prompts, who }
    }
}

impl People for Terminal {
    fn ask(&self, question: &Question, reply: Reply) -> Option<Result<Value, Fault>> {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        if let Some(why) = self.who.refused(question.capability.as_ref()) {
            output::note(&format!("note: `{}` is left open: {why}", question.prompt));
            return None;
        }
        let mut prompts = lock(&self.prompts);
        prompts.open.push_back((question.clone(), reply));
        if prompts.open.len() == 1 {
            prompts.show();
        }
        if !std::mem::replace(&mut prompts.is_read, true) {
            let prompts = self.prompts.clone();
            std::thread::spawn(move || while read(&prompts) {});
        }
        None
    }

    fn name(&self) -> Option<Text> {
        self.who.name.clone()
    }

    fn withdraw(&self, question: &Question, why: Withdrawn) {
        let mut prompts = lock(&self.prompts);
        let at = prompts.open.iter().position(|(open, _)| open.id == question.id);
        if let Withdrawn::Stopped = why {
            prompts.open.clear();
            return;
        }
        // What is shown, and what was answered too late.
        if at.is_none_or(|at| at == 0) {
            let prompt = &question.prompt;
            output::note(&match why {
                Withdrawn::Answered(answer) => {
                    format!("note: `{prompt}` was answered elsewhere: {}", shown(&answer))
                }
                Withdrawn::Expired => format!("note: `{prompt}` has expired"),
                _ => format!("note: `{prompt}` needs no answer any more"),
            });
        }
        match at {
            Some(0) => {
                // A line that was begun for this question is none for the next one.
                prompts.typed.clear();
                let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
                prompts.next();
            }
            Some(at) => drop(prompts.open.remove(at)),
            None => {}
        }
    }
}

impl Prompts {
    /// Shows the first question.
    fn show(&self) {
        let Some((question, _)) = self.open.front() else { return };
        self.view.put_aside();
        output::note(&format!("? {}", question.prompt));
        let options: Vec<String> = question.options.iter().map(shown).collect();
        if !options.is_empty() {
            output::note(&format!("  one of: {}", options.join(", ")));
        }
        output::prompt("> ");
    }

    /// Goes on to the next question. Whoever needs the reply to this one has it.
    fn next(&mut self) -> Option<Reply> {
        let (_, reply) = self.open.pop_front()?;
        match self.open.is_empty() {
            true => self.view.take_up(),
            false => self.show(),
        }
        Some(reply)
    }

    /// Takes a piece of a line; an empty one is the end of input.
    fn take(&mut self, piece: &[u8]) {
        self.typed.extend(piece);
        let end = self.typed.iter().position(|byte| *byte == b'\n');
        match end {
            Some(end) => {
                let line: Vec<u8> = self.typed.drain(..=end).collect();
                self.answer(&line);
            }
            None if !piece.is_empty() => {}
            None if self.typed.is_empty() => drop(self.next()),
            None => {
                let line = std::mem::take(&mut self.typed);
                self.answer(&line);
            }
        }
    }

    /// Answers the first question with a line, or asks again.
    fn answer(&mut self, line: &[u8]) {
        let Some((question, _)) = self.open.front() else { return };
        if line.ends_with(b"\n") {
            output::entered();
        }
        let value = match std::str::from_utf8(line) {
            Ok(line) => Ok(written(line.trim())),
            Err(_) => Err("the answer is no text".to_owned()),
        };
        match value.and_then(|value| question.refuses(&value).map_or(Ok(value), Err)) {
            Ok(value) => {
                if let Some(reply) = self.next() {
                    reply.give(value);
                }
            }
            Err(why) => {
                output::note(&why);
                self.show();
            }
        }
    }
}

/// Waits a while for a piece of a line. Says whether there is more to wait for.
fn read(prompts: &Mutex<Prompts>) -> bool {
    let is_typed = waits(LOOK);
    let mut prompts = lock(prompts);
    if prompts.open.is_empty() {
        prompts.is_read = false;
        return false;
    }
    // Asked again: it may have been thrown away meanwhile, and reading would wait for more.
    if is_typed && waits(Duration::ZERO) {
        let mut piece = [0; PIECE];
        match rustix::io::read(std::io::stdin(), &mut piece) {
            Ok(length) => prompts.take(&piece[..length]),
            Err(Errno::INTR) => {}
            // The terminal is gone, and with it whoever typed.
            Err(_) => {
                prompts.typed.clear();
                prompts.take(&[]);
            }
        }
    }
    true
}

/// Whether reading gives something, now or soon.
fn waits(time: Duration) -> bool {
    let stdin = std::io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    poll(&mut watched, Some(&time)).is_ok_and(|ready| ready > 0)
}

fn lock(prompts: &Mutex<Prompts>) -> MutexGuard<'_, Prompts> {
    prompts.lock().unwrap_or_else(PoisonError::into_inner)
}
