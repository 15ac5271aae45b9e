//! The client of Codex's app-server, against a peer that says what it is told to say, or nothing.
#![expect(clippy::unwrap_used, reason = "test harness")]

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use drover_host::control::codex::{Client, CodexError, Event, Status, Thread, TurnStatus, View};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(20);

/// A socket whose peer does with each connection what it is told.
struct Peer {
    folder: tempfile::TempDir,
}

impl Peer {
    fn doing(each: impl Fn(UnixStream) + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("s")).unwrap();
        thread::spawn(move || listener.incoming().flatten().for_each(each));
        Self { folder }
    }

    /// A peer that introduces itself, and gives each later request to `answer`, which says all that is sent then.
    fn speaking(answer: impl Fn(&Value) -> Vec<Message> + Send + 'static) -> Self {
        Self::doing(move |stream| {
            let Ok(mut socket) = tungstenite::accept(stream) else { return };
            while let Ok(Message::Text(text)) = socket.read() {
                let request: Value = serde_json::from_str(&text).unwrap();
                let messages = match request["method"].as_str() {
                    Some("initialize") => vec![result(&request, &json!({"userAgent": "peer"}))],
                    Some("initialized") => Vec::new(),
                    _ => answer(&request),
                };
                for message in messages {
                    socket.send(message).unwrap();
                }
            }
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    fn client(&self, limit: Duration) -> Client {
        Client::connect(&self.path(), limit).unwrap()
    }
}

fn result(request: &Value, result: &Value) -> Message {
    Message::text(json!({"id": request["id"], "result": result}).to_string())
}

fn error(request: &Value, code: i64, message: &str) -> Message {
    let error = json!({"code": code, "message": message});
    Message::text(json!({"id": request["id"], "error": error}).to_string())
}

fn notice(method: &str, params: &Value) -> Message {
    Message::text(json!({"method": method, "params": params}).to_string())
}

fn thread(id: &str, source: &str) -> Value {
    json!({"id": id, "status": {"type": "idle"}, "ephemeral": false, "threadSource": source, "more": 1})
}

/// What the turns of a conversation come to when the peer answers like this.
fn refusal(answer: impl Fn(&Value) -> Vec<Message> + Send + 'static) -> CodexError {
    let peer = Peer::speaking(answer);
    let mut client = peer.client(LONG);
    client.allow(SHORT);
    client.turns("t", 1, View::Summary).unwrap_err()
}

#[test]
fn what_the_server_says_by_itself_is_kept_for_later_and_the_answer_found() {
    let peer = Peer::speaking(|request| {
        let status = json!({"threadId": "a", "status": {"type": "active", "activeFlags": ["waitingOnApproval", "new"]}});
        let said = notice("thread/status/changed", &status);
        match request["method"].as_str().unwrap() {
            "thread/loaded/list" => {
                vec![
                    said,
                    result(&json!({"id": 0}), &json!("late")),
                    result(request, &json!({"data": ["a", "t"]})),
                ]
            }
            "thread/read" if request["params"]["threadId"] == "a" => {
                vec![result(request, &json!({"thread": thread("a", "user")}))]
            }
            _ => vec![result(request, &json!({"thread": thread("t", "thread_title")}))],
        }
    });
    let mut client = peer.client(LONG);
    let threads = client.threads().unwrap();
    assert_eq!(threads.iter().map(Thread::is_conversation).collect::<Vec<_>>(), [true, false]);
    assert_eq!(threads[0].status, Status::Idle);
    let Some(Event::Status { thread, status }) = client.next_event().unwrap() else { panic!() };
    assert!(thread == "a" && status.is_active());
}

#[test]
fn a_turn_that_runs_is_told_from_those_that_ended_and_has_its_place() {
    let peer = Peer::speaking(|request| {
        let turn = |id: &str, status: &str| json!({"id": id, "status": status, "items": []});
        let page = match request["params"]["cursor"].as_str() {
            None => {
                json!({"data": [turn("d", "inProgress"), turn("c", "failed")], "nextCursor": "2"})
            }
            Some(_) => {
                json!({"data": [turn("b", "interrupted"), turn("a", "completed")], "nextCursor": null})
            }
        };
        vec![result(request, &page)]
    });
    let mut client = peer.client(LONG);
    assert_eq!(client.ended_turns("t").unwrap(), 3);
    let places = ["d", "b", "a", "x"].map(|it| client.turn_number("t", it).unwrap());
    assert_eq!(places, [Some(4), Some(2), Some(1), None]);
    let latest = client.turns("t", 2, View::Full).unwrap();
    assert_eq!(latest[0].status, TurnStatus::InProgress);
}

#[test]
fn a_conversation_without_a_prompt_has_no_turns_and_neither_has_one_that_is_being_written() {
    for (code, message) in [
        (-32603, "failed to read: rollout at /x is empty"),
        (-32601, "list_turns is not supported yet"),
    ] {
        let peer = Peer::speaking(move |request| vec![error(request, code, message)]);
        assert_eq!(peer.client(LONG).turns("x", 5, View::Full).unwrap(), []);
    }
    let peer = Peer::speaking(|request| {
        vec![error(
            request,
            -32600,
            "thread x is not materialized yet; thread/turns/list is unavailable",
        )]
    });
    assert_eq!(peer.client(LONG).turns("x", 5, View::Full).unwrap(), []);
}

#[test]
fn leave_that_stands_is_read_again_and_answered_by_its_request() {
    let (sender, answers) = mpsc::channel();
    let peer = Peer::speaking(move |request| {
        if request["method"] == "thread/resume" {
            let params = json!({"threadId": "a", "turnId": "t", "itemId": "call_1", "command": "touch x", "reason": "why",
                "availableDecisions": ["accept", {"other": {}}, "cancel"]});
            let asked = json!({"id": 7, "method": "item/commandExecution/requestApproval", "params": params});
            return vec![result(request, &json!({})), Message::text(asked.to_string())];
        }
        sender.send(request.clone()).unwrap();
        Vec::new()
    });
    let mut client = peer.client(LONG);
    let approval = client.approval("a").unwrap().unwrap();
    assert_eq!((approval.what.as_str(), approval.item.as_str()), ("touch x", "call_1"));
    assert_eq!(approval.decisions, ["accept", "cancel"]);
    client.decide(&approval, "accept").unwrap();
    let answer = answers.recv_timeout(LONG).unwrap();
    assert_eq!(answer, json!({"id": 7, "result": {"decision": "accept"}}));
}

#[test]
fn a_path_longer_than_a_sockets_name_is_followed_to_the_socket() {
    let peer = Peer::speaking(|request| vec![result(request, &json!({"data": []}))]);
    let long = peer.folder.path().join("d".repeat(120));
    std::fs::create_dir(&long).unwrap();
    std::os::unix::fs::symlink(peer.path(), long.join("s")).unwrap();
    assert_eq!(Client::connect(&long.join("s"), LONG).unwrap().threads().unwrap(), []);
}

#[test]
fn a_socket_that_nobody_serves_is_told_from_one_that_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none");
    assert!(matches!(Client::connect(&missing, SHORT), Err(CodexError::NotServed { .. })));
    let dead = folder.path().join("dead");
    drop(UnixListener::bind(&dead).unwrap());
    assert!(matches!(Client::connect(&dead, SHORT), Err(CodexError::NotServed { .. })));
}

#[test]
fn silence_ends_with_the_time_given_and_is_named() {
    let held = std::sync::Mutex::new(Vec::new());
    let peer = Peer::doing(move |stream| held.lock().unwrap().push(stream));
    let began = Instant::now();
    assert!(matches!(Client::connect(&peer.path(), SHORT), Err(CodexError::Silent { .. })));
    assert!(matches!(
        refusal(|_| Vec::new()),
        CodexError::Silent { what: "thread/turns/list", .. }
    ));
    assert!(began.elapsed() < LONG);
}

#[test]
fn an_answer_that_drips_in_does_not_outlast_the_time_given() {
    let peer = Peer::doing(|stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else { return };
        let _ = socket.read();
        // The head of a long frame, and then a byte now and then.
        let stream: &mut UnixStream = WebSocket::get_mut(&mut socket);
        let _ = stream.write_all(&[0x81, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0]);
        stream.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
        let mut byte = [0];
        while stream.write_all(b"x").is_ok() {
            let _ = stream.read(&mut byte);
        }
    });
    let began = Instant::now();
    assert!(matches!(Client::connect(&peer.path(), SHORT), Err(CodexError::Silent { .. })));
    assert!(began.elapsed() < LONG);
}

