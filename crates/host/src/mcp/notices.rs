//! What servers say without being asked, for the runs that use them while they are driven.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use history::kinds::{
    Common, McpNotification, McpResourceListChanged, McpResourceRead, McpResourceUpdated, Sealed,
};
use value::Text;

/// How many may wait for a run. A server that says more is not listened to until the run has taken
/// these in.
const WAITING_MAX: usize = 256;

/// The longest address that is recorded, in bytes. Nobody has such a long one.
const ADDRESS_MAX: usize = 2_000;

/// Something that a run is told by a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Which server.
    pub server: Text,
    /// What.
    pub what: Noticed,
}

/// What a server says, or what was read there.
#[derive(Clone, Debug, PartialEq)]
pub enum Noticed {
    /// A resource has changed.
    ResourceUpdated(Text),
    /// There are other resources.
    ResourcesChanged,
    /// There are other tools.
    ToolsChanged,
    /// A resource was read, and its content has this hash.
    ResourceRead(Text, Text),
}

impl Notice {
    /// As an event of a run.
    pub fn seal(&self, common: &Common) -> Sealed {
        let server = self.server.clone();
        match &self.what {
            Noticed::ResourceUpdated(uri) => {
                let uri = uri.clone();
                common.seal(&McpResourceUpdated {
                    server,
                    uri,
                    etag: None,
                    hash: None,
                    summary: None,
                })
            }
            Noticed::ResourcesChanged => common.seal(&McpResourceListChanged { server }),
            Noticed::ToolsChanged => {
                let method = Some("notifications/tools/list_changed".into());
                common.seal(&McpNotification { server, method, params: None, session: None })
            }
            Noticed::ResourceRead(uri, hash) => common.seal(&McpResourceRead {
                server,
                uri: uri.clone(),
                content: None,
                hash: Some(hash.clone()),
                session: None,
            }),
        }
    }
}

/// Brings notices from servers to runs.
#[derive(Debug, Default)]
pub struct Notices(Mutex<BTreeMap<Text, Listening>>);

/// A run that uses servers.
#[derive(Debug, Default)]
struct Listening {
    servers: BTreeSet<Text>,
    waiting: VecDeque<Notice>,
}

impl Notices {
    /// A run uses a server from now on.
    pub(super) fn listen(&self, run: &Text, server: &Text) {
        self.lock().entry(run.clone()).or_default().servers.insert(server.clone());
    }

    /// A server says something to all runs that use it.
    pub(super) fn tell_all(&self, server: &Text, what: Noticed) {
        let mut runs = self.lock();
        for listening in runs.values_mut().filter(|run| run.servers.contains(server)) {
            listening.push(Notice { server: server.clone(), what: what.clone() });
        }
    }

    /// Something about a server is for one run.
    pub(super) fn tell(&self, run: &Text, server: &Text, what: Noticed) {
        let mut runs = self.lock();
        runs.entry(run.clone()).or_default().push(Notice { server: server.clone(), what });
    }

    /// Takes what waits for a run.
    pub(crate) fn take(&self, run: &str) -> Vec<Notice> {
        let mut runs = self.lock();
        runs.get_mut(run).map(|run| run.waiting.drain(..).collect()).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Text, Listening>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listening {
    fn push(&mut self, notice: Notice) {
        if let Noticed::ResourceUpdated(uri) | Noticed::ResourceRead(uri, _) = &notice.what
            && uri.len() > ADDRESS_MAX
        {
            return;
        }
        // That something changed need not be said twice before anybody has heard it.
        if self.waiting.len() < WAITING_MAX && !self.waiting.contains(&notice) {
            self.waiting.push_back(notice);
        }
    }
}
