//! What the host costs for each call of a model: turns of a whole run beside a bare client that
//! sends the same bytes to the same server, both in every round. Once with a history that is kept
//! in memory, which is what asking costs, and once in a file, which is what remembering adds.
//! Medians; nothing is asserted.
//!
//! `cargo bench -p quipu-host --bench models`

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use diagnostics::Source;
use frontends::{Format, Ontology};
use history::Timestamp;
use host::config::Config;
use host::models::{Named, Piece, Providers, Speaker, Voice};
use host::pinned::{Pinned, pin};
use host::{Dispatcher, Driver, Limits, People, Python, Registry, Reply, Stopped, Unbound, World};
use loopback::{Act, Model, Said};
use runtime::{Begin, Fault, Options, Plan, Question, Run, ToolContract};
use store::{MemoryStore, SqliteStore, Store};
use value::{Map, Value};

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Turns of a run.
const TURNS: usize = 20;

/// What is measured so often: less often where the server takes its time, and nothing else does.
const ROUNDS: [usize; 2] = [15, 5];

/// The frames of a streamed answer, between which the server takes its time.
const FRAMES: u32 = 7;

const TEXT: &str =
    "An answer of about a hundred letters, which is as much as a gate needs to go on with.";

/// What is measured.
#[derive(Clone, Copy)]
struct Case {
    /// How long the server takes for an answer: nothing, or as long as a fast model.
    takes: Duration,
    /// How long the question is.
    bytes: usize,
    tools: usize,
    is_stream: bool,
}

impl Case {
    fn all() -> Vec<Case> {
        let mut cases = Vec::new();
        for ms in [50, 0] {
            for bytes in [1 << 10, 100 << 10] {
                for is_stream in [false, true] {
                    for tools in [0, 10] {
                        let takes = Duration::from_millis(ms);
                        cases.push(Case { takes, bytes, tools, is_stream });
                    }
                }
            }
        }
        // A server that takes its time makes a benchmark take its own: the ends are enough.
        cases.retain(|case| case.takes.is_zero() || case.is_stream == (case.tools == 10));
        cases
    }

    fn shown(&self) -> String {
        let how = if self.is_stream { "streamed" } else { "at once" };
        format!(
            "{} ms, {} KB, {how}, {} tools",
            self.takes.as_millis(),
            self.bytes >> 10,
            self.tools
        )
    }
}

struct Nobody;

impl People for Nobody {
    fn ask(&self, _: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        None
    }
}

/// Listens, so that answers come as they come.
struct Silent;

