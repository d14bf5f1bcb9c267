//! `quipu spans`

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use history::spans::{
    Attribute, CONVENTIONS, Content, Note, Span, SpanId, SpanStatus, Trace, names, spans,
};
use history::{duration_words, spans::SpanKind};
use host::otlp::{self, Collector};
use runtime::Money;
use value::{Value, json};

use crate::args::history::{Spans, SpansFormat};
use crate::opened::{Access, open};
use crate::{Outcome, find, output};

/// Whoever sends spans by hand can wait.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(arguments: &Spans) -> Result<Outcome> {
    let collector = collector(arguments)?;
    let store = open(&arguments.store, Access::Read)?;
    let until = find::place(&*store, &arguments.run)?;
    let content = if arguments.content { Content::Told } else { Content::Left };
    let trace = spans(&*store, &until, content, u64::MAX)?;
    if let Some(collector) = collector {
        return sent(arguments, &trace, &collector);
    }
    match arguments.format {
        _ if arguments.json => output::print_json(&document(&trace))?,
        SpansFormat::Json => output::print_json(&document(&trace))?,
        SpansFormat::Otlp => output::print_json(&otlp::document(&trace))?,
        SpansFormat::Tree => output::print(&tree(&trace))?,
    }
    Ok(Outcome::Fine)
}

/// Where they are sent, if they are.
fn collector(arguments: &Spans) -> Result<Option<Collector>> {
    let collector = match (&arguments.to, arguments.export) {
        (None, false) => return Ok(None),
        (Some(address), _) => Collector::new(address)?,
        (None, true) => Collector::from_environment()?.context(
            "`--export` needs `OTEL_EXPORTER_OTLP_ENDPOINT`; or say where with `--to URL`",
        )?,
    };
    if arguments.format == SpansFormat::Otlp {
        bail!("`--format otlp` prints what would be sent: leave it out to send it");
    }
    Ok(Some(collector.with_headers(None)?))
}

fn sent(arguments: &Spans, trace: &Trace, collector: &Collector) -> Result<Outcome> {
    let sent = otlp::send(collector, trace, PATIENCE)?;
    if arguments.is_json() {
        output::print_json(&Value::map([
            ("ok", (sent.rejected == 0).into()),
            ("run", Value::Text(trace.run.clone())),
            ("trace", Value::text(trace.id.to_string())),
            ("to", Value::text(collector.to_string())),
            ("spans", Value::count(sent.spans)),
            ("rejected", Value::count(sent.rejected)),
            ("said", sent.said.clone().into()),
        ]))?;
    } else {
        let spans = output::plural(sent.spans as u64, "span");
        output::print(&format!("sent {spans} of {} to {collector}", trace.run))?;
        output::print(&format!("trace {}", trace.id))?;
    }
    if sent.rejected > 0 {
        let rejected = output::plural(sent.rejected as u64, "span");
        let said = sent.said.map_or_else(String::new, |said| format!(": {said}"));
        output::note(&format!("the collector did not take {rejected}{said}"));
        return Ok(Outcome::Found);
    }
    if let Some(said) = sent.said {
        output::note(&format!("the collector says: {said}"));
    }
    Ok(Outcome::Fine)
}

/// All spans, for programs.
fn document(trace: &Trace) -> Value {
    let spans = trace.spans.iter().map(|span| {
        let links = span.links.iter().map(|link| {
            Value::map([
                ("trace", Value::text(link.trace.to_string())),
                ("span", Value::text(link.span.to_string())),
                ("attributes", attributes(&link.attributes)),
            ])
        });
        let error = match &span.status {
            SpanStatus::Unset => Value::Null,
            SpanStatus::Error(message) => Value::map([
                ("type", span.attribute(names::ERROR_TYPE).cloned().unwrap_or_default()),
                ("message", message.clone().into()),
            ]),
        };
        let kind = match span.kind {
            SpanKind::Internal => "internal",
            SpanKind::Client => "client",
        };
        Value::map([
            ("id", Value::text(span.id.to_string())),
            ("parent", span.parent.map(|parent| parent.to_string()).into()),
            ("name", Value::text(&*span.name)),
            ("kind", kind.into()),
            ("start", Value::text(span.start.to_string())),
            ("end", Value::text(span.end.to_string())),
            ("open", span.open.into()),
            ("error", error),
            ("attributes", attributes(&span.attributes)),
            ("events", Value::list(span.notes.iter().map(note))),
            ("links", Value::list(links)),
        ])
    });
    Value::map([
        ("run", Value::Text(trace.run.clone())),
        ("trace", Value::text(trace.id.to_string())),
        ("conventions", CONVENTIONS.into()),
        ("spans", Value::list(spans)),
    ])
}

fn note(note: &Note) -> Value {
    Value::map([
        ("name", note.name.into()),
        ("at", Value::text(note.at.to_string())),
        ("attributes", attributes(&note.attributes)),
    ])
}

