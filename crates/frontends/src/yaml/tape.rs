//! The nodes of a text in the order in which they are written, each once, with its place in bytes.
//!
//! An alias is a reference here, so a tape is never larger than its text. The parser's places are
//! those of its tokens: some begin behind what an author would point at (a block text at its
//! first line, a list at its first item), some end behind the comment that follows. What is
//! written between the end of the last node and the next one settles where it begins.

use std::cell::Cell;
use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, Source, Span, codes};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use value::Text;
use value::json::DEPTH_MAX;

use super::places::Places;
use super::scalar::{self, Problem};
use super::{NODES_MAX, Node, Stop, TEXT_MAX, mistakes, too_deep, too_large, written};

/// All nodes of a text.
pub(super) struct Tape {
    /// The root is the first.
    pub(super) entries: Vec<Entry>,
    /// What is wrong with some of them, by their position.
    pub(super) problems: BTreeMap<usize, Problem>,
}

/// One node. What is in a list or map follows it; in a map keys and values take turns.
pub(super) struct Entry {
    pub(super) span: Span,
    pub(super) what: What,
    /// The position behind everything in it; 0 while it is open.
    pub(super) next: usize,
    /// How many nodes are right inside of it.
    pub(super) count: usize,
}

pub(super) enum What {
    /// Neither list nor map.
    Scalar(Node),
    List,
    Map,
    /// The position of the node it stands for.
    Alias(usize),
}

/// A list or map that is not closed yet.
struct Open {
    entry: usize,
    is_map: bool,
    /// How many nodes it has so far.
    count: usize,
}

/// Specs repeat few keys very often; each is kept once.
struct Names(Vec<Option<Text>>);

const NAMES: usize = 256;

impl Names {
    fn share(&mut self, name: &str) -> Text {
        // The slot decides only whether a name is shared, so a look at its ends is enough.
        let at = |index: usize| name.as_bytes().get(index).copied().map_or(0, usize::from);
        let last = name.len().saturating_sub(1);
        let hash = at(0) + 7 * at(last) + 31 * at(last / 2) + 127 * name.len();
        let slot = &mut self.0[hash % NAMES];
        match slot {
            Some(known) if **known == *name => known.clone(),
            _ => slot.insert(name.into()).clone(),
        }
    }
}

struct Reader<'a> {
    source: &'a Source,
    places: Places<'a>,
    tape: Tape,
    open: Vec<Open>,
    anchors: BTreeMap<usize, usize>,
    /// Where the last node, or the part of it that has been read, ends.
    cursor: usize,
    /// A gap that was passed, by its ends: nodes that are not written leave the cursor before it.
    gap: Cell<(usize, usize)>,
    tag_bytes: usize,
    names: Names,
}

impl Tape {
    /// Reads a text up to the first thing that makes it unreadable.
    pub(super) fn read(source: &Source) -> Result<Tape, Stop> {
        let mut reader = Reader {
            source,
            places: Places::of(&source.text),
            tape: Tape { entries: Vec::new(), problems: BTreeMap::new() },
            open: Vec::new(),
            anchors: BTreeMap::new(),
            cursor: 0,
            gap: Cell::new((usize::MAX, 0)),
            tag_bytes: 0,
            names: Names(vec![None; NAMES]),
        };
        let mut documents = 0;
        for event in Parser::new_from_str(&source.text) {
            match event {
                Ok((Event::DocumentStart(_), span)) => {
                    documents += 1;
                    let (start, end) = reader.bytes(&span);
                    if documents > 1 {
                        return Err(second_document(start, end));
                    }
                    reader.cursor = if source.text[start..].starts_with("---") { end } else { 0 };
                }
                Ok((event, span)) => reader.take(event, &span)?,
                Err(error) => {
                    let at = reader.places.byte(error.marker());
                    return Err(mistakes::explain(source, error.info(), at, reader.bracket()));
                }
            }
        }
        let only_null = |entry: &Entry| {
            entry.span.start == entry.span.end && matches!(entry.what, What::Scalar(Node::Null))
        };
        if reader.tape.entries.first().is_none_or(only_null) {
            return Err(mistakes::empty(source));
        }
        Ok(reader.tape)
    }
}

