//! A connection to an app-server: JSON messages in the text frames of a WebSocket, each answered in time.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use drover_core::step;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{HandshakeError, Message, WebSocket, client};

use super::error::CodexError;
use super::stream::Bounded;
use super::wire::{Approval, Status, Thread, Turn, TurnError, View};
use crate::poll;

type Result<T> = std::result::Result<T, CodexError>;

/// A message larger than this is no answer to anything we ask.
const LARGEST: usize = 64 * 1024 * 1024;
/// How many turns the app-server lists at a time at most.
const PAGE: usize = 100;
/// The pause before what the app-server is just writing is read again.
const PAUSE: Duration = Duration::from_millis(20);

/// Something that the app-server said by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A conversation was begun.
    Began(Thread),
    /// A conversation was taken up, which its goal, or its lack of one, is told with.
    TakenUp {
        /// The conversation.
        thread: String,
    },
    /// A conversation does something else now.
    Status {
        /// The conversation.
        thread: String,
        /// What it does.
        status: Status,
    },
    /// A turn ran into an error.
    Trouble {
        /// The conversation.
        thread: String,
        /// The error.
        error: TurnError,
        /// Whether Codex tries again by itself.
        will_retry: bool,
    },
    /// A turn went on: something was said or done in it.
    Progress {
        /// The conversation.
        thread: String,
    },
    /// A turn asks for leave.
    Asked(Approval),
    /// Anything else.
    Other,
}

/// A connection to an app-server.
#[derive(Debug)]
pub struct Client {
    socket: WebSocket<Bounded>,
    limit: Duration,
    last_id: u64,
    events: VecDeque<Event>,
}

