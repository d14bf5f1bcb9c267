//! MCP servers: sessions with them, their tools and resources, and what was accepted of them.
//!
//! Only `quipu.toml` names servers: nothing that a spec says starts a program or leads to an
//! address. A server is trusted with nothing but its answers. What it says of its tools counts when
//! somebody has accepted it ([`pins`]), and whatever it sends is read within limits.

mod answer;
mod binding;
mod client;
mod http;
mod limits;
mod notices;
mod offered;
pub mod pins;
mod secrets;
mod server;
mod session;
mod stdio;
mod template;
mod threads;
mod trouble;
mod watched;

pub(crate) use binding::accepted;
pub use binding::{McpResource, McpTool};
pub use notices::{Notice, Noticed, Notices};
pub use offered::Offered;
pub use server::Server;
pub(crate) use server::{Reach, Shared};
pub use session::Listing;
pub use template::Template;
pub use threads::Keeper;
