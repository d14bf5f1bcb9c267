//! One session with a server: what it offers, and what it answers.
#![expect(deprecated, reason = "subscribing is as the versions that servers speak today have it")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientRequest, ListToolsRequest,
    PaginatedRequestParams, PingRequest, ReadResourceRequest, ReadResourceRequestParams,
    ReadResourceResult, RequestMetaObject, ServerResult, SubscribeRequest, SubscribeRequestParams,
    SubscriptionFilter,
};
use rmcp::service::{PeerRequestOptions, RoleClient, RunningService, ServiceError};
use runtime::FaultKind;
use tokio::time::timeout;
use value::Text;

use super::client::{Client, noticed};
use super::limits::{LISTING_MAX, Limits, PAGES_MAX, TOOLS_MAX};
use super::offered::Offered;
use super::secrets::Known;
use super::stdio::ENDING_MAX;
use super::trouble::{Left, Standing, Trouble};
use super::watched::Changes;
use crate::tools::output::Tail;

/// How long a server may take to say goodbye.
const CLOSING_MAX: Duration = Duration::from_secs(1);

/// How long a server may take to say that it is still there.
const PING_MAX: Duration = Duration::from_secs(2);

/// So many resources of a server are watched at most.
const SUBSCRIPTIONS_MAX: usize = 256;

/// How long subscribing may take: the resource was read, whether it comes about or not.
const SUBSCRIBING_MAX: Duration = Duration::from_secs(2);

/// The tools of a server, by name.
pub type Listing = BTreeMap<Text, Offered>;

/// A session.
pub(super) struct Session {
    pub(super) server: Text,
    pub(super) running: RunningService<RoleClient, Client>,
    pub(super) limits: Arc<Limits>,
    pub(super) changes: Arc<Changes>,
    /// What the program says on standard error.
    pub(super) complaint: Option<Arc<Tail>>,
    /// What it offered, and how often it had said by then that it offers something else.
    pub(super) listed: tokio::sync::Mutex<Option<(u64, Arc<Listing>)>>,
    /// How long anything but a call may take.
    pub(super) time_max: Duration,
    /// Whether a call took too long, and nobody has looked since whether the server still answers.
    pub(super) is_doubtful: AtomicBool,
    /// What the server must not say again.
    pub(super) secrets: Arc<Known>,
    /// The resources whose changes were asked for.
    pub(super) subscribed: Mutex<BTreeSet<String>>,
}

impl Session {
    /// Whether nobody is there any more.
    pub(super) fn is_over(&self) -> bool {
        self.running.is_closed() || self.running.peer().is_transport_closed()
    }

    /// Whether the server still answers, where a call took too long. One that works on something
    /// for others may well be busy: whoever asks must be the only one who uses the session.
    pub(super) async fn still_answers(&self) -> bool {
        if !self.is_doubtful.swap(false, Ordering::Relaxed) {
            return true;
        }
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let answer = timeout(PING_MAX, self.running.peer().send_request(ping)).await;
        // That it refuses is an answer too.
        matches!(answer, Ok(Ok(_) | Err(ServiceError::McpError(_))))
    }

    /// Ends it.
    pub(super) async fn close(mut self) {
        let _ = self.running.close_with_timeout(CLOSING_MAX).await;
    }

    /// What it offers now.
    pub(super) async fn listing(&self) -> Result<Arc<Listing>, Trouble> {
        let mut listed = self.listed.lock().await;
        let changes = self.changes.count();
        if let Some((then, listing)) = &*listed
            && *then == changes
        {
            return Ok(Arc::clone(listing));
        }
        let listing = Arc::new(self.bounded("list its tools", self.list()).await?);
        *listed = Some((changes, Arc::clone(&listing)));
        Ok(listing)
    }

    /// All pages, straight from the server: a list that is kept somewhere may be out of date.
    async fn list(&self) -> Result<Listing, Trouble> {
        let (server, mut listing) = (&self.server, Listing::new());
        let wrong = |what: String| Trouble::before(FaultKind::Tool, what);
        let mut page = PaginatedRequestParams::default();
        let mut bytes = 0;
        for _ in 0..PAGES_MAX {
            let params = Some(page.clone());
            let request = ListToolsRequest { params, ..ListToolsRequest::default() };
            let answer = self.running.peer().send_request(ClientRequest::ListToolsRequest(request));
            let answer = match answer.await {
                Ok(answer) => answer,
                Err(error) => return Err(self.told(error).await.before_the_call()),
            };
            let ServerResult::ListToolsResult(answer) = answer else {
                return Err(wrong(format!("`{server}` does not answer with its tools")));
            };
            for tool in &answer.tools {
                let offered = Offered::of(tool).ok_or_else(|| {
                    wrong(format!("what `{server}` says of a tool cannot be kept"))
                })?;
                if self.secrets.hide_in(offered.to_value()) != offered.to_value() {
                    // It would be kept in a file that goes into version control.
                    return Err(wrong(format!("`{server}` says a secret in what it offers")));
                }
                bytes += value::json::compact(&offered.to_value()).len();
                let name = Text::from(offered.name());
                if bytes > LISTING_MAX || listing.len() == TOOLS_MAX {
                    return Err(wrong(format!(
                        "`{server}` offers more than {TOOLS_MAX} tools or {LISTING_MAX} bytes"
                    )));
                }
                if listing.insert(name.clone(), offered).is_some() {
                    return Err(wrong(format!(
                        "`{server}` offers two tools `{name}`: nobody can say which is meant"
                    )));
                }
            }
            match answer.next_cursor {
                Some(next) => page.cursor = Some(next),
                None => return Ok(listing),
            }
        }
        Err(wrong(format!("the tools of `{server}` have more than {PAGES_MAX} pages")))
    }

