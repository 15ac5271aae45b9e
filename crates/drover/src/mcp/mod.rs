//! `drover mcp`: the verbs as tools of the Model Context Protocol, over standard input and output.
//!
//! The only module with a runtime: one thread for the protocol, and one more for each call.

mod caller;
mod lines;
mod schema;
mod server;
mod table;
#[cfg(test)]
mod tests;
mod tools;
mod words;

use std::io;
use std::time::Duration;

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use tokio::runtime;

use crate::cli::Global;
use lines::Lines;
use server::Server;

/// How long calls that were told to stop are given at the end.
const LEAVE: Duration = Duration::from_secs(10);
/// The most calls at once; more wait.
const CALLS: usize = 64;

/// Serves until standard input ends.
pub(crate) fn serve(global: &Global) -> io::Result<()> {
    let runtime =
        runtime::Builder::new_current_thread().enable_time().max_blocking_threads(CALLS).build()?;
    let server = Server { global: global.clone() };
    let served = runtime.block_on(async {
        match serve_server(server, Lines::start()?).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
            // A client that leaves without a word is no failure.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(err) => Err(io::Error::other(err)),
        }
    });
    runtime.shutdown_timeout(LEAVE);
    served
}
