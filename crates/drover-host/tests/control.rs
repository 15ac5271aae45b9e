//! The client of pi's control socket, against a peer that says what it is told to say, or nothing.
#![expect(clippy::unwrap_used, reason = "test harness")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use drover_host::control::ControlError;
use drover_host::control::pi::{Command, PiError, PiSocket, State, Stopped, Text, Way};
use serde_json::Value;

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(20);

/// A socket whose peer takes one request and answers with these bytes, then ends the connection if asked to.
struct Peer {
    folder: tempfile::TempDir,
    requests: mpsc::Receiver<Value>,
}

#[derive(Clone, Copy, PartialEq)]
enum Then {
    Close,
    Hold,
}

impl Peer {
    fn answering(answer: impl Into<Vec<u8>>, then: Then) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("s")).unwrap();
        let (sender, requests) = mpsc::channel();
        let answer = answer.into();
        thread::spawn(move || {
            let mut held: Vec<UnixStream> = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut line = String::new();
                BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
                let _ = stream.write_all(&answer);
                if then == Then::Hold {
                    held.push(stream);
                }
            }
        });
        Self { folder, requests }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    fn socket(&self) -> PiSocket {
        PiSocket::at(&self.path())
    }
}

fn status(word: &str) -> String {
    format!(
        r#"{{"v":1,"id":null,"ok":true,"agent":"a-1","pid":7,"instance":"i","extension":1,"state":"{word}","since":1796072764567,"turns":3,"pending":false,"dialog":{{"kind":"confirm","title":"Allow?"}},"failing":null,"model":"p/m","session":"s-1","file":"/f","last":{{"turn":3,"text":"done","error":null,"aborted":false,"at":1}}}}"#
    )
}

fn failure(answer: &str, then: Then) -> ControlError {
    let peer = Peer::answering(answer, then);
    match peer.socket().status(SHORT) {
        Err(PiError::Channel(err)) => err,
        other => panic!("{answer}: {other:?}"),
    }
}

#[test]
fn a_status_is_read_whole() {
    let peer = Peer::answering(status("dialog") + "\n", Then::Hold);
    let status = peer.socket().status(LONG).unwrap();
    assert_eq!((status.state, status.turns, status.pid), (State::Dialog, 3, 7));
    assert_eq!(status.dialog.unwrap().title, "Allow?");
    assert_eq!(status.last.unwrap().text.as_deref(), Some("done"));
    assert_eq!(status.since.unwrap().as_millisecond(), 1_796_072_764_567);
    let request = peer.requests.recv().unwrap();
    assert_eq!((&request["v"], &request["op"]), (&1.into(), &"status".into()));
}

#[test]
fn an_answer_that_is_none_is_an_error_that_shows_it() {
    let garbage = failure("hello there\n", Then::Hold).to_string();
    assert!(garbage.contains("hello there"), "{garbage}");
    for answer in ["{}\n", "[1]\n", "{\"v\":1}\n", "null\n", "{\"v\":1,\"ok\":true}\n", "\n"] {
        let err = failure(answer, Then::Hold);
        assert!(matches!(err, ControlError::Garbage { .. }), "{answer}: {err}");
    }
    let unknown = failure(&(status("dreaming") + "\n"), Then::Hold).to_string();
    assert!(unknown.ends_with("an answer without a usable \"state\""), "{unknown}");
}

#[test]
fn another_version_is_named() {
    let err = failure("{\"v\":2,\"ok\":true}\n", Then::Hold);
    assert!(err.to_string().ends_with("speaks version 2 of the protocol, not 1"), "{err}");
    assert!(!err.may_have_been_taken());
}

#[test]
fn half_a_line_is_no_answer() {
    let err = failure("{\"v\":1,\"ok\"", Then::Close);
    assert!(matches!(err, ControlError::Cut { bytes: 11, .. }), "{err}");
    assert!(err.may_have_been_taken());
    let held = failure("{\"v\":1,\"ok\"", Then::Hold);
    assert!(matches!(held, ControlError::Silent { .. }), "{held}");
}

