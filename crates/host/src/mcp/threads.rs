//! Where sessions live: a thread that starts with the first of them.
//!
//! They outlive the calls that begin them, and are shared by runs; so they cannot live on the
//! threads of a dispatcher, which end before.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// How long the thread may take to end.
const ENDING_MAX: Duration = Duration::from_secs(2);

/// The thread.
#[derive(Debug, Default)]
pub(crate) struct Threads(Mutex<Option<Runtime>>);

impl Threads {
    fn handle(&self) -> io::Result<Handle> {
        let mut started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = match started.take() {
            Some(runtime) => runtime,
            None => {
                let mut builder = Builder::new_multi_thread();
                builder.worker_threads(1).thread_name("quipu-mcp").enable_all().build()?
            }
        };
        Ok(started.insert(runtime).handle().clone())
    }

    /// Has something done there. Whoever drops it gives it up.
    pub(super) fn spawn<F>(&self, work: F) -> io::Result<Doing<F::Output>>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        Ok(Doing(self.handle()?.spawn(work)))
    }

    /// Has something done there before everything ends, if it does not take longer than this.
    pub(super) fn finish(
        &self,
        work: impl Future<Output = ()> + Send + 'static,
        time_max: Duration,
    ) {
        // Nobody starts a thread to end what was never begun, or waits on a thread for itself.
        let started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(runtime) = &*started else { return };
        let (done, is_done) = channel();
        runtime.spawn(async move {
            work.await;
            // Nobody may wait any more.
            let _ = done.send(());
        });
        if Handle::try_current().is_err() {
            let _ = is_done.recv_timeout(time_max);
        }
    }
}

impl Threads {
    /// Ends everything that is left on it, before the process ends: or nobody would.
    fn end(&self) {
        let started = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(runtime) = started else { return };
        // What is dropped with it are the sessions, and with them the programs.
        match Handle::try_current() {
            Err(_) => runtime.shutdown_timeout(ENDING_MAX),
            Ok(_) => runtime.shutdown_background(),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whoever has it keeps sessions going. When nobody has it any more, all of them end, also where a
/// call that was given up has not noticed yet.
#[derive(Debug, Default)]
pub struct Keeper(Arc<Threads>);

impl Keeper {
    pub(crate) fn threads(&self) -> Arc<Threads> {
        Arc::clone(&self.0)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Something that is being done.
pub(super) struct Doing<T>(JoinHandle<T>);

impl<T> Future for Doing<T> {
    /// Nothing, if it broke down.
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.0).poll(context).map(Result::ok)
    }
}

impl<T> Drop for Doing<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
