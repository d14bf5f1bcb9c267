//! From names to addresses, each of them judged before anybody connects to it.
//!
//! A connection is made to an address that was judged, and not to a name that was: so a server of
//! names that answers differently the second time changes nothing.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name};

use super::allowed::Allowed;
use super::guard::{Refused, Target};

/// Addresses that will come.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Knows the addresses of names.
pub trait Resolve: Send + Sync + fmt::Debug {
    /// All addresses of a name.
    fn resolve(&self, host: &str) -> Resolving;
}

/// Asks the system, as every other program does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SystemResolve;

impl Resolve for SystemResolve {
    fn resolve(&self, host: &str) -> Resolving {
        let host = host.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Resolves one name, and gives out only addresses that may be spoken to.
pub(super) struct Judging {
    pub(super) resolve: Arc<dyn Resolve>,
    pub(super) allowed: Arc<Allowed>,
    pub(super) target: Target,
}

impl reqwest::dns::Resolve for Judging {
    fn resolve(&self, name: Name) -> reqwest::dns::Resolving {
        if name.as_str() != self.target.host {
            let refused = Astray::Refused(Refused::OtherHost(name.as_str().to_owned()));
            return Box::pin(async move { Err(refused.into()) });
        }
        let resolving = self.resolve.resolve(name.as_str());
        let (target, allowed) = (self.target.clone(), Arc::clone(&self.allowed));
        Box::pin(async move {
            let found = judged(resolving, &target, &allowed).await?;
            let port = target.port;
            let addresses = found.into_iter().map(move |address| SocketAddr::new(address, port));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

/// Why a name leads nowhere.
#[derive(Debug, thiserror::Error)]
pub(super) enum Astray {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("it has no address")]
    Nowhere,
    #[error(transparent)]
    Unresolved(#[from] io::Error),
}

/// The addresses that come, if every one of them may be spoken to.
pub(super) async fn judged(
    resolving: Resolving,
    target: &Target,
    allowed: &Allowed,
) -> Result<Vec<IpAddr>, Astray> {
    let found = resolving.await?;
    if found.is_empty() {
        return Err(Astray::Nowhere);
    }
    target.judge_all(&found, allowed)?;
    Ok(found)
}
