//! What the servers of `quipu.toml` offer, against what was accepted of them.

use std::sync::Arc;

use anyhow::Result;
use host::config::Config;
use host::mcp::pins::{Pins, State};
use host::mcp::{Listing, Offered, Server};
use value::Text;

/// A server that was asked.
pub(crate) struct Asked<'a> {
    pub(crate) server: &'a Arc<Server>,
    /// What it offers, or why nobody knows.
    pub(crate) offers: Result<Arc<Listing>, String>,
}

/// A tool of a server.
pub(crate) struct Found {
    pub(crate) server: Text,
    pub(crate) offered: Offered,
    pub(crate) state: State,
}

/// Asks servers what they offer, all at the same time.
pub(crate) fn ask<'a>(servers: impl Iterator<Item = &'a Arc<Server>>) -> Vec<Asked<'a>> {
    std::thread::scope(|scope| {
        let asking: Vec<_> =
            servers.map(|server| (server, scope.spawn(|| server.offers()))).collect();
        let answered = asking.into_iter().map(|(server, asking)| {
            let broken = |_| Err("asking it broke down; this is a bug".to_owned());
            Asked { server, offers: asking.join().unwrap_or_else(broken) }
        });
        answered.collect()
    })
}

impl Asked<'_> {
    /// Its tools in order, also those that it had when they were accepted.
    pub(crate) fn found(&self, pins: &Pins) -> Vec<Found> {
        let Ok(offers) = &self.offers else { return Vec::new() };
        let server = self.server.name();
        let there = offers.values().map(|offered| (offered, pins.state(server, offered)));
        let gone = pins.of(server).filter(|pinned| !offers.contains_key(pinned.name()));
        let gone = gone.map(|pinned| (pinned, State::Gone));
        let mut found: Vec<Found> = there
            .chain(gone)
            .map(|(offered, state)| Found {
                server: server.clone(),
                offered: offered.clone(),
                state,
            })
            .collect();
        found.sort_by(|one, other| one.offered.name().cmp(other.offered.name()));
        found
    }
}

impl Found {
    /// What it is called where servers are several.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.server, self.offered.name())
    }
}

/// What was accepted so far.
pub(crate) fn pins(config: &Config) -> Result<Arc<Pins>> {
    match config.servers.values().next() {
        Some(server) => Ok(server.lock().pins()?),
        None => Ok(Arc::default()),
    }
}