impl Voice for Silent {
    fn says(&self, _: &Speaker, _: Piece<'_>) {}
}

fn main() {
    line(["server, question", "bare client", "in a run", "more", "", "kept", "more", ""]);
    let folder = std::env::temp_dir().join(format!("quipu-bench-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for a file");
    for (number, case) in Case::all().into_iter().enumerate() {
        let pause = if case.is_stream { case.takes / FRAMES } else { case.takes };
        let model = Model::start(move |_| {
            let said = Said { text: TEXT.to_owned(), pause, ..Said::default() };
            Act::Say(Box::new(said))
        });
        let client = Bare::new(&model, case.is_stream);
        let world = Asking::new(&model, &case);
        let memory = MemoryStore::default();
        let path = folder.join(format!("{number}.db"));
        let file = SqliteStore::open(&path).expect("a file can be made");
        world.run(&memory, "warm");
        world.run(&file, "warm");
        let body = model.seen()[0].body.clone();
        assert_eq!(body["tools"].as_array().map_or(0, Vec::len), case.tools, "they are offered");
        let body = body.to_string();
        client.turns(&body);
        let (mut bare, mut asked, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..ROUNDS[usize::from(!case.takes.is_zero())] {
            bare.push(client.turns(&body));
            asked.push(world.run(&memory, &format!("r{round}")));
            kept.push(world.run(&file, &format!("r{round}")));
        }
        let (bare, asked, kept) = (median(bare), median(asked), median(kept));
        let more = |whole: Duration| ms(whole.saturating_sub(bare));
        let part = |whole: Duration| {
            let more = whole.saturating_sub(bare);
            format!("{:.1} %", more.as_secs_f64() / bare.as_secs_f64() * 100.0)
        };
        line([
            &case.shown(),
            &ms(bare),
            &ms(asked),
            &more(asked),
            &part(asked),
            &ms(kept),
            &more(kept),
            &part(kept),
        ]);
    }
    let _ = std::fs::remove_dir_all(folder);
}

fn ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

#[expect(clippy::print_stdout, reason = "that is what a benchmark is for")]
fn line([case, bare, asked, more, part, kept, kept_more, kept_part]: [&str; 8]) {
    println!(
        "{case:32} {bare:>11} {asked:>11} {more:>10} {part:>8} {kept:>11} {kept_more:>10} \
         {kept_part:>8}"
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// A client, its connection, and nothing around it.
struct Bare {
    runtime: tokio::runtime::Runtime,
    client: reqwest::Client,
    url: String,
    is_stream: bool,
}

impl Bare {
    fn new(model: &Model, is_stream: bool) -> Bare {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(2).enable_all();
        let client = reqwest::Client::builder().tcp_nodelay(true).build();
        Bare {
            runtime: runtime.build().expect("there is room for threads"),
            client: client.expect("a client needs nothing"),
            url: format!("{}/chat/completions", model.openai()),
            is_stream,
        }
    }

    /// One after the other, each read as JSON; how long one takes.
    fn turns(&self, body: &str) -> Duration {
        let begin = Instant::now();
        for _ in 0..TURNS {
            let request = self.client.post(&self.url).header("content-type", "application/json");
            let request = request.body(body.to_owned());
            let is_stream = self.is_stream;
            let task = self.runtime.spawn(async move {
                let response = request.send().await.expect("it is there");
                let text = response.text().await.expect("it answers");
                let frames: Vec<&str> = match is_stream {
                    true => text.lines().filter_map(|line| line.strip_prefix("data: ")).collect(),
                    false => vec![&text],
                };
                for frame in frames.into_iter().filter(|frame| *frame != "[DONE]") {
                    serde_json::from_str::<serde_json::Value>(frame).expect("it is JSON");
                }
            });
            self.runtime.block_on(task).expect("it does not panic");
        }
        begin.elapsed() / TURNS as u32
    }
}

/// Runs with so many turns.
struct Asking {
    pinned: Pinned,
    registry: Registry,
    dispatcher: Dispatcher,
    options: Options,
}

impl Asking {
    fn new(model: &Model, case: &Case) -> Asking {
        let base = model.openai();
        let variables = move |name: &str| (name == "OPENAI_BASE_URL").then(|| base.clone());
        let config = Config::default();
        let mut providers = Providers::new(&config, Arc::new(variables));
        if case.is_stream {
            providers = providers.with_voice(Arc::new(Silent));
        }
        let named = Named::new(Arc::new(providers), None, Default::default());
        Asking {
            pinned: pinned(case),
            registry: Registry::new(&config, Arc::new(named), Unbound::MakeUp),
            dispatcher: Dispatcher::new(&Limits::default()),
            options: options(case),
        }
    }

    /// A whole run; how long one of its turns takes.
    fn run(&self, store: &dyn Store, run: &str) -> Duration {
        let begin = Begin {
            run: run.into(),
            graph: self.pinned.checksum.clone(),
            document: self.pinned.document.clone(),
            inputs: Map::default(),
            options: self.options.clone(),
            seed: 1,
            versions: host::versions(),
        };
        let world = World {
            store,
            adapter: &self.registry,
            dispatcher: &self.dispatcher,
            people: &Nobody,
            clock: &now,
            stop: &AtomicBool::new(false),
            progress: &|_: &Plan, _: &Run| {},
        };
        let begun = Instant::now();
        let mut logic = Python::default();
        let mut driver = Driver::begin(&world, &mut logic, self.pinned.plan.clone(), begin)
            .expect("a new run can begin");
        let stopped = driver.drive().expect("nothing is in its way");
        let took = begun.elapsed();
        assert_eq!(stopped, Stopped::Over);
        assert_eq!(driver.run().usage().model_calls as usize, TURNS);
        took / TURNS as u32
    }
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let micros = since.expect("it is later than 1970").as_micros();
    Timestamp::from_micros(i64::try_from(micros).expect("it is not that late"))
}

/// As if all tools were bound: those that nobody answers are offered to nobody.
fn options(case: &Case) -> Options {
    let ids = (0..case.tools).map(|number| format!("tool_{number}").into());
    let tools = ids.map(|id| (id, ToolContract::UNKNOWN)).collect();
    Options { tools, ..Options::default() }
}

/// An agent that is asked once in each of a row of steps.
fn pinned(case: &Case) -> Pinned {
    let ids: Vec<String> = (0..TURNS).map(|turn| format!("step_{turn}")).collect();
    let steps: String =
        ids.iter().map(|id| format!("  - {{ id: {id}, type: step, label: S }}\n")).collect();
    let asks: String =
        ids.iter().map(|id| format!("  - {{ type: invoke, from: {id}, to: who }}\n")).collect();
    let flows: String = ids
        .windows(2)
        .map(|two| format!("  - {{ type: flow, from: {}, to: {} }}\n", two[0], two[1]))
        .collect();
    let names: Vec<String> = (0..case.tools).map(|number| format!("tool_{number}")).collect();
    let tools: String = names
        .iter()
        .map(|id| format!("  - {{ id: {id}, type: tool, label: T, tool_type: api }}\n"))
        .collect();
    let (names, prompt) = (names.join(", "), "word ".repeat(case.bytes / 5));
    let spec = format!(
        "name: Row\nversion: \"1.0\"\ndescription: Asks.\nentry_point: step_0\nentities:\n  - {{ id: \
         who, type: agent, label: Who, model: gpt-4o, tools: [{names}], system_prompt: \"{prompt}\" \
         }}\n{tools}processes:\n{steps}edges:\n{asks}{flows}schemas: []\n"
    );
    let source = Source::new("row.yaml", spec);
    let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
    let draft = reading.draft.take().expect("the spec can be read");
    pin(&graph::normalize(draft, &mut Vec::new())).expect("the spec can run")
}