#[test]
fn garbage_is_named_in_every_place_where_it_can_come() {
    let peer = Peer::doing(|mut stream| {
        let mut head = [0; 1024];
        let _ = stream.read(&mut head);
        let _ = stream.write_all(b"\0{]not a handshake\r\n\r\n");
    });
    assert!(matches!(Client::connect(&peer.path(), LONG), Err(CodexError::Garbage { .. })));
    for message in
        [Message::text("{\"id\":"), Message::text("\u{1b}[31m"), Message::binary(vec![0; 9])]
    {
        let err = refusal(move |_| vec![message.clone()]);
        let CodexError::Garbage { detail, .. } = &err else { panic!("{err:?}") };
        assert!(!detail.contains('\u{1b}') && err.may_be_done(), "{err}");
    }
}

#[test]
fn another_version_and_a_refusal_are_told_apart_from_a_hang_up() {
    let unknown = refusal(|it| vec![error(it, -32601, "no such method")]);
    assert!(matches!(unknown, CodexError::OtherVersion { .. }), "{unknown:?}");
    let unknown = refusal(|it| vec![error(it, -32600, "unknown variant `thread/turns/list`")]);
    assert!(matches!(unknown, CodexError::OtherVersion { .. }), "{unknown:?}");
    let shape = refusal(|it| vec![result(it, &json!({"turns": []}))]);
    assert!(matches!(shape, CodexError::OtherVersion { .. }), "{shape:?}");
    let refused = refusal(|it| vec![error(it, -32600, "not now")]);
    assert!(matches!(&refused, CodexError::Refused { message, .. } if message == "not now"));
    assert!(!refused.may_be_done());
    let closed = refusal(|_| vec![Message::Close(None)]);
    assert!(matches!(closed, CodexError::HungUp { .. }), "{closed:?}");
}
