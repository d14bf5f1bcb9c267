//! The lines that declare something, and where in the document it is kept.
//!
//! A place is a path of members. `*` is a member named by the next word, `^` one named by the last
//! `U`, and `+` at the end adds an item to a list. The words that are left fill the shape.

use Shape::{Each, Fields, Members, One, Typed, Words};
use Takes::{Again, Arrow, Empty, Joined, May, Null, Or, Pairs, Rest, Word};

/// An op that declares.
pub(crate) struct Declares {
    pub(crate) word: &'static str,
    /// A shorter word for the same, if there is one.
    pub(crate) alias: &'static str,
    /// Which lines with this word it is about.
    pub(super) when: When,
    /// How many words must follow it.
    pub(crate) least: usize,
    pub(super) puts: &'static [Put],
}

/// What tells the lines of one word apart.
pub(super) enum When {
    Always,
    /// Its word of this number is a path.
    Path(usize),
    /// Its first word is this, which then says no more.
    Is(&'static str),
}

/// One thing that a line declares.
pub(super) struct Put {
    pub(super) place: &'static str,
    pub(super) shape: Shape,
}

/// What words become.
pub(super) enum Shape {
    /// One value.
    One(Takes),
    /// The words as a list.
    Words,
    /// An object.
    Members(&'static [(&'static str, Takes)]),
    /// A name and its type.
    Typed,
    /// The fields of a type.
    Fields,
    /// Items of a list that are one of these, each once.
    Each(&'static [&'static str]),
}