fn second_document(start: usize, end: usize) -> Stop {
    let at = Anchor::Span(Span::new(start, end));
    let message = "a second document begins here, but a file holds one spec";
    let found = Diagnostic::new(&codes::BEYOND_JSON, at, message);
    Box::new(found.help("put each spec into a file of its own, or remove the `---`"))
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, span: &saphyr_parser::Span) -> Result<(), Stop> {
        let (start, end) = self.bytes(span);
        match event {
            Event::Alias(id) => self.alias(id, start, end),
            Event::Scalar(text, style, anchor, tag) => {
                let properties = usize::from(anchor > 0) + usize::from(tag.is_some());
                let own = self.scalar_span(&text, style, start, end, properties);
                self.charge(tag.as_deref(), own)?;
                // A key is the text that is written, unless an alias may ask what it is.
                let (node, problem) = if self.is_key() && anchor == 0 && tag.is_none() {
                    (Node::Text(self.names.share(&text)), None)
                } else {
                    typed(&text, style, tag.as_deref())
                };
                self.cursor = own.range().end;
                self.push(own, What::Scalar(node), anchor, problem)
            }
            Event::SequenceStart(anchor, tag) => {
                let problem = tag.as_deref().and_then(|tag| scalar::collection(tag, "seq"));
                let properties = usize::from(anchor > 0) + usize::from(tag.is_some());
                let own = self.list_start(start, properties);
                self.charge(tag.as_deref(), Span::new(own, own))?;
                self.begin(own, What::List, anchor, problem)
            }
            Event::MappingStart(anchor, tag) => {
                let problem = tag.as_deref().and_then(|tag| scalar::collection(tag, "map"));
                let properties = usize::from(anchor > 0) + usize::from(tag.is_some());
                let own = written::behind_properties(&self.source.text, start, properties);
                self.charge(tag.as_deref(), Span::new(own, own))?;
                self.begin(own, What::Map, anchor, problem)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.end(start, end);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn alias(&mut self, id: usize, start: usize, end: usize) -> Result<(), Stop> {
        let span = Span::new(start, end);
        self.cursor = end;
        let target = self.anchors.get(&id).copied().unwrap_or_default();
        let Some(anchored) = self.tape.entries.get(target) else { return Ok(()) };
        if anchored.next == 0 {
            return Err(mistakes::recursive(self.source, span, anchored.span));
        }
        self.push(span, What::Alias(target), 0, None)
    }

    fn push(
        &mut self,
        span: Span,
        what: What,
        anchor: usize,
        problem: Option<Problem>,
    ) -> Result<(), Stop> {
        let entry = self.tape.entries.len();
        if entry == NODES_MAX {
            let message = format!("the text has more than {NODES_MAX} keys and values");
            return Err(too_large(span, message));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, entry);
        }
        if let Some(problem) = problem {
            self.tape.problems.insert(entry, problem);
        }
        if let Some(parent) = self.open.last_mut() {
            parent.count += 1;
        }
        let next = if matches!(what, What::List | What::Map) { 0 } else { entry + 1 };
        self.tape.entries.push(Entry { span, what, next, count: 0 });
        Ok(())
    }

    fn begin(
        &mut self,
        start: usize,
        what: What,
        anchor: usize,
        problem: Option<Problem>,
    ) -> Result<(), Stop> {
        let first = self.source.text[start..].chars().next();
        let width = first.map_or(0, char::len_utf8);
        if self.open.len() == DEPTH_MAX {
            return Err(too_deep(Span::new(start, start + width)));
        }
        let entry = self.tape.entries.len();
        let is_map = matches!(what, What::Map);
        self.cursor = if matches!(first, Some('[' | '{')) { start + width } else { start };
        self.push(Span::new(start, start + width), what, anchor, problem)?;
        self.open.push(Open { entry, is_map, count: 0 });
        Ok(())
    }

    fn end(&mut self, start: usize, end: usize) {
        // Only a bracket has a width of its own; everything else ends where its last part does.
        if end > start && self.source.text[start..].starts_with([']', '}']) {
            self.cursor = start + 1;
        }
        let next = self.tape.entries.len();
        let Some(open) = self.open.pop() else { return };
        let entry = &mut self.tape.entries[open.entry];
        entry.span = Span::new(entry.span.range().start, self.cursor);
        entry.next = next;
        entry.count = open.count;
    }

    /// A tag is spelled out each time, however long its prefix is.
    fn charge(&mut self, tag: Option<&Tag>, span: Span) -> Result<(), Stop> {
        self.tag_bytes += tag.map_or(0, |tag| tag.handle.len() + tag.suffix.len());
        if self.tag_bytes > TEXT_MAX {
            return Err(too_large(span, "the tags are too long".to_owned()));
        }
        Ok(())
    }

    fn is_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_map && open.count.is_multiple_of(2))
    }

    fn is_in_map(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_map)
    }

    /// The innermost bracket that is open.
    fn bracket(&self) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        let starts = self.open.iter().map(|open| self.tape.entries[open.entry].span.range().start);
        starts.rev().find(|start| matches!(bytes.get(*start), Some(b'[' | b'{')))
    }

    fn bytes(&self, span: &saphyr_parser::Span) -> (usize, usize) {
        let start = self.places.byte(&span.start);
        (start, self.places.byte(&span.end).max(start))
    }

    fn scalar_span(
        &self,
        text: &str,
        style: ScalarStyle,
        start: usize,
        end: usize,
        properties: usize,
    ) -> Span {
        if style == ScalarStyle::Plain && text.is_empty() {
            return if properties > 0 { Span::new(start, end) } else { self.nothing() };
        }
        let own = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let header = self.forward(b":-?");
                let is_there = self.source.text[header..].starts_with(['|', '>']);
                if is_there { header } else { start }
            }
            _ => written::behind_properties(&self.source.text, start, properties),
        };
        let written = &self.source.text[own..end.max(own)];
        let length = match style {
            ScalarStyle::SingleQuoted => written::quoted(written, b'\''),
            ScalarStyle::DoubleQuoted => written::quoted(written, b'"'),
            ScalarStyle::Plain => written.len(),
            // What follows the last line belongs to nobody.
            _ => written.trim_end_matches([' ', '\t', '\r', '\n']).len(),
        };
        Span::new(own, own + length)
    }

    /// The next byte that is neither a gap, nor an anchor or tag, nor one of these signs.
    fn forward(&self, passing: &[u8]) -> usize {
        let (from, mut to) = self.gap.get();
        if from != self.cursor {
            to = written::gap(&self.source.text, self.cursor);
            self.gap.set((self.cursor, to));
        }
        written::forward(&self.source.text, to, passing)
    }

    /// The place of a null that is not written: behind its `:` or `-`.
    fn nothing(&self) -> Span {
        let sign = self.forward(b"");
        let expected = if self.is_in_map() { ':' } else { '-' };
        let is_there = !self.is_key() && self.source.text[sign..].starts_with(expected);
        let at = if is_there { sign + 1 } else { self.cursor };
        Span::new(at, at)
    }

    /// Where a list begins: at its bracket, or at its first `-`.
    fn list_start(&self, start: usize, properties: usize) -> usize {
        if self.is_in_map() {
            // The parser's place is that of the first item where the list is not indented.
            let dash = self.forward(b":?");
            if self.source.text[dash..].starts_with('-') {
                return dash;
            }
        }
        written::behind_properties(&self.source.text, start, properties)
    }
}

fn typed(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> (Node, Option<Problem>) {
    let (untagged, problem) = match style {
        ScalarStyle::Plain => scalar::plain(text),
        _ => (Node::Text(text.into()), None),
    };
    match tag {
        None => (untagged, problem),
        Some(tag) => scalar::tagged(text, tag, untagged),
    }
}
