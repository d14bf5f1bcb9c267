//! A server that is a program: messages as lines on its standard input and output.
//!
//! It runs in the folder of `quipu.toml`, in a process group of its own, and sees only the basic
//! variables and those that `env` names. When the session ends, its input is closed; if it has not
//! ended a little later, it is killed with all that it started.

use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::limits::{Limits, MESSAGE_MAX};
use crate::tools::output::Tail;
use crate::tools::process::Group;

/// How long a program may take to end by itself, once its input is closed.
pub(super) const ENDING_MAX: Duration = Duration::from_millis(500);

/// How long standard error may stay open after the end.
const LINGER: Duration = Duration::from_millis(100);

/// How much of what a program says on standard error is kept.
const COMPLAINT_MAX: usize = 4 << 10;

/// A program that is talked to.
pub(super) struct Program {
    lines: AsyncRwTransport<RoleClient, Lines<ChildStdout>, ChildStdin>,
    limits: Arc<Limits>,
    /// Dropping it kills what is left.
    group: Group,
}

impl Program {
    /// Starts it, and gives what it says on standard error too.
    pub(super) fn start(
        mut command: Command,
        limits: Arc<Limits>,
    ) -> io::Result<(Program, Arc<Tail>)> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn()?;
        let group = Group::of(&child);
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three were asked for")
        };
        let complaint = Arc::new(Tail::new(COMPLAINT_MAX));
        let filled = Arc::clone(&complaint);
        let filling = tokio::spawn(async move { filled.fill(stderr).await });
        let ended = Arc::clone(&limits);
        tokio::spawn(async move {
            let status = child.wait().await;
            // What it said last tells more than how it ended. Others may hold the pipe open.
            let _ = tokio::time::timeout(LINGER, filling).await;
            match status {
                Ok(status) => ended.exited(format!("it ended ({status})")),
                Err(error) => ended.exited(format!("nobody knows how it ended: {error}")),
            }
        });
        let lines = Lines { from: stdout, line: Line::default(), limits: Arc::clone(&limits) };
        let lines = AsyncRwTransport::new_client(lines, stdin).with_max_line_length(MESSAGE_MAX);
        Ok((Program { lines, limits, group }, complaint))
    }
}

impl Transport<RoleClient> for Program {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.lines.receive().await;
        if message.is_none() {
            // It has closed its output: most often because it ends.
            let exit = self.limits.exit(ENDING_MAX).await;
            self.limits.ended(exit.unwrap_or_else(|| "it closed its standard output".to_owned()));
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await?;
        self.limits.exit(ENDING_MAX).await;
        // What it started goes with it: nobody talks to it any more.
        self.group.kill();
        Ok(())
    }
}

/// What a program writes, line by line, within limits. Where one is exceeded, reading fails.
struct Lines<R> {
    from: R,
    line: Line,
    limits: Arc<Limits>,
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    length: usize,
    /// Whether it can be a message, as far as its first letter says.
    is_message: Option<bool>,
}

impl<R> Lines<R> {
    fn see(&mut self, bytes: &[u8]) -> Result<(), super::limits::Exceeded> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = &mut self.line;
            let first = || piece.iter().find(|byte| !byte.is_ascii_whitespace());
            // A byte order mark may stand before the first one.
            let begins = |byte: &u8| matches!(byte, b'{' | b'[' | 0xEF);
            line.is_message = line.is_message.or_else(|| first().map(begins));
            line.length += piece.len();
            match line.is_message {
                Some(true) => self.limits.length(line.length)?,
                Some(false) | None => self.limits.noise(piece.len() as u64)?,
            }
            if piece.ends_with(b"\n") {
                *line = Line::default();
            }
        }
        Ok(())
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let lines = self.get_mut();
        let before = into.filled().len();
        ready!(Pin::new(&mut lines.from).poll_read(context, into))?;
        let seen = lines.see(&into.filled()[before..]);
        Poll::Ready(seen.map_err(io::Error::other))
    }
}