/// Which words a member takes.
pub(super) enum Takes {
    Word,
    /// A word, or this.
    Or(&'static str),
    /// A word, or null.
    Null,
    /// A word, or the member is not there.
    May,
    /// The name behind `->`.
    Arrow,
    /// All words that are left.
    Rest,
    /// All words that are left, as one text.
    Joined,
    /// All words that are left, each `name=value`, as an object.
    Pairs,
    /// The words of the pairs once more, as a list.
    Again,
    /// None: an empty object.
    Empty,
}

const fn row(word: &'static str, least: usize, puts: &'static [Put]) -> Declares {
    Declares { word, alias: "", when: When::Always, least, puts }
}

const fn when(when: When, row: Declares) -> Declares {
    Declares { when, ..row }
}

/// A row of a module, which has a shorter name.
const fn module(
    alias: &'static str,
    word: &'static str,
    least: usize,
    puts: &'static [Put],
) -> Declares {
    Declares { word, alias, when: When::Always, least, puts }
}

const fn put(place: &'static str, shape: Shape) -> Put {
    Put { place, shape }
}

/// The modules that nothing reads.
pub(super) const UNREAD_MODULES: &[&str] = &["arch", "test"];

/// The targets of `S hybrid`.
pub(super) const HYBRID: &[&str] = &["langgraph", "temporal"];

/// The place of the thing that `T` is about.
pub(super) const UI: &str = "services.fe.ui.*";

/// An endpoint: the one line whose shape is no row's business.
pub(super) const ENDPOINT: &str = "E";

const POLICY: Shape = Members(&[("constraints", Pairs), ("raw", Again)]);
const CACHE: Shape = Members(&[("key", Word), ("ttl", Word), ("default", Null)]);
const QUEUE: Shape = Members(&[("maxSize", Or("100")), ("retry", Or("3"))]);
const TXN: Shape = Members(&[("adapter", Or("db")), ("mode", Or("readwrite"))]);

/// Every line that declares. Of one word, the first row that fits counts.
#[rustfmt::skip]
pub(super) static DECLARES: &[Declares] = &[
    when(When::Is("hybrid"), row("S", 2, &[put("services.hybrid.emit", Each(HYBRID))])),
    row("S", 2, &[put("services.*",
        Members(&[("mode", Word), ("path", Or("")), ("eps", Empty), ("ui", Empty)]))]),
    row("D", 1, &[put("types.*", Fields)]),
    row(ENDPOINT, 3, &[]),
    row("Rel", 4, &[put("types.*.relations+",
        Members(&[("kind", Word), ("target", Word), ("fk", Word)]))]),
    row("Idx", 2, &[put("types.*.indexes+", Words)]),
    row("Cr", 2, &[put("crons+", Members(&[("label", Word), ("expr", Joined)]))]),
    row("A", 2, &[
        put("services.auth", Members(&[("kind", Word), ("arg", Word), ("extra", May)])),
        put("capabilities.auth", Members(&[("kind", Word), ("arg", Word), ("extra", Or(""))])),
    ]),
    row("Pol", 1, &[put("services.policy.defs.*", POLICY), put("capabilities.policy.*", POLICY)]),
    row("C", 3, &[put("services.cache.defs.*", CACHE), put("capabilities.cache.*", CACHE)]),
    row("Q", 1, &[put("services.queue.defs.*", QUEUE), put("capabilities.queue.*", QUEUE)]),
    row("Txn", 1, &[put("services.txn.defs.*", TXN), put("capabilities.txn.*", TXN)]),
    row("Sc", 2, &[put("services.scrape.defs.*",
        Members(&[("url", Word), ("selectors", Pairs)]))]),
    row("P", 3, &[put("services.pay.defs.*",
        Members(&[("amount", Word), ("currency", Word), ("desc", Or(""))]))]),
    row("U", 1, &[put(UI, Words)]),
    row("T", 1, &[put("services.fe.states.^+", Typed)]),
    row("Rt", 2, &[put("services.fe.routes+", Members(&[("path", Word), ("ui", Word)]))]),
    row("Lay", 2, &[put("services.fe.layouts.*", Members(&[("slots", Rest)]))]),
    row("Fm", 2, &[put("services.fe.forms.*", Members(&[("type", Word), ("fields", Rest)]))]),
    row("Tbl", 2, &[put("services.fe.tables.*", Members(&[("type", Word), ("columns", Rest)]))]),
    row("Ev", 3, &[put("services.fe.events+",
        Members(&[("component", Word), ("event", Word), ("target", Word)]))]),
    row("Bind", 3, &[put("services.fe.bindings.*+",
        Members(&[("path", Word), ("method", Or("G")), ("var", Arrow)]))]),
    row("Inc", 1, &[put("services._includes+", One(Word))]),
    row("Svc", 1, &[put("services._boundaries.*", One(Or("")))]),
    row("Contract", 3, &[put("services._contracts+",
        Members(&[("path", Word), ("method", Word), ("response_type", Word)]))]),
    row("Role", 1, &[put("roles+", One(Word))]),
    when(When::Path(1), row("Allow", 2, &[put("allow+",
        Members(&[("role", Word), ("path", Word), ("method", Or("G"))]))])),
    row("Allow", 2, &[put("allow+", Members(&[("role", Word), ("ui", Word)]))]),
    row("Aud", 2, &[put("audit.*", Members(&[("retention_days", Word)]))]),
    row("Adm", 1, &[put("admin", Members(&[("ui", Word), ("types", Rest)]))]),
    row("Ver", 1, &[put("ver", One(Word))]),
    row("Compat", 1, &[put("compat", One(Joined))]),
    row("Tst", 1, &[put("tests+", Members(&[("label", Word)]))]),
    row("Mock", 3, &[put("tests+",
        Members(&[("mock", Word), ("target", Word), ("value", Joined)]))]),
    when(When::Path(0), row("Desc", 2, &[put("desc.endpoints.*", One(Joined))])),
    row("Desc", 2, &[put("desc.types.*", One(Joined))]),
    row("API", 1, &[put("api", Members(&[("style", Word), ("version_prefix", May)]))]),
    row("Dep", 2, &[put("api.deprecate+", Members(&[("path", Word), ("since", Word)]))]),
    row("SLA", 3, &[put("api.sla.*", Members(&[("latency_ms", Word), ("uptime", Word)]))]),
    row("Run", 2, &[put("runbooks.*", Words)]),
    module("Env", "ops.Env", 1, &[put("config.env.*", One(Or("")))]),
    module("Sec", "ops.Sec", 1, &[put("config.secrets.*", One(Or("")))]),
    module("M", "ops.M", 1, &[put("observability.metrics.*", One(Or("counter")))]),
    module("Tr", "ops.Tr", 1, &[put("observability.trace", One(Word))]),
    module("Deploy", "ops.Deploy", 1, &[put("deploy.strategy", One(Word))]),
    module("EnvT", "ops.EnvT", 1, &[put("deploy.env_target", One(Word))]),
    module("Flag", "ops.Flag", 1, &[put("deploy.flags.*", One(Or("off")))]),
    when(When::Is("tenant"), module("Lim", "ops.Lim", 2, &[put("limits.per_tenant", One(Word))])),
    module("Lim", "ops.Lim", 2, &[put("limits.per_path.*", One(Word))]),
    module("Tok", "fe.Tok", 2, &[put("services.fe.tokens.*", One(Joined))]),
    module("Brk", "fe.Brk", 2, &[put("services.fe.breakpoints.*", One(Word))]),
    module("Sp", "fe.Sp", 2, &[put("services.fe.spacing.*", One(Word))]),
    module("Comp", "fe.Comp", 1, &[put("services.fe.components.*", Words)]),
    module("Copy", "fe.Copy", 2, &[put("services.fe.copy.*", One(Joined))]),
    module("Theme", "fe.Theme", 1, &[put("services.fe.themes.*", Words)]),
    module("i18n", "fe.i18n", 3, &[put("services.fe.i18n.*.*", One(Joined))]),
    module("A11y", "fe.A11y", 1, &[put("services.fe.a11y.*", Words)]),
    module("Off", "fe.Off", 1, &[put("services.fe.offline.*", Words)]),
    module("Help", "fe.Help", 2, &[put("services.fe.help.*", One(Joined))]),
    module("Wiz", "fe.Wiz", 2, &[put("services.fe.wizards.*", Words)]),
    module("FRetry", "fe.FetchRetry", 1, &[put("services.fe.retry",
        Members(&[("count", Word), ("backoff_ms", Or("0"))]))]),
    module("RagSrc", "rag.Src", 2, &[put("rag.sources.*",
        Members(&[("kind", Word), ("path", Or(""))]))]),
    module("RagChunk", "rag.Chunk", 2, &[put("rag.chunking.*",
        Members(&[("source", Word), ("strategy", May), ("size", May), ("overlap", May)]))]),
    module("RagEmbed", "rag.Embed", 2, &[put("rag.embeddings.*", Words)]),
    module("RagStore", "rag.Store", 2, &[put("rag.stores.*", Words)]),
    module("RagIdx", "rag.Idx", 2, &[put("rag.indexes.*", Words)]),
    module("RagRet", "rag.Ret", 2, &[put("rag.retrievers.*", Words)]),
    module("RagAug", "rag.Aug", 2, &[put("rag.augment.*", Words)]),
    module("RagGen", "rag.Gen", 2, &[put("rag.generate.*", Words)]),
    module("RagPipe", "rag.Pipe", 2, &[put("rag.pipelines.*", Words)]),
];

/// How a line of this op is written.
pub(super) fn usage(row: &Declares) -> String {
    if row.word == ENDPOINT {
        return "E /path G ->L1 [->out] [type] [description]".to_string();
    }
    let mut words = vec![row.word.to_string()];
    if let When::Is(word) = row.when {
        words.push(word.to_string());
    }
    let Some(put) = row.puts.first() else { return words.concat() };
    let names = put.place.trim_end_matches('+').split('.');
    words.extend(names.filter(|part| *part == "*").map(|_| "name".to_string()));
    match &put.shape {
        One(takes) => words.extend(asked("value", takes)),
        Words => words.push("words...".to_string()),
        Typed => words.push("name:type".to_string()),
        Fields => words.push("field:type...".to_string()),
        Each(allowed) => words.push(allowed.join("|")),
        Members(members) => {
            words.extend(members.iter().filter_map(|(name, takes)| asked(name, takes)));
        }
    }
    words.join(" ")
}

fn asked(name: &str, takes: &Takes) -> Option<String> {
    match takes {
        Word => Some(name.to_string()),
        Or(_) | Null | May => Some(format!("[{name}]")),
        Arrow => Some(format!("->{name}")),
        Rest | Joined => Some(format!("{name}...")),
        Pairs => Some("name=value...".to_string()),
        Empty | Again => None,
    }
}
