//! A server that `quipu.toml` names. Its session begins with the first call, is shared by all that
//! use it, and begins anew when it has ended.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, ProtocolVersion, RequestMetaObject};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use rmcp::transport::Transport;
use runtime::FaultKind;
use tokio::process::Command;
use tokio::time::timeout;
use value::Text;

use super::client::Client;
use super::limits::Limits;
use super::notices::Notices;
use super::pins::{LockFile, State};
use super::secrets::Known;
use super::session::{Listing, Session, why, why_ended};
use super::stdio::Program;
use super::threads::Threads;
use super::trouble::{Standing, Trouble, refuses_handshake};
use super::watched::{Changes, Watched};
use super::{http, offered::Offered};
use crate::secrets::{Revealed, Secretive, Sources};
use crate::tools::output::Tail;
use crate::tools::{process, visible};

/// How long anything may take where nobody says.
const TIME_MAX: Duration = Duration::from_secs(30);

/// How long ending may take.
const CLOSING_MAX: Duration = Duration::from_millis(1_500);

/// How a server is reached.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// A program that is started.
    Program {
        program: PathBuf,
        arguments: Vec<String>,
        folder: PathBuf,
        /// Variables that it may see besides the basic ones.
        env: Vec<String>,
    },
    /// An address.
    Address { url: String, headers: Vec<(HeaderName, Secretive)> },
}

/// What all servers of a configuration share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) lock: Arc<LockFile>,
    pub(crate) notices: Arc<Notices>,
    pub(crate) threads: Arc<Threads>,
}

/// A server.
pub struct Server {
    name: Text,
    reach: Reach,
    /// The secrets that it is given, as variables or in headers.
    given: Sources,
    timeout: Option<Duration>,
    roots: Vec<PathBuf>,
    shared: Shared,
    live: tokio::sync::Mutex<Option<Arc<Session>>>,
    secrets: Arc<Known>,
}

impl Server {
    pub(crate) fn new(
        name: Text,
        reach: Reach,
        given: Sources,
        timeout: Option<Duration>,
        roots: Vec<PathBuf>,
        shared: Shared,
    ) -> Server {
        let (live, secrets) = (tokio::sync::Mutex::default(), Arc::default());
        Server { name, reach, given, timeout, roots, shared, live, secrets }
    }

    /// Its name in `quipu.toml`.
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// What was accepted of its tools, and of those of the others.
    pub fn lock(&self) -> &Arc<LockFile> {
        &self.shared.lock
    }

    pub(super) fn notices(&self) -> &Notices {
        &self.shared.notices
    }

    /// What it must not say again.
    pub(super) fn secrets(&self) -> &Known {
        &self.secrets
    }

    /// How long anything may take.
    pub(super) fn time_max(&self) -> Duration {
        self.timeout.unwrap_or(TIME_MAX)
    }

    /// Where it is, or why it cannot be used. Nothing is started for that.
    pub fn look(&self) -> Result<String, String> {
        self.given.reveal()?;
        match &self.reach {
            Reach::Program { program, .. } => match process::is_there(program) {
                true => Ok(program.display().to_string()),
                false => Err(format!("there is no program `{}`", program.display())),
            },
            Reach::Address { url, .. } => Ok(url.clone()),
        }
    }

    /// Whether it is given something by which it can act as somebody.
    pub(super) fn has_credentials(&self) -> bool {
        let is_set = matches!(&self.reach, Reach::Program { env, .. } if process::any_is_set(env));
        is_set || self.given.are_there()
    }

    /// What it offers now. Begins a session if there is none, and waits for it: not for threads on
    /// which others wait.
    pub fn offers(self: &Arc<Self>) -> Result<Arc<Listing>, String> {
        let server = Arc::clone(self);
        let listing = self.shared.threads.spawn(async move { server.listing().await });
        let listing = listing.map_err(|error| error.to_string())?;
        let waiting = tokio::runtime::Builder::new_current_thread().build();
        let listing = waiting.map_err(|error| error.to_string())?.block_on(listing);
        let listing = listing.unwrap_or_else(|| Err(self.broke_down()));
        listing.map_err(|trouble| self.secrets.hide(&trouble.message))
    }

    async fn listing(&self) -> Result<Arc<Listing>, Trouble> {
        let session = self.session().await?;
        let listing = session.listing().await;
        if let Err(trouble) = &listing {
            self.settle(&session, trouble).await;
        }
        listing
    }