fn attributes(attributes: &[Attribute]) -> Value {
    Value::map(attributes.iter().map(|(name, value)| (*name, value.clone())))
}

/// All spans, for people: what is part of what, how long it took, and what it took.
fn tree(trace: &Trace) -> String {
    let mut parts: BTreeMap<Option<SpanId>, Vec<&Span>> = BTreeMap::new();
    for span in &trace.spans {
        parts.entry(span.parent).or_default().push(span);
    }
    let mut rows: Vec<[String; 3]> = Vec::new();
    // No walk recurses: what is still to be shown waits here, the next one last.
    let mut waiting: Vec<(&Span, String, String)> = Vec::new();
    let roots = parts.get(&None).into_iter().flatten().rev();
    waiting.extend(roots.map(|root| (*root, String::new(), String::new())));
    while let Some((span, lead, below)) = waiting.pop() {
        let took = duration_words(span.end.micros() - span.start.micros());
        let said = match span.parent {
            None => whole(trace, span),
            Some(_) => told(span),
        };
        rows.push([format!("{lead}{}", span.name), took, said.join(", ")]);
        let inner = parts.get(&Some(span.id)).map_or(&[][..], Vec::as_slice);
        let last = inner.len().saturating_sub(1);
        let shown = inner.iter().enumerate().rev().map(|(at, span)| match at == last {
            true => (*span, format!("{below}└─ "), format!("{below}   ")),
            false => (*span, format!("{below}├─ "), format!("{below}│  ")),
        });
        waiting.extend(shown);
    }
    format!("trace {}\n{}", trace.id, output::table(&rows))
}

/// What is worth saying of the whole run.
fn whole(trace: &Trace, root: &Span) -> Vec<String> {
    let number = |span: &Span, name| match span.attribute(name) {
        Some(Value::Int(number)) => u64::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    let tokens = trace.spans.iter().fold(0u64, |sum, span| {
        let input = number(span, names::USAGE_INPUT_TOKENS);
        sum.saturating_add(input).saturating_add(number(span, names::USAGE_OUTPUT_TOKENS))
    });
    let costs = trace.spans.iter().filter_map(|span| span.attribute(names::COST)?.as_text());
    let cost = costs.filter_map(|cost| Money::parse(cost)).fold(Money::ZERO, Money::plus);
    let mut said = vec![format!("run {}", trace.run)];
    if tokens > 0 {
        said.push(output::plural(tokens, "token"));
    }
    if cost > Money::ZERO {
        said.push(format!("cost {cost}"));
    }
    said.extend(root.attribute(names::FORK_RUN).map(|run| {
        let seq = root.attribute(names::FORK_SEQ).map(json::compact).unwrap_or_default();
        format!("fork of {}@{seq}", words(run))
    }));
    said.extend(ending(root));
    said
}

/// What is worth saying of anything else.
fn told(span: &Span) -> Vec<String> {
    let own = |name: &str| span.attribute(name).map(words);
    let mut said = Vec::new();
    let is_part = span.attribute(names::OPERATION_NAME) == Some(&"chat".into());
    // What asks a model is at the node of its turn.
    said.extend(own(names::AT).filter(|at| !is_part && !span.name.ends_with(at.as_str())));
    if let (Some(input), Some(output)) =
        (own(names::USAGE_INPUT_TOKENS), own(names::USAGE_OUTPUT_TOKENS))
    {
        said.push(format!("{input} + {output} tokens"));
    }
    said.extend(own(names::COST).map(|cost| format!("cost {cost}")));
    said.extend(own(names::RESPONSE_FINISH_REASONS).filter(|reason| reason != "error"));
    let attempt = own(names::ATTEMPT).filter(|attempt| attempt != "1");
    said.extend(attempt.map(|attempt| format!("attempt {attempt}")));
    said.extend(own(names::APPROVAL_OUTCOME));
    said.extend(own(names::EXPIRED).map(|_| "expired".to_owned()));
    said.extend(own(names::INHERITED).map(|_| "asked before the fork".to_owned()));
    said.extend(ending(span));
    said
}

/// What happened meanwhile, and how it ended.
fn ending(span: &Span) -> Vec<String> {
    let mut said = Vec::new();
    for note in span.notes.iter().filter(|note| note.name != "attempt") {
        let word = [names::APPROVAL_OUTCOME, names::REASON].iter().find_map(|wanted| {
            note.attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| words(value))
        });
        said.push([note.name.to_owned()].into_iter().chain(word).collect::<Vec<_>>().join(" "));
    }
    if let SpanStatus::Error(message) = &span.status {
        let kind = span.attribute(names::ERROR_TYPE).map(words).unwrap_or_default();
        let message = message.as_ref().map_or_else(String::new, |message| format!(": {message}"));
        said.push(format!("error {kind}{message}"));
    }
    if span.open {
        said.push("open".to_owned());
    }
    said
}

/// A value as people read it.
fn words(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::List(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        other => json::compact(other),
    }
}