    /// Calls a tool. Dropping this tells the server so.
    pub(super) async fn call(
        &self,
        params: CallToolRequestParams,
        time_max: Duration,
    ) -> Result<CallToolResponse, Trouble> {
        let called = self.running.peer().call_tool_once(params);
        match timeout(time_max, called).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.told(error).await),
            Err(_) => Err(self.took_too_long(time_max)),
        }
    }

    /// Reads a resource.
    pub(super) async fn read(
        &self,
        uri: &str,
        meta: RequestMetaObject,
        time_max: Duration,
    ) -> Result<ReadResourceResult, Trouble> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let request = ClientRequest::ReadResourceRequest(request);
        let mut options = PeerRequestOptions::with_timeout(time_max);
        options.meta = Some(meta);
        let asked = async {
            let handle = self.running.peer().send_request_with_option(request, options).await?;
            handle.await_response().await
        };
        match asked.await {
            Ok(ServerResult::ReadResourceResult(read)) => Ok(read),
            Ok(_) => Err(self.told(ServiceError::UnexpectedResponse).await),
            Err(ServiceError::Timeout { .. }) => Err(self.took_too_long(time_max)),
            Err(error) => Err(self.told(error).await),
        }
    }

    /// Has the server say when a resource changes, where it can.
    pub(super) async fn subscribe(&self, uri: &str) {
        let Some(info) = self.running.peer().peer_info() else { return };
        let can = info.capabilities.resources.as_ref().and_then(|offers| offers.subscribe);
        if can != Some(true) || !self.is_new(uri) {
            return;
        }
        if !info.protocol_version.has_initialize() {
            self.listen(SubscriptionFilter::builder().resource_subscription(uri).build());
            return;
        }
        let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
        let asked = self.running.peer().send_request(ClientRequest::SubscribeRequest(request));
        // Whoever cannot hear of changes has read the resource all the same.
        let _ = timeout(SUBSCRIBING_MAX, asked).await;
    }

    /// Whether nobody has subscribed to a resource yet, and there is room for one more.
    fn is_new(&self, uri: &str) -> bool {
        let mut subscribed = self.subscribed.lock().unwrap_or_else(PoisonError::into_inner);
        subscribed.len() < SUBSCRIPTIONS_MAX && subscribed.insert(uri.to_owned())
    }

    /// Hears what servers of newer versions say only to those who ask for it. They say it until the
    /// session ends.
    pub(super) fn listen(&self, filter: SubscriptionFilter) {
        let (peer, server) = (self.running.peer().clone(), self.server.clone());
        let notices = Arc::clone(&self.running.service().notices);
        tokio::spawn(async move {
            let Ok(mut hearing) = peer.listen(filter).await else { return };
            while let Ok(Some(said)) = hearing.next().await {
                if let Some(what) = noticed(&said) {
                    notices.tell_all(&server, what);
                }
            }
        });
    }

    /// Asks to hear of other tools and resources, where that must be asked for.
    pub(super) fn listen_to_lists(&self) {
        let info = self.running.peer().peer_info();
        if info.is_some_and(|info| !info.protocol_version.has_initialize()) {
            let filter = SubscriptionFilter::builder().tools_list_changed();
            self.listen(filter.resources_list_changed().build());
        }
    }

    /// Something that is done before a call leaves, within the server's time.
    async fn bounded<T>(
        &self,
        what: &str,
        work: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        match timeout(self.time_max, work).await {
            Ok(done) => done,
            Err(_) => {
                let (server, time_max) = (&self.server, self.time_max);
                let message = format!("`{server}` took longer than {time_max:?} to {what}");
                Err(Trouble::no_session(FaultKind::Timeout, message))
            }
        }
    }

    fn took_too_long(&self, time_max: Duration) -> Trouble {
        self.is_doubtful.store(true, Ordering::Relaxed);
        let message = format!("`{}` took longer than {time_max:?}", self.server);
        let trouble = Trouble::before(FaultKind::Timeout, message);
        Trouble { left: Left::Lost, ..trouble }
    }

    /// What went wrong, with what is known of it.
    async fn told(&self, error: ServiceError) -> Trouble {
        let trouble = Trouble::of_call(&self.server, error);
        match trouble.session {
            Standing::Over => {
                trouble.because(why_ended(&self.limits, self.complaint.as_deref()).await)
            }
            Standing::Goes | Standing::Expired => trouble,
        }
    }
}

/// Why a session ended, and what the program said last.
pub(super) async fn why_ended(limits: &Limits, complaint: Option<&Tail>) -> Option<String> {
    if limits.why().is_none() && complaint.is_some() {
        // A pipe breaks before anybody can tell how the program at its other end did.
        if let Some(exit) = limits.exit(ENDING_MAX).await {
            limits.ended(exit);
        }
    }
    why(limits, complaint)
}

/// What is known of how a session goes.
pub(super) fn why(limits: &Limits, complaint: Option<&Tail>) -> Option<String> {
    let said = complaint.map(Tail::text).filter(|said| !said.is_empty());
    match (limits.why(), said) {
        (Some(why), Some(said)) => Some(format!("{why}, after it wrote: {said}")),
        (Some(why), None) => Some(why),
        (None, Some(said)) => Some(format!("it wrote: {said}")),
        (None, None) => None,
    }
}

impl Trouble {
    /// Whatever it is, the call that was wanted has not left.
    fn before_the_call(self) -> Trouble {
        Trouble { left: Left::No, ..self }
    }
}