    /// Does something with a session, on the thread where sessions live.
    pub(super) async fn with<T, W>(
        self: &Arc<Self>,
        work: impl Fn(Arc<Server>, Arc<Session>) -> W + Send + 'static,
    ) -> Result<T, Trouble>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, Trouble>> + Send,
    {
        let server = Arc::clone(self);
        let doing = self.shared.threads.spawn(async move {
            let mut is_again = false;
            loop {
                let session = server.session().await?;
                let done = work(Arc::clone(&server), Arc::clone(&session)).await;
                let Err(trouble) = done else { return done };
                server.settle(&session, &trouble).await;
                // A server that was started again knows nothing of the session, and has done
                // nothing. What it offers now is looked at before the call leaves.
                match trouble.session {
                    Standing::Expired if !is_again => is_again = true,
                    _ => return Err(trouble),
                }
            }
        });
        let doing = doing.map_err(|error| {
            Trouble::before(FaultKind::Tool, format!("no thread can be started: {error}"))
        })?;
        doing.await.unwrap_or_else(|| Err(self.broke_down()))
    }

    fn broke_down(&self) -> Trouble {
        let message = format!("what talks to `{}` broke down; this is a bug in it", self.name);
        let trouble = Trouble::no_session(FaultKind::Tool, message);
        Trouble { left: super::trouble::Left::Lost, ..trouble }
    }

    /// The session that there is, or a new one.
    async fn session(&self) -> Result<Arc<Session>, Trouble> {
        let mut live = self.live.lock().await;
        if let Some(session) = live.as_ref().filter(|session| !session.is_over()) {
            let is_used = Arc::strong_count(session) > 1;
            if is_used || session.still_answers().await {
                return Ok(Arc::clone(session));
            }
        }
        *live = None;
        let session = Arc::new(self.begin().await?);
        Ok(Arc::clone(live.insert(session)))
    }

    /// Nobody uses a session again that has ended.
    async fn settle(&self, session: &Arc<Session>, trouble: &Trouble) {
        if trouble.session == Standing::Goes {
            return;
        }
        let mut live = self.live.lock().await;
        live.take_if(|known| Arc::ptr_eq(known, session));
    }

    /// Begins a session: with a handshake, and without one where the server does not shake hands.
    async fn begin(&self) -> Result<Session, Trouble> {
        match self.connect(ClientLifecycleMode::Initialize).await? {
            Begun::Session(session) => Ok(*session),
            Begun::Refused(trouble) => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let again = ClientLifecycleMode::Discover { preferred_versions };
                match self.connect(again).await {
                    Ok(Begun::Session(session)) => Ok(*session),
                    // What it said first is what most servers would be asked about.
                    _ => Err(trouble),
                }
            }
        }
    }

    async fn connect(&self, lifecycle: ClientLifecycleMode) -> Result<Begun, Trouble> {
        let limits = Arc::new(Limits::default());
        let unusable = |why: String| {
            let message = format!("no session with `{}`: {why}", self.name);
            Trouble::no_session(FaultKind::Tool, message)
        };
        let given = self.given.reveal().map_err(unusable)?;
        self.secrets.learn(&given);
        match &self.reach {
            Reach::Program { program, arguments, folder, env } => {
                self.secrets.learn_variables(env);
                let mut command = Command::new(program);
                command.args(arguments).current_dir(folder).env_clear().envs(visible(env));
                command.envs(given.all().map(|(name, secret)| (&**name, secret)));
                let started = Program::start(command, Arc::clone(&limits));
                let (transport, complaint) = started.map_err(|error| {
                    let (name, program) = (&self.name, program.display());
                    let message = format!("`{name}` cannot be started: `{program}`: {error}");
                    Trouble::no_session(FaultKind::Tool, message)
                })?;
                self.greet(transport, limits, Some(complaint), lifecycle).await
            }
            Reach::Address { url, headers } => {
                let headers = with_secrets(headers, &given).map_err(unusable)?;
                let transport = http::transport(url, headers, Arc::clone(&limits));
                let transport = transport.map_err(|error| unusable(error.to_string()))?;
                self.greet(transport, limits, None, lifecycle).await
            }
        }
    }

    async fn greet<T: Transport<RoleClient> + 'static>(
        &self,
        inner: T,
        limits: Arc<Limits>,
        complaint: Option<Arc<Tail>>,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Begun, Trouble> {
        let changes = Arc::new(Changes::default());
        let transport =
            Watched { inner, limits: Arc::clone(&limits), changes: Arc::clone(&changes) };
        let client = Client {
            server: self.name.clone(),
            roots: self.roots.clone(),
            notices: Arc::clone(&self.shared.notices),
        };
        let (server, time_max) = (self.name.clone(), self.time_max());
        let greeting = client.serve_with_lifecycle(transport, lifecycle);
        let running = match timeout(time_max, greeting).await {
            Ok(Ok(running)) => running,
            Ok(Err(error)) => {
                let trouble = Trouble::of_beginning(&server, &error);
                if refuses_handshake(&error) {
                    return Ok(Begun::Refused(trouble));
                }
                return Err(trouble.because(why_ended(&limits, complaint.as_deref()).await));
            }
            Err(_) => {
                let message = format!("`{server}` did not begin a session within {time_max:?}");
                let trouble = Trouble::no_session(FaultKind::Timeout, message);
                return Err(trouble.because(why(&limits, complaint.as_deref())));
            }
        };
        let session = Session {
            server,
            running,
            limits,
            changes,
            complaint,
            listed: tokio::sync::Mutex::default(),
            time_max,
            is_doubtful: false.into(),
            secrets: Arc::clone(&self.secrets),
            subscribed: std::sync::Mutex::default(),
        };
        session.listen_to_lists();
        Ok(Begun::Session(Box::new(session)))
    }
}

