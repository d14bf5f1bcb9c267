//! What the host costs for each call of a model: turns of a whole run beside a bare client that
//! sends the same to the same server, both in every round. Medians; nothing is asserted.
//!
//! `cargo bench -p quipu-host --bench models`

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use diagnostics::Source;
use frontends::{Format, Ontology};
use history::Timestamp;
use host::config::Config;
use host::models::{Named, Providers};
use host::pinned::{Pinned, pin};
use host::{Dispatcher, Driver, Limits, People, Python, Registry, Reply, Stopped, Unbound, World};
use loopback::{Act, Model, Said};
use runtime::{Begin, Fault, Options, Plan, Question, Run};
use store::MemoryStore;
use value::{Map, Value};

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Turns of a run.
const TURNS: usize = 20;

/// What is measured so often.
const ROUNDS: usize = 15;

/// A model that answers at once, and one that takes as long as a fast one does.
const PAUSES: [Duration; 2] = [Duration::ZERO, Duration::from_millis(50)];

const TEXT: &str =
    "An answer of about a hundred letters, which is as much as a gate needs to go on with.";

struct Nobody;

impl People for Nobody {
    fn ask(&self, _: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        None
    }
}

fn main() {
    println_line("model turn", "bare client", "in a run", "more", "more, of the whole");
    for pause in PAUSES {
        let model = Model::start(move |_| {
            let said = Said { text: TEXT.to_owned(), pause, ..Said::default() };
            Act::Say(Box::new(said))
        });
        let (mut bare, mut whole) = (Vec::new(), Vec::new());
        let client = Bare::new(&model);
        let world = Asking::new(&model);
        world.run("warm");
        let body = model.seen()[0].body.to_string();
        client.turns(&body);
        for round in 0..ROUNDS {
            bare.push(client.turns(&body));
            whole.push(world.run(&format!("r{round}")));
        }
        let (bare, whole) = (median(bare), median(whole));
        let more = whole.saturating_sub(bare);
        let part = more.as_secs_f64() / bare.as_secs_f64() * 100.0;
        println_line(
            &format!("server takes {} ms", pause.as_millis()),
            &format!("{:.3} ms", bare.as_secs_f64() * 1e3),
            &format!("{:.3} ms", whole.as_secs_f64() * 1e3),
            &format!("{:.3} ms", more.as_secs_f64() * 1e3),
            &format!("{part:.1} %"),
        );
    }
}

#[expect(clippy::print_stdout, reason = "that is what a benchmark is for")]
fn println_line(what: &str, bare: &str, whole: &str, more: &str, part: &str) {
    println!("{what:22} {bare:>12} {whole:>12} {more:>12} {part:>20}");
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
}

impl Bare {
    fn new(model: &Model) -> Bare {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(2).enable_all();
        let client = reqwest::Client::builder().tcp_nodelay(true).build();
        Bare {
            runtime: runtime.build().expect("there is room for threads"),
            client: client.expect("a client needs nothing"),
            url: format!("{}/chat/completions", model.openai()),
        }
    }

    /// One after the other, each read as JSON; how long one takes.
    fn turns(&self, body: &str) -> Duration {
        let begin = Instant::now();
        for _ in 0..TURNS {
            let request = self.client.post(&self.url).header("content-type", "application/json");
            let request = request.body(body.to_owned());
            let task = self.runtime.spawn(async move {
                let response = request.send().await.expect("it is there");
                response.json::<serde_json::Value>().await.expect("it answers")
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
}

impl Asking {
    fn new(model: &Model) -> Asking {
        let base = model.openai();
        let variables = move |name: &str| (name == "OPENAI_BASE_URL").then(|| base.clone());
        let config = Config::default();
        let providers = Arc::new(Providers::new(&config, Arc::new(variables)));
        let named = Named::new(providers, None, Default::default());
        Asking {
            pinned: pinned(),
            registry: Registry::new(&config, Arc::new(named), Unbound::Fail),
            dispatcher: Dispatcher::new(&Limits::default()),
        }
    }

    /// A whole run; how long one of its turns takes.
    fn run(&self, run: &str) -> Duration {
        let store = MemoryStore::default();
        let begin = Begin {
            run: run.into(),
            graph: self.pinned.checksum.clone(),
            document: self.pinned.document.clone(),
            inputs: Map::default(),
            options: Options::default(),
            seed: 1,
            versions: host::versions(),
        };
        let world = World {
            store: &store,
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

/// An agent that is asked once in each of a row of steps.
fn pinned() -> Pinned {
    let ids: Vec<String> = (0..TURNS).map(|turn| format!("step_{turn}")).collect();
    let steps: String =
        ids.iter().map(|id| format!("  - {{ id: {id}, type: step, label: S }}\n")).collect();
    let asks: String =
        ids.iter().map(|id| format!("  - {{ type: invoke, from: {id}, to: who }}\n")).collect();
    let flows: String = ids
        .windows(2)
        .map(|two| format!("  - {{ type: flow, from: {}, to: {} }}\n", two[0], two[1]))
        .collect();
    let spec = format!(
        "name: Row\nversion: \"1.0\"\ndescription: Asks.\nentry_point: step_0\nentities:\n  - {{ id: \
         who, type: agent, label: Who, model: gpt-4o, system_prompt: Say }}\nprocesses:\n{steps}\
         edges:\n{asks}{flows}schemas: []\n"
    );
    let source = Source::new("row.yaml", spec);
    let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
    let draft = reading.draft.take().expect("the spec can be read");
    pin(&graph::normalize(draft, &mut Vec::new())).expect("the spec can run")
}
