//! `quipu history`

use anyhow::{Context, Result, bail};
use diagnostics::plain;
use history::Place;
use history::kinds::ROWS;
use history::query::{self, At, Found, Item, Order, Page, Search, Subject};
use store::Store;
use value::{Text, Value};

use super::log::time;
use crate::Outcome;
use crate::args::history::{History, HistoryQuery};
use crate::find;
use crate::opened::{Access, open};
use crate::output;

pub(crate) fn run(arguments: &History) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let answer = ask(&*store, arguments)?;
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("query", output::word(arguments.query).into()),
            ("items", Value::list(answer.values)),
            ("truncated", answer.truncated.into()),
        ]))?;
    } else if answer.lines.is_empty() {
        output::note("nothing found");
    } else {
        output::print(&answer.lines.join("\n"))?;
    }
    if answer.truncated {
        output::note("there are more; the list was cut");
    }
    Ok(Outcome::Fine)
}

/// What was found, for programs and for people.
struct Answer {
    values: Vec<Value>,
    lines: Vec<String>,
    truncated: bool,
}

impl<T: Item> From<Found<T>> for Answer {
    fn from(found: Found<T>) -> Answer {
        Answer {
            values: found.items.iter().map(T::value).collect(),
            lines: found.items.iter().map(|item| plain(&item.line()).into_owned()).collect(),
            truncated: found.truncated,
        }
    }
}

fn ask(store: &dyn Store, arguments: &History) -> Result<Answer> {
    if arguments.query != HistoryQuery::Search {
        refuse_search_options(arguments)?;
    }
    let at = at(store, &arguments.at)?;
    let limit = arguments.limit;
    let id = || arguments.id.as_deref().context("say what it is about, for example a run");
    Ok(match arguments.query {
        HistoryQuery::Run => {
            let page = Page { order: Order::Oldest, from: None, limit };
            query::run(store, &run_id(store, id()?)?, &at, &page)?.into()
        }
        HistoryQuery::Lineage => query::lineage(store, id()?, &at, limit)?.into(),
        HistoryQuery::Calls => query::calls(store, &run_id(store, id()?)?, &at, limit)?.into(),
        HistoryQuery::Resources => {
            query::resources(store, &subject(store, id()?)?, &at, limit)?.into()
        }
        HistoryQuery::Policies => {
            query::policies(store, &subject(store, id()?)?, &at, limit)?.into()
        }
        HistoryQuery::Ancestry => {
            query::ancestry(store, &subject(store, id()?)?, &at, limit)?.into()
        }
        HistoryQuery::Search => query::search(store, &search(store, arguments)?, &at)?.into(),
    })
}

/// What only a search takes would otherwise be ignored without a word.
fn refuse_search_options(arguments: &History) -> Result<()> {
    let given = [
        ("--kind", !arguments.kind.is_empty()),
        ("--tool", arguments.tool.is_some()),
        ("--status", arguments.status.is_some()),
        ("--text", arguments.text.is_some()),
        ("--since", arguments.since.is_some()),
        ("--until", arguments.until.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => bail!("`{name}` is for `quipu history search`"),
        None => Ok(()),
    }
}

/// As of when: an event, a time, or both.
fn at(store: &dyn Store, words: &[String]) -> Result<At> {
    let mut at = At::default();
    for word in words {
        let is_again = if Place::parse(word).is_some() {
            at.place.replace(find::place(store, word)?).is_some()
        } else {
            at.time.replace(time(word)?).is_some()
        };
        if is_again {
            bail!("`--at` takes one event and one time at most");
        }
    }
    Ok(at)
}

fn run_id(store: &dyn Store, words: &str) -> Result<Text> {
    let stream = find::run(store, words)?;
    match stream.run_id() {
        Some(run) => Ok(run.clone()),
        None => bail!("`{stream}` is no run"),
    }
}

/// Whom or what a user means. A run may be written by the beginning of its id.
fn subject(store: &dyn Store, words: &str) -> Result<Subject> {
    match Subject::find(store, words)? {
        Some(found) => Ok(found),
        None => match find::run(store, words) {
            Ok(history::Stream::Run(run)) => Ok(Subject::Run(run)),
            _ => bail!("there is no run, agent, resource or policy `{words}`"),
        },
    }
}

fn search(store: &dyn Store, arguments: &History) -> Result<Search> {
    let text = |text: &Option<String>| text.as_deref().map(Into::into);
    for kind in &arguments.kind {
        // Kinds of others can be looked for too, but a misspelt one would find nothing.
        if let Some(near) = diagnostics::nearest(kind, ROWS.iter().map(|row| row.name))
            && near != kind
        {
            output::note(&format!("there is no kind `{kind}`; did you mean `{near}`?"));
        }
    }
    Ok(Search {
        run: arguments.id.as_deref().map(|run| run_id(store, run)).transpose()?,
        kinds: arguments.kind.iter().map(|kind| kind.as_str().into()).collect(),
        tool: text(&arguments.tool),
        status: text(&arguments.status),
        since: arguments.since.as_deref().map(time).transpose()?,
        until: arguments.until.as_deref().map(time).transpose()?,
        text: text(&arguments.text),
        limit: arguments.limit,
        ..Search::default()
    })
}