/// What came of the attempt to begin a session.
enum Begun {
    Session(Box<Session>),
    /// The server does not want to begin like this.
    Refused(Trouble),
}

/// Headers with their secrets.
fn with_secrets(
    headers: &[(HeaderName, Secretive)],
    given: &Revealed,
) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let headers = headers.iter().map(|(name, value)| {
        let mut value = HeaderValue::from_str(&value.reveal(given))
            .map_err(|_| format!("what `{name}` holds is no header"))?;
        value.set_sensitive(true);
        Ok((name.clone(), value))
    });
    headers.collect()
}

/// What a call takes along.
#[derive(Clone, Debug)]
pub(super) struct Meta {
    pub(super) key: Text,
}

impl Meta {
    /// As the protocol has it. The library adds the token by which progress is told.
    pub(super) fn object(&self) -> RequestMetaObject {
        let mut meta = RequestMetaObject::default();
        meta.0.insert("quipu/idempotency-key".to_owned(), (*self.key).into());
        meta
    }

    pub(super) fn params(
        &self,
        tool: &str,
        arguments: serde_json::Map<String, serde_json::Value>,
    ) -> CallToolRequestParams {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        params.meta = Some(self.object());
        params
    }
}

/// Lets a call of a tool leave only if it is as it was accepted.
pub(super) async fn check(server: &Server, session: &Session, tool: &str) -> Result<(), Trouble> {
    let (name, denied) = (&server.name, |message| Trouble::before(FaultKind::Denied, message));
    let listing = session.listing().await?;
    let Some(offered) = listing.get(tool) else {
        let near = diagnostics::nearest(tool, listing.keys().map(|known| &**known));
        let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        let message = format!("the server `{name}` has no tool `{tool}`{near}");
        return Err(Trouble::before(FaultKind::Missing, message));
    };
    let pins = server.shared.lock.pins().map_err(|error| denied(error.to_string()))?;
    match pins.state(name, offered) {
        State::Fine => Ok(()),
        state => Err(denied(blocked(name, offered, &state))),
    }
}

/// Why a tool is not called, and what to do about it.
fn blocked(server: &str, offered: &Offered, state: &State) -> String {
    let tool = offered.name();
    let how = format!("look at it, then `quipu tools accept {server}.{tool}`");
    match state {
        State::Changed(places) => format!(
            "the tool `{tool}` of `{server}` is not what was accepted any more; {how}\n  {}",
            places.join("\n  ")
        ),
        _ => format!("the tool `{tool}` of `{server}` was never accepted; {how}"),
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.name).field("reach", &self.reach).finish()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(session) = self.live.get_mut().take().and_then(Arc::into_inner) {
            self.shared.threads.finish(session.close(), CLOSING_MAX);
        }
    }
}
