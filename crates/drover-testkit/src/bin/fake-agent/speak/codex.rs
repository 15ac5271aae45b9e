//! Codex's app-server: JSON in the text frames of a WebSocket over a unix socket.

use std::io::{ErrorKind, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use super::turns::Turns;
use crate::habit::Habit;

/// The one conversation.
const THREAD: &str = "0195c0de-0000-7000-8000-000000000001";

/// Longer than anybody waits.
const SILENCE: Duration = Duration::from_mins(10);

/// How often a connection looks whether there is something to tell.
const LOOK: Duration = Duration::from_millis(20);

/// Serves the socket until the process is ended.
pub(super) fn serve(turns: Arc<Turns>, path: &str, habit: Option<Habit>) -> std::io::Result<()> {
    let _ = std::fs::remove_file(path);
    let listener = UnixListener::bind(path)?;
    let server = Arc::new(Server { turns, habit, prompts: Mutex::default() });
    for stream in listener.incoming().flatten() {
        let server = Arc::clone(&server);
        // Whoever hangs up is not waited for.
        thread::spawn(move || server.converse(stream).ok());
    }
    Ok(())
}

#[derive(Debug)]
struct Server {
    turns: Arc<Turns>,
    habit: Option<Habit>,
    /// The names under which the prompts came, by turn.
    prompts: Mutex<Vec<Value>>,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

impl Server {
    fn converse(&self, mut stream: UnixStream) -> Result<()> {
        match self.habit {
            Some(Habit::Silent) => {
                thread::sleep(SILENCE);
                return Ok(());
            }
            Some(Habit::Garbage) => return Ok(stream.write_all(b"\0{]not a handshake\r\n\r\n")?),
            _ => {}
        }
        let mut socket = tungstenite::accept(stream)?;
        socket.get_ref().set_read_timeout(Some(LOOK))?;
        let mut told = json!(null);
        loop {
            match socket.read() {
                Ok(Message::Text(text)) => self.take(&mut socket, &serde_json::from_str(&text)?)?,
                Ok(_) => {}
                Err(tungstenite::Error::Io(err))
                    if matches!(err.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    let status = self.thread()["status"].clone();
                    if status != told {
                        let params = json!({"threadId": THREAD, "status": status});
                        say(
                            &mut socket,
                            &json!({"method": "thread/status/changed", "params": params}),
                        )?;
                        told = status;
                    }
                }
                Err(err) => return Err(err.into()),
            }
        }
    }

    fn take(&self, socket: &mut WebSocket<UnixStream>, request: &Value) -> Result<()> {
        let Some(method) = request["method"].as_str() else { return Ok(()) };
        if request["id"].is_null() {
            return Ok(());
        }
        let mut reply = match self.answer(method, &request["params"]) {
            Ok(result) => json!({"result": result}),
            Err(error) => json!({"error": error}),
        };
        reply["id"] = request["id"].clone();
        match self.habit {
            Some(Habit::HangsUp) if method == "turn/start" => Err("hung up".into()),
            Some(Habit::OtherVersion) if method != "initialize" => {
                let error =
                    json!({"code": -32601, "message": format!("unknown variant `{method}`")});
                say(socket, &json!({"id": request["id"], "error": error}))
            }
            Some(Habit::HalfALine) if method != "initialize" => {
                let whole = reply.to_string();
                let half = whole.get(..whole.len() / 2).unwrap_or_default().to_owned();
                Ok(socket.send(Message::text(half))?)
            }
            Some(Habit::Twice) => {
                say(socket, &reply)?;
                say(socket, &reply)
            }
            _ => say(socket, &reply),
        }
    }

    fn answer(&self, method: &str, params: &Value) -> std::result::Result<Value, Value> {
        let refused = |why: &str| json!({"code": -32600, "message": why});
        Ok(match method {
            "initialize" => json!({"userAgent": "codex/0.171.0"}),
            "thread/loaded/list" => json!({"data": [THREAD], "nextCursor": null}),
            "thread/read" | "thread/resume" => json!({"thread": self.thread()}),
            "thread/turns/list" => json!({"data": self.list(), "nextCursor": null}),
            "turn/start" => {
                let text = params["input"][0]["text"].as_str().unwrap_or_default();
                match self.habit {
                    Some(Habit::Refuses) => return Err(refused("this thread takes nothing")),
                    Some(Habit::ClaimsTooMuch) => return Ok(json!({"turn": {}})),
                    _ => {}
                }
                let Some(number) = self.turns.begin(text) else {
                    return Err(refused("a turn is running"));
                };
                self.prompts().push(params["clientUserMessageId"].clone());
                json!({"turn": {"id": turn_id(number), "status": "inProgress", "items": []}})
            }
            "turn/interrupt" => {
                self.turns.abort();
                json!({})
            }
            _ => {
                return Err(
                    json!({"code": -32601, "message": format!("unknown variant `{method}`")}),
                );
            }
        })
    }

    fn prompts(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.prompts.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn thread(&self) -> Value {
        let active = json!({"type": "active", "activeFlags": []});
        let status = if self.turns.now().is_busy { active } else { json!({"type": "idle"}) };
        let id = if self.habit == Some(Habit::OtherAgent) { "another" } else { THREAD };
        json!({"id": id, "status": status, "ephemeral": false, "threadSource": "user", "turns": []})
    }

    /// The turns, the latest first.
    fn list(&self) -> Vec<Value> {
        let now = self.turns.now();
        let prompts = self.prompts().clone();
        let turn = |(number, name): (i64, Value)| {
            let is_over = number <= now.ended;
            let is_last = now.last.as_ref().filter(|it| it.number == number);
            let status = match is_last {
                Some(it) if it.is_aborted => "interrupted",
                _ if is_over => "completed",
                _ => "inProgress",
            };
            let mut items = vec![json!({"type": "userMessage", "id": "i1", "clientId": name})];
            if is_over {
                let text = is_last.map_or("", |it| it.text.as_str());
                items.push(json!({"type": "agentMessage", "id": "i2", "text": text}));
            }
            json!({"id": turn_id(number), "status": status, "items": items})
        };
        let mut turns: Vec<Value> = (1..).zip(prompts).map(turn).collect();
        turns.reverse();
        turns
    }
}

fn turn_id(number: i64) -> String {
    format!("turn-{number}")
}

fn say(socket: &mut WebSocket<UnixStream>, message: &Value) -> Result<()> {
    Ok(socket.send(Message::text(message.to_string()))?)
}
