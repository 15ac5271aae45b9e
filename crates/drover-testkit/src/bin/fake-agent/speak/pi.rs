//! pi's control socket, as our extension serves it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::session::Session;
use super::turns::Turns;
use crate::habit::Habit;

const VERSION: u64 = 1;
const OPERATIONS: [&str; 8] =
    ["hello", "status", "send", "wait", "abort", "interrupt", "fresh", "command"];

/// Serves the socket that the launch named, if it named one.
pub(super) fn serve(
    turns: Arc<Turns>,
    session: Session,
    habit: Option<Habit>,
) -> std::io::Result<()> {
    let Some(path) = std::env::var_os("DROVER_CONTROL") else { return Ok(()) };
    // A process that was killed leaves its socket behind.
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(path)?;
    let server = Arc::new(Server { turns, session, habit });
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let server = Arc::clone(&server);
            thread::spawn(move || server.converse(stream));
        }
    });
    Ok(())
}

#[derive(Debug)]
struct Server {
    turns: Arc<Turns>,
    session: Session,
    habit: Option<Habit>,
}

impl Server {
    /// Answers line by line; a caller that has gone ends it.
    fn converse(&self, stream: UnixStream) -> Option<()> {
        let mut writer = stream.try_clone().ok()?;
        for line in BufReader::new(stream).lines() {
            let request: Value = serde_json::from_str(&line.ok()?).ok()?;
            let is_text = matches!(request["op"].as_str(), Some("send" | "interrupt" | "fresh"));
            let mut reply = self.answer(&request);
            reply["v"] = json!(VERSION);
            reply["id"] = request["id"].clone();
            let whole = format!("{reply}\n");
            match self.habit {
                Some(Habit::Silent) => {}
                Some(Habit::Garbage) => writer.write_all(b"\x00{]not a message\n").ok()?,
                Some(Habit::HalfALine) => {
                    writer.write_all(whole.as_bytes().get(..whole.len() / 2)?).ok()?;
                    return None;
                }
                Some(Habit::HangsUp) if is_text => return None,
                Some(Habit::OtherVersion) => {
                    reply["v"] = json!(99);
                    writer.write_all(format!("{reply}\n").as_bytes()).ok()?;
                }
                Some(Habit::Twice) => writer.write_all(whole.repeat(2).as_bytes()).ok()?,
                _ => writer.write_all(whole.as_bytes()).ok()?,
            }
        }
        Some(())
    }

    fn answer(&self, request: &Value) -> Value {
        let milliseconds = |name: &str| Duration::from_millis(request[name].as_u64().unwrap_or(0));
        match request["op"].as_str() {
            Some("hello" | "status" | "command") => self.status(),
            Some("send") => self.take(request),
            Some("interrupt" | "fresh") => {
                self.turns.abort();
                self.take(request)
            }
            Some("abort") => {
                let was = if self.turns.abort() { "busy" } else { "idle" };
                with(self.status(), &json!({"was": was, "was_pending": false, "settled": true}))
            }
            Some("wait") => {
                let after = request["after"].as_i64().unwrap_or_else(|| self.turns.now().ended);
                if self.turns.wait(after, milliseconds("timeout_ms")) {
                    return self.status();
                }
                failure("timeout", "no turn ended in time")
            }
            _ => {
                let unknown = failure("unknown_op", "there is no such operation");
                with(unknown, &json!({"ops": OPERATIONS}))
            }
        }
    }

    fn take(&self, request: &Value) -> Value {
        let now = self.turns.now();
        let Some(text) = request["text"].as_str() else {
            return failure("bad_request", "text is missing");
        };
        if now.dialog.is_some() {
            return failure("dialog", "a dialog stands");
        }
        let taken = |turn: i64| {
            let message = &request["message"];
            json!({"ok": true, "disposition": "started", "turn": turn, "message": message, "session": self.session.id()})
        };
        match self.habit {
            Some(Habit::Refuses) => failure("not_taken", "pi did not take it as input"),
            Some(Habit::ClaimsTooMuch) => {
                with(taken(now.ended + 1), &json!({"message": "another"}))
            }
            _ => self.turns.begin(text).map_or_else(|| failure("busy", "a turn is running"), taken),
        }
    }

    fn status(&self) -> Value {
        let now = self.turns.now();
        let state = match () {
            () if now.dialog.is_some() => "dialog",
            () if now.is_busy => "busy",
            () => "idle",
        };
        let agent = match self.habit {
            Some(Habit::OtherAgent) => Some("00000000-0000-7000-8000-000000000000".to_owned()),
            _ => std::env::var("DROVER_AGENT_UID").ok(),
        };
        let dialog = now.dialog.map(|it| json!({"kind": "confirm", "title": it, "since": 0}));
        let last = now.last.map(|it| {
            let error = it.is_aborted.then_some("aborted");
            let stop = if it.is_aborted { "aborted" } else { "stop" };
            json!({"turn": it.number, "stop": stop, "text": it.text, "error": error, "aborted": it.is_aborted, "at": 0})
        });
        json!({
            "ok": true, "agent": agent, "pid": std::process::id(), "instance": "stand-in",
            "extension": 1, "pi": "1.6.0",
            "ops": OPERATIONS,
            "state": state, "since": 0, "turns": now.ended, "pending": false, "dialog": dialog,
            "failing": null, "model": "fake/fake-1", "thinking": "off", "session": self.session.id(),
            "file": null, "cwd": std::env::current_dir().ok(), "last": last,
        })
    }
}

fn failure(error: &str, detail: &str) -> Value {
    json!({"ok": false, "error": error, "detail": detail})
}

fn with(mut value: Value, more: &Value) -> Value {
    for (name, it) in more.as_object().into_iter().flatten() {
        value[name] = it.clone();
    }
    value
}
