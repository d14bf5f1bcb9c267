//! What a server hears from us, and what we hear from it without asking.
#![expect(
    deprecated,
    reason = "servers that ask for roots are told of them as long as there are any"
)]

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ListRootsResult, ProtocolVersion,
    ResourceUpdatedNotificationParam, Root, RootsCapabilities, ServerNotification,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};
use value::Text;

use super::notices::{Noticed, Notices};

/// Answers a server. Models and people are not there for servers: `sampling` and `elicitation` are
/// not offered, and refused to whoever asks anyway. Logs and progress are not kept.
pub(super) struct Client {
    pub(super) server: Text,
    pub(super) roots: Vec<PathBuf>,
    pub(super) notices: Arc<Notices>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        let ours = Implementation::new("quipu", env!("CARGO_PKG_VERSION"));
        let version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        ClientConfig::new(capabilities, ours).with_protocol_version(version)
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let roots = self.roots.iter().map(|folder| Root::new(file_url(folder)));
        Ok(ListRootsResult::new(roots.collect()))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.notices.tell_all(&self.server, Noticed::ToolsChanged);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.notices.tell_all(&self.server, Noticed::ResourcesChanged);
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.notices.tell_all(&self.server, Noticed::ResourceUpdated(params.uri.into()));
    }
}

/// What is told to runs of what a server says.
pub(super) fn noticed(said: &ServerNotification) -> Option<Noticed> {
    match said {
        ServerNotification::ToolListChangedNotification(_) => Some(Noticed::ToolsChanged),
        ServerNotification::ResourceListChangedNotification(_) => Some(Noticed::ResourcesChanged),
        ServerNotification::ResourceUpdatedNotification(updated) => {
            Some(Noticed::ResourceUpdated(updated.params.uri.as_str().into()))
        }
        _ => None,
    }
}

/// A folder as an address.
fn file_url(folder: &std::path::Path) -> String {
    let path = folder.to_string_lossy();
    format!("file://{}", super::template::encoded(&path, super::template::Kept::Path))
}
