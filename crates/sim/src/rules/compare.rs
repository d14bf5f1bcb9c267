//! Two opinions about one program.

use std::fmt::{self, Display, Formatter};

use super::{Case, Clips, Opinion, smallest};

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Both ran it, and all is equal.
    Equal,
    /// Both refuse it.
    BothReject,
    /// A rule did something that is an error while it ran: what happens then is each one's own.
    Complained,
    /// There is a number that is none: to CLIPS it is not even equal to itself.
    NoNumber,
    /// CLIPS crashed, twice.
    Crashed,
    /// CLIPS took more than its seconds, twice.
    Slow,
    /// Two processes of CLIPS disagree about it.
    Unsteady,
    /// Ours took more steps than anybody wants to wait for.
    TooLong,
    /// They differ.
    Different,
}

impl Display for Verdict {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        out.write_str(match self {
            Verdict::Equal => "equal",
            Verdict::BothReject => "rejected by both",
            Verdict::Complained => "different after an error that a rule made",
            Verdict::NoNumber => "different after a number became none",
            Verdict::Crashed => "without an answer: CLIPS crashed",
            Verdict::Slow => "without an answer: CLIPS took more than its seconds",
            Verdict::Unsteady => "without an answer: CLIPS answers differently each time",
            Verdict::TooLong => "without an answer: ours took too many steps",
            Verdict::Different => "different",
        })
    }
}

/// Says how two opinions differ, one part a line; nothing if they do not.
pub fn difference(ours: &Opinion, clips: &Opinion) -> Option<String> {
    let (ours, clips) = match (ours, clips) {
        (Opinion::Ran(ours), Opinion::Ran(clips)) => (ours, clips),
        (Opinion::Rejected(_), Opinion::Rejected(_)) => return None,
        (Opinion::Rejected(why), _) => return Some(format!("only we reject it: {why}")),
        (_, Opinion::Rejected(why)) => return Some(format!("only CLIPS rejects it: {why}")),
        (Opinion::Died, _) => return Some("we died".to_owned()),
        (_, Opinion::Died) | (Opinion::TooLong, _) | (_, Opinion::TooLong) => return None,
    };
    let lists = [
        ("agenda_initial", &ours.agenda_initial, &clips.agenda_initial),
        ("fired", &ours.fired, &clips.fired),
        ("facts", &ours.facts, &clips.facts),
    ];
    let mut parts: Vec<String> = lists
        .into_iter()
        .filter(|(_, ours, clips)| ours != clips)
        .map(|(name, ours, clips)| {
            let same = ours.iter().zip(clips).take_while(|(ours, clips)| ours == clips).count();
            let (ours, clips) = (shown(ours, same), shown(clips, same));
            format!("{name}, after {same} that are equal\n  ours:  {ours}\n  CLIPS: {clips}")
        })
        .collect();
    if ours.printed != clips.printed {
        parts.push(format!("printed\n  ours:  {:?}\n  CLIPS: {:?}", ours.printed, clips.printed));
    }
    if parts.is_empty() { None } else { Some(parts.join("\n")) }
}

/// Some of a list, from a position on.
fn shown(list: &[String], from: usize) -> String {
    const SHOWN: usize = 8;
    let end = if list.len() > from + SHOWN { " ..." } else { "" };
    let some: Vec<&str> = list.iter().skip(from).take(SHOWN).map(String::as_str).collect();
    some.join(" ") + end
}

/// Which kind of difference it is: a program that is made small must keep it.
fn sort<'a>(ours: &'a Opinion, clips: &'a Opinion) -> &'a str {
    match (ours, clips) {
        (Opinion::Rejected(why), _) => why.split(' ').next().unwrap_or(why),
        (_, Opinion::Rejected(why)) => why
            .split(['[', ']'])
            .find(|part| part.ends_with(|last: char| last.is_ascii_digit()) && !part.contains(' '))
            .unwrap_or(why),
        (Opinion::Ran(ours), Opinion::Ran(clips)) if ours.fired != clips.fired => "fired",
        (Opinion::Ran(ours), Opinion::Ran(clips)) if ours.facts != clips.facts => "facts",
        (Opinion::Ran(ours), Opinion::Ran(clips)) if ours.printed != clips.printed => "printed",
        (Opinion::Ran(_), Opinion::Ran(_)) => "agenda",
        _ => "died",
    }
}

/// A program that is slow to run is not made small for ever.
const QUESTIONS_MAX: usize = 3_000;

/// Asks both; where they differ, also what the smallest program is that shows it.
pub fn check(
    clips: &mut Clips,
    ours: impl Fn(&Case) -> Opinion,
    case: &Case,
) -> (Verdict, Option<String>) {
    let mine = ours(case);
    let theirs = clips.ask(case);
    let verdict = judge(&mine, &theirs);
    if verdict != Verdict::Different {
        return (verdict, None);
    }
    // A process in which an earlier program left damage may err.
    if clips.ask_anew(case) != theirs || clips.ask_anew(case) != theirs {
        return (Verdict::Unsteady, None);
    }
    let wanted = sort(&mine, &theirs).to_owned();
    let mut asked = 0;
    let small = smallest(case, |case| {
        asked += 1;
        if asked > QUESTIONS_MAX {
            return false;
        }
        let (mine, theirs) = (ours(case), clips.ask(case));
        judge(&mine, &theirs) == Verdict::Different && sort(&mine, &theirs) == wanted
    });
    let (mine, theirs) = (ours(&small), clips.ask_anew(&small));
    match difference(&mine, &theirs) {
        Some(told) => (verdict, Some(format!("{small}{told}"))),
        None => (Verdict::Unsteady, None),
    }
}

fn judge(ours: &Opinion, clips: &Opinion) -> Verdict {
    let (complained, no_number) = match clips {
        Opinion::Ran(answer) => {
            let no_number = answer.facts.iter().any(|fact| fact.contains("nan"));
            (!answer.complaint.is_empty(), no_number)
        }
        _ => (false, false),
    };
    match (ours, clips) {
        // That is never right, whatever CLIPS makes of it.
        (Opinion::Died, _) => Verdict::Different,
        (Opinion::TooLong, _) => Verdict::TooLong,
        (_, Opinion::Died) => Verdict::Crashed,
        (_, Opinion::TooLong) => Verdict::Slow,
        (Opinion::Rejected(_), Opinion::Rejected(_)) => Verdict::BothReject,
        _ if difference(ours, clips).is_none() => Verdict::Equal,
        _ if complained => Verdict::Complained,
        _ if no_number => Verdict::NoNumber,
        _ => Verdict::Different,
    }
}
