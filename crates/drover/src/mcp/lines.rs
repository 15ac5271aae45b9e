//! Messages over standard input and output: one JSON object a line.
//!
//! A line that is none is answered with the error the protocol has for it, and reading goes on.

use std::io::{self, BufRead as _, Read as _};
use std::thread;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::output::print_line;

/// The most that one message may have.
const MOST_BYTES: u64 = 64 << 20;
/// How many messages are read ahead.
const AHEAD: usize = 256;

/// The error codes of JSON-RPC.
const UNREADABLE: i32 = -32700;
const INVALID: i32 = -32600;

/// The two streams of this process.
pub(super) struct Lines {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
}

impl Lines {
    /// Starts to read. A thread does it, because standard input cannot be waited for otherwise.
    pub(super) fn start() -> io::Result<Self> {
        let (sender, incoming) = mpsc::channel(AHEAD);
        thread::Builder::new().name("messages".to_owned()).spawn(move || read(&sender))?;
        Ok(Self { incoming })
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(print_line(&message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.incoming.close();
        Ok(())
    }
}

/// What a line says.
enum Line {
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing that anybody waits for.
    Ignored,
    /// The error to answer with.
    Wrong(Value),
}

/// Reads to the end of standard input, or until nobody takes what was read.
fn read(sender: &mpsc::Sender<ClientJsonRpcMessage>) {
    let mut stdin = io::stdin().lock();
    let mut has_begun = false;
    loop {
        let mut bytes = Vec::new();
        let is_over = match (&mut stdin).take(MOST_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => bytes.last() != Some(&b'\n'),
        };
        let is_too_long = is_over && u64::try_from(bytes.len()).is_ok_and(|it| it >= MOST_BYTES);
        let line = if is_too_long {
            if stdin.skip_until(b'\n').is_err() {
                return;
            }
            wrong(INVALID, "the message is too long", &Value::Null)
        } else {
            understood(&bytes, &mut has_begun)
        };
        let is_taken = match line {
            Line::Message(message) => sender.blocking_send(*message).is_ok(),
            Line::Ignored => true,
            Line::Wrong(answer) => print_line(&answer).is_ok(),
        };
        if !is_taken {
            return;
        }
    }
}

fn understood(bytes: &[u8], has_begun: &mut bool) -> Line {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Line::Ignored;
    }
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(err) => return wrong(UNREADABLE, &format!("no JSON: {err}"), &Value::Null),
    };
    let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    *has_begun |= method.as_deref() == Some("initialize");
    // Whatever is no question needs no answer, and means nothing before the first one.
    let is_question = method.is_some() && !id.is_null();
    if !is_question && !*has_begun && method.is_some() {
        return Line::Ignored;
    }
    match serde_json::from_value(value) {
        Ok(message) if is_question || *has_begun => Line::Message(Box::new(message)),
        Ok(_) => wrong(INVALID, "nothing was asked", &id),
        Err(_) if method.is_some() && id.is_null() => Line::Ignored,
        Err(err) => wrong(INVALID, &format!("no message of the protocol: {err}"), &id),
    }
}

fn wrong(code: i32, message: &str, id: &Value) -> Line {
    let error = json!({ "code": code, "message": message });
    Line::Wrong(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}