#[test]
fn silence_costs_its_limit_and_no_more() {
    let begun = Instant::now();
    let err = failure("", Then::Hold);
    assert!(matches!(err, ControlError::Silent { .. }), "{err}");
    assert!(err.may_have_been_taken());
    assert!(begun.elapsed() < SHORT * 10, "{:?}", begun.elapsed());
}

#[test]
fn a_listener_that_takes_nobody_in_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let _first = UnixStream::connect(&path).unwrap();
    let begun = Instant::now();
    let err = PiSocket::at(&path).status(SHORT).unwrap_err();
    let PiError::Channel(err) = err else { panic!("{err}") };
    assert!(matches!(err, ControlError::Deaf { .. }), "{err}");
    assert!(begun.elapsed() < SHORT * 10);
}

#[test]
fn a_text_that_the_peer_does_not_read_is_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let _listener = UnixListener::bind(&path).unwrap();
    let text = "x".repeat(4 << 20);
    let text = Text { id: "m", instance: "i", text: &text };
    let err = PiSocket::at(&path).give(Way::Turn, &text, SHORT).unwrap_err();
    let PiError::Channel(err) = err else { panic!("{err}") };
    assert!(matches!(err, ControlError::Deaf { .. }), "{err}");
    assert!(!err.may_have_been_taken());
}

#[test]
fn a_socket_that_is_not_there_and_one_that_is_left_over_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let PiError::Channel(missing) = PiSocket::at(&path).hello(SHORT).unwrap_err() else { panic!() };
    assert!(matches!(missing, ControlError::Missing { .. }), "{missing}");
    drop(UnixListener::bind(&path).unwrap());
    let PiError::Channel(stale) = PiSocket::at(&path).hello(SHORT).unwrap_err() else { panic!() };
    assert!(matches!(stale, ControlError::Stale { .. }), "{stale}");
    let long = folder.path().join("s".repeat(200));
    let PiError::Channel(long) = PiSocket::at(&long).hello(SHORT).unwrap_err() else { panic!() };
    assert!(matches!(long, ControlError::PathTooLong { .. }), "{long}");
}

#[test]
fn a_text_is_given_with_its_identity_and_the_answer_says_which_turn_has_it() {
    let answer = r#"{"v":1,"ok":true,"disposition":"started","turn":4,"message":"m","session":"s","repeated":true}"#;
    let peer = Peer::answering(format!("{answer}\n"), Then::Hold);
    let text = Text { id: "m", instance: "i", text: "line one\n\"two\" \u{1f600}" };
    let taken = peer.socket().give(Way::Steer, &text, LONG).unwrap();
    assert_eq!((taken.is_queued, taken.turn, taken.is_repeat), (false, 4, true));
    let request = peer.requests.recv().unwrap();
    assert_eq!(request["text"], text.text);
    assert_eq!((&request["op"], &request["mode"]), (&"send".into(), &"steer".into()));
    assert_eq!((&request["message"], &request["instance"]), (&"m".into(), &"i".into()));
}

#[test]
fn a_refusal_keeps_its_word_and_its_reason() {
    let answer = r#"{"v":1,"ok":false,"error":"busy","detail":"a turn is running"}"#;
    let peer = Peer::answering(format!("{answer}\n"), Then::Hold);
    let err = peer.socket().command(Command::Reload, false, LONG).unwrap_err();
    assert_eq!((err.code(), err.to_string().as_str()), (Some("busy"), "a turn is running"));
    let answer = r#"{"v":1,"ok":true,"was":"busy","settled":false}"#;
    let peer = Peer::answering(format!("{answer}\n"), Then::Hold);
    assert_eq!(peer.socket().abort(SHORT).unwrap(), Stopped::NotYet);
    assert_eq!(peer.requests.recv().unwrap()["timeout_ms"], 300);
}