impl Client {
    /// Connects and introduces itself; this, and each later call, ends within `limit`.
    pub fn connect(path: &Path, limit: Duration) -> Result<Self> {
        let deadline = Instant::now() + limit;
        let not_served = |source| CodexError::NotServed { path: path.to_owned(), source };
        let stream = Bounded::connect(path, deadline).map_err(not_served)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(LARGEST))
            .max_frame_size(Some(LARGEST));
        let what = "the upgrade to a WebSocket";
        let socket = match client::client_with_config("ws://localhost/", stream, Some(config)) {
            Ok((socket, _)) => socket,
            Err(HandshakeError::Interrupted(_)) => return Err(CodexError::Silent { what, limit }),
            Err(HandshakeError::Failure(err)) => return Err(failure(err, what, limit)),
        };
        let mut client = Self { socket, limit, last_id: 0, events: VecDeque::new() };
        // The deadline of the connection is that of the introduction as well.
        let version = env!("CARGO_PKG_VERSION");
        let params = json!({"clientInfo": {"name": "drover", "version": version}});
        let _: Value = client.ask("initialize", &params)?;
        client.tell(&json!({"method": "initialized"}), "initialized")?;
        Ok(client)
    }

    /// Connects to an app-server that is just starting, for as long as `may_come` says that it may answer yet.
    pub fn await_server(
        path: &Path,
        limit: Duration,
        mut may_come: impl FnMut() -> bool,
    ) -> Result<Self> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match Self::connect(path, left) {
                Err(CodexError::NotServed { .. }) if !left.is_zero() && may_come() => {
                    // Nothing tells when it has made its socket.
                    let _ = poll::until(&mut [], poll::deadline(PAUSE));
                }
                other => return other,
            }
        }
    }

    /// Gives everything asked from now on this much time together.
    pub fn allow(&mut self, limit: Duration) {
        self.limit = limit;
        self.socket.get_mut().deadline = Instant::now() + limit;
    }

    /// The conversations that are loaded: Codex's own and its helpers' too.
    pub fn threads(&mut self) -> Result<Vec<Thread>> {
        #[derive(Deserialize)]
        struct Loaded {
            data: Vec<String>,
        }
        let loaded: Loaded = self.ask("thread/loaded/list", &json!({}))?;
        let mut threads = Vec::new();
        for id in loaded.data {
            threads.extend(self.thread(&id)?);
        }
        Ok(threads)
    }

    /// One conversation; none if it is gone.
    ///
    /// Right after its first prompt its file is empty for a moment, in which Codex cannot read it.
    pub fn thread(&mut self, id: &str) -> Result<Option<Thread>> {
        #[derive(Deserialize)]
        struct Read {
            thread: Thread,
        }
        loop {
            let read: Result<Read> = self.ask("thread/read", &json!({"threadId": id}));
            match read {
                Ok(read) => return Ok(Some(read.thread)),
                Err(CodexError::Refused { message, what }) if is_being_made(&message) => {
                    if self.left() < PAUSE {
                        return Err(CodexError::Refused { message, what });
                    }
                    self.pause();
                }
                Err(CodexError::Refused { .. }) => return Ok(None),
                Err(err) => return Err(err),
            }
        }
    }

    /// The latest turns of a conversation, the latest first; none before its first prompt.
    pub fn turns(&mut self, thread: &str, count: usize, view: View) -> Result<Vec<Turn>> {
        Ok(self.page(thread, count, view, None)?.data)
    }

    /// How many turns of a conversation have ended.
    pub fn ended_turns(&mut self, thread: &str) -> Result<i64> {
        let mut ended = 0;
        self.each_turn(thread, |turn| ended += i64::from(turn.has_ended()))?;
        Ok(ended)
    }

    /// The place of a turn in its conversation, counted from 1: how many have ended once it has.
    pub fn turn_number(&mut self, thread: &str, id: &str) -> Result<Option<i64>> {
        let mut number = None;
        // From the latest back: those that come from here on were before it.
        self.each_turn(thread, |turn| match &mut number {
            Some(number) => *number += 1,
            None if turn.id == id => number = Some(1),
            None => {}
        })?;
        Ok(number)
    }

    fn each_turn(&mut self, thread: &str, mut see: impl FnMut(&Turn)) -> Result<()> {
        let mut cursor = None::<String>;
        loop {
            let page = self.page(thread, PAGE, View::NotLoaded, cursor.as_deref())?;
            page.data.iter().for_each(&mut see);
            match page.next_cursor {
                Some(next) if !page.data.is_empty() => cursor = Some(next),
                _ => return Ok(()),
            }
        }
    }

    fn page(
        &mut self,
        thread: &str,
        limit: usize,
        view: View,
        cursor: Option<&str>,
    ) -> Result<Page> {
        let params =
            json!({"threadId": thread, "limit": limit, "itemsView": view, "cursor": cursor});
        match self.ask("thread/turns/list", &params) {
            Err(
                CodexError::Refused { message, .. }
                | CodexError::OtherVersion { detail: message, .. },
            ) if is_being_made(&message) => Ok(Page::default()),
            other => other,
        }
    }

    /// Gives a conversation a prompt under a name, and says which turn takes it.
    ///
    /// While a turn runs, Codex joins the prompt to it. The same name again is a prompt of its own.
    pub fn start_turn(&mut self, thread: &str, name: &str, text: &str) -> Result<Turn> {
        #[derive(Deserialize)]
        struct Started {
            turn: Turn,
        }
        let input = json!([{"type": "text", "text": text}]);
        let params = json!({"threadId": thread, "clientUserMessageId": name, "input": input});
        let started: Started = self.ask("turn/start", &params)?;
        Ok(started.turn)
    }

    /// Joins a text under a name to the turn that runs, if it is still this one.
    pub fn steer_turn(&mut self, thread: &str, turn: &str, name: &str, text: &str) -> Result<()> {
        let input = json!([{"type": "text", "text": text}]);
        let params = json!({
            "threadId": thread, "expectedTurnId": turn, "clientUserMessageId": name, "input": input
        });
        let _: Value = self.ask("turn/steer", &params)?;
        Ok(())
    }

    /// Stops the turn that runs, if it is still this one.
    pub fn interrupt_turn(&mut self, thread: &str, turn: &str) -> Result<()> {
        let params = json!({"threadId": thread, "turnId": turn});
        let _: Value = self.ask("turn/interrupt", &params)?;
        Ok(())
    }

    /// Has the app-server tell this connection what happens in a conversation, and again what is still
    /// asked in it.
    pub fn follow(&mut self, thread: &str) -> Result<()> {
        let params = json!({"threadId": thread, "excludeTurns": true});
        let _: Value = self.ask("thread/resume", &params)?;
        Ok(())
    }

    /// The leave that a conversation's turn waits for, if it says within the time what for.
    pub fn approval(&mut self, thread: &str) -> Result<Option<Approval>> {
        self.follow(thread)?;
        while let Some(event) = self.next_event()? {
            match event {
                Event::Asked(approval) if approval.thread == thread => return Ok(Some(approval)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Answers a request for leave that came on this connection with one of its decisions.
    pub fn decide(&mut self, approval: &Approval, decision: &str) -> Result<()> {
        let answer = json!({"id": approval.request, "result": {"decision": decision}});
        self.tell(&answer, "an answer to a request for leave")
    }

    /// The next thing that the app-server says by itself; none if nothing comes in the time allowed.
    pub fn next_event(&mut self) -> Result<Option<Event>> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        loop {
            match self.receive("what happens") {
                Ok(message) => {
                    if let Some(event) = event_of(&message) {
                        return Ok(Some(event));
                    }
                }
                Err(CodexError::Silent { .. }) => return Ok(None),
                Err(err) => return Err(err),
            }
        }
    }

    /// Lets a moment pass, for what the app-server is writing and does not tell the end of.
    pub fn pause(&self) {
        // Whatever it comes to: what matters is asked again.
        let _ = poll::until(&mut [], poll::deadline(PAUSE));
    }

    fn left(&self) -> Duration {
        self.socket.get_ref().deadline.saturating_duration_since(Instant::now())
    }

    fn ask<R: DeserializeOwned>(&mut self, method: &'static str, params: &Value) -> Result<R> {
        self.last_id += 1;
        let id = self.last_id;
        self.tell(&json!({"id": id, "method": method, "params": params}), method)?;
        loop {
            let message = self.receive(method)?;
            if message.get("method").is_some() {
                self.events.extend(event_of(&message));
                continue;
            }
            // An answer to a call that was given up.
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            return answer_of(message, method);
        }
    }

    fn tell(&mut self, message: &Value, what: &'static str) -> Result<()> {
        let sent = self.socket.send(Message::text(message.to_string()));
        step::reached("socket");
        sent.map_err(|err| failure(err, what, self.limit))
    }

    fn receive(&mut self, what: &'static str) -> Result<Value> {
        loop {
            match self.socket.read().map_err(|err| failure(err, what, self.limit))? {
                Message::Text(text) => {
                    return serde_json::from_str(text.as_str()).map_err(|_| CodexError::Garbage {
                        what,
                        detail: beginning(text.as_str()),
                    });
                }
                Message::Close(_) => return Err(CodexError::HungUp { what }),
                Message::Binary(bytes) => {
                    let detail = format!("{} bytes that are no text", bytes.len());
                    return Err(CodexError::Garbage { what, detail });
                }
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }
}

impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.get_ref().as_fd()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    data: Vec<Turn>,
    next_cursor: Option<String>,
}

/// Whether what is said of a conversation is that nothing has been written of it yet.
fn is_being_made(message: &str) -> bool {
    let said = ["is not materialized yet", "is empty", "is not supported yet"];
    said.iter().any(|it| message.contains(it))
}

fn answer_of<R: DeserializeOwned>(mut message: Value, what: &'static str) -> Result<R> {
    if let Some(error) = message.get("error") {
        let text = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
        let message = text.to_owned();
        let is_unknown = error.get("code").and_then(Value::as_i64) == Some(-32601)
            || message.contains("unknown variant");
        return Err(if is_unknown {
            CodexError::OtherVersion { what, detail: message }
        } else {
            CodexError::Refused { what, message }
        });
    }
    let result = message.get_mut("result").map(Value::take).unwrap_or_default();
    serde_json::from_value(result)
        .map_err(|err| CodexError::OtherVersion { what, detail: err.to_string() })
}

/// What a message of the app-server's own says; none if it cannot be read.
fn event_of(message: &Value) -> Option<Event> {
    let method = message.get("method")?.as_str()?;
    let params = message.get("params").unwrap_or(&Value::Null);
    if let Some(request) = message.get("id") {
        return Some(Approval::of(request, method, params).map_or(Event::Other, Event::Asked));
    }
    let thread = || params.get("threadId").and_then(Value::as_str).map(str::to_owned);
    let part = |name: &str| params.get(name).cloned().unwrap_or_default();
    Some(match method {
        "thread/started" => {
            serde_json::from_value(part("thread")).map_or(Event::Other, Event::Began)
        }
        "thread/status/changed" => {
            let status = serde_json::from_value(part("status")).unwrap_or(Status::Unknown);
            Event::Status { thread: thread()?, status }
        }
        "thread/goal/cleared" | "thread/goal/updated" => Event::TakenUp { thread: thread()? },
        "error" => Event::Trouble {
            thread: thread()?,
            error: serde_json::from_value(part("error")).ok()?,
            will_retry: part("willRetry").as_bool().unwrap_or(false),
        },
        _ if method.starts_with("item/") || method.starts_with("turn/") => {
            thread().map_or(Event::Other, |thread| Event::Progress { thread })
        }
        _ => Event::Other,
    })
}

fn failure(err: tungstenite::Error, what: &'static str, limit: Duration) -> CodexError {
    match err {
        tungstenite::Error::Io(err) => match err.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                CodexError::Silent { what, limit }
            }
            _ => CodexError::HungUp { what },
        },
        tungstenite::Error::ConnectionClosed | tungstenite::Error::AlreadyClosed => {
            CodexError::HungUp { what }
        }
        tungstenite::Error::Protocol(
            tungstenite::error::ProtocolError::ResetWithoutClosingHandshake
            | tungstenite::error::ProtocolError::HandshakeIncomplete,
        ) => CodexError::HungUp { what },
        other => CodexError::Garbage { what, detail: beginning(&other.to_string()) },
    }
}

/// Enough of a text to know it again, on one line.
fn beginning(text: &str) -> String {
    text.chars().take(80).map(|it| if it.is_control() { ' ' } else { it }).collect()
}
