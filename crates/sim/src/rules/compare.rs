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
    /// CLIPS crashed or did not end, or two processes of it disagree.
    NoOpinion,
    /// They differ.
    Different,
}

impl Display for Verdict {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        out.write_str(match self {
            Verdict::Equal => "equal",
            Verdict::BothReject => "rejected by both",
            Verdict::Complained => "different after an error that a rule made",
            Verdict::NoOpinion => "without an answer of CLIPS, which crashed or did not end",
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
        (_, Opinion::Died) => return None,
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
            let gap = if name == "facts" { "\n    " } else { " " };
            format!("{name}\n  ours:  {}\n  CLIPS: {}", ours.join(gap), clips.join(gap))
        })
        .collect();
    if ours.printed != clips.printed {
        parts.push(format!("printed\n  ours:  {:?}\n  CLIPS: {:?}", ours.printed, clips.printed));
    }
    if parts.is_empty() { None } else { Some(parts.join("\n")) }
}

/// Which kind of difference it is: a program that is made small must keep it.
fn sort(ours: &Opinion, clips: &Opinion) -> &'static str {
    match (ours, clips) {
        (Opinion::Rejected(_), _) => "we reject",
        (_, Opinion::Rejected(_)) => "CLIPS rejects",
        (Opinion::Ran(ours), Opinion::Ran(clips)) if ours.fired != clips.fired => "fired",
        (Opinion::Ran(ours), Opinion::Ran(clips)) if ours.facts != clips.facts => "facts",
        (Opinion::Ran(ours), Opinion::Ran(clips))
            if ours.agenda_initial != clips.agenda_initial =>
        {
            "agenda"
        }
        _ => "other",
    }
}

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
        return (Verdict::NoOpinion, None);
    }
    let wanted = sort(&mine, &theirs);
    let small = smallest(case, |case| {
        let (mine, theirs) = (ours(case), clips.ask(case));
        judge(&mine, &theirs) == Verdict::Different && sort(&mine, &theirs) == wanted
    });
    let (mine, theirs) = (ours(&small), clips.ask_anew(&small));
    let told = difference(&mine, &theirs).unwrap_or_else(|| "(not when asked again)".to_owned());
    (verdict, Some(format!("{small}{told}")))
}

fn judge(ours: &Opinion, clips: &Opinion) -> Verdict {
    let complained = match clips {
        Opinion::Ran(answer) => !answer.complaint.is_empty(),
        Opinion::Rejected(_) | Opinion::Died => false,
    };
    match (ours, clips) {
        (_, Opinion::Died) => Verdict::NoOpinion,
        (Opinion::Rejected(_), Opinion::Rejected(_)) => Verdict::BothReject,
        _ if difference(ours, clips).is_none() => Verdict::Equal,
        _ if complained => Verdict::Complained,
        _ => Verdict::Different,
    }
}
