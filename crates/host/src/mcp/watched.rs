//! Sees every message of a session in its order, whichever way it comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::limits::Limits;

/// A way to a server that is watched.
pub(super) struct Watched<T> {
    pub(super) inner: T,
    pub(super) limits: Arc<Limits>,
    pub(super) changes: Arc<Changes>,
}

/// How often a server has said that it has other tools. It counts before whatever the server says
/// next is taken in, so that no call leaves on the strength of what is out of date.
#[derive(Debug, Default)]
pub(super) struct Changes(AtomicU64);

impl Changes {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(_) = &item {
            self.limits.asked();
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        self.limits.message().ok()?;
        if let JsonRpcMessage::Notification(told) = &message
            && let ServerNotification::ToolListChangedNotification(_) = &told.notification
        {
            self.changes.0.fetch_add(1, Ordering::SeqCst);
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}
