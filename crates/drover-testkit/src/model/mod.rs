//! A model provider on loopback for real agents: three wire formats, and answers that the prompt itself chooses.

mod answer;
mod asked;
mod directive;
mod format;
mod http;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use self::answer::{Answer, Stream};
use self::asked::Asked;
use self::directive::{Directive, Step};
use self::format::Format;
pub use self::format::MODEL;
use self::http::Incoming;
use crate::digest;

/// Nothing holds an answer back for longer.
const LONGEST_HOLD: Duration = Duration::from_mins(5);

/// The server; it is gone when it is dropped.
///
/// What it answers is chosen by the last line of the last prompt that is one of these:
///
/// | line | answer |
/// | --- | --- |
/// | `SAY text` | that text |
/// | `SLOW n ms` | n words, one every so many milliseconds |
/// | `HOLD name` | `held`, as soon as the test calls [`FakeModel::let_go`] |
/// | `HANG s` | `late`, after so many seconds |
/// | `BIG n` | so many bytes |
/// | `RECALL word` | the first line of an earlier prompt that holds the word |
/// | `TOOL command` | a call of the agent's shell, then `tool said:` and its result |
/// | `CALL tool {…}` | a call of that tool, likewise; several such lines are called in turn |
/// | `ERR status [n]` | that error of a provider, always or the first n times |
/// | `CUT` | a beginning, then the end of the connection |
///
/// Anything else is answered by `canned:` and the prompt's last line. In the arguments of `CALL`,
/// `$1` stands for the result of the first call before it, and so on.
#[derive(Debug)]
pub struct FakeModel {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// One request for an answer, as it came.
#[derive(Debug)]
pub struct Request {
    /// When it came.
    pub at: Instant,
    /// The path, without what follows `?`.
    pub path: String,
    /// The texts of the last prompt, each block for itself.
    pub texts: Vec<String>,
    /// The SHA-256 digests of these texts.
    pub digests: Vec<String>,
    /// The results of the calls made for this prompt so far.
    pub results: Vec<String>,
    /// The names of the tools that were offered.
    pub tools: Vec<String>,
    /// The status it was answered with.
    pub status: u16,
}

impl Request {
    /// Whether it begins a turn of an agent: tools are offered and none was called yet.
    pub fn begins_turn(&self) -> bool {
        self.results.is_empty() && !self.tools.is_empty()
    }

    /// Whether exactly this text is one of the prompt's.
    pub fn holds(&self, text: &str) -> bool {
        self.texts.iter().any(|it| it == text)
    }
}

#[derive(Debug, Default)]
struct Shared {
    is_over: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<Arc<Request>>,
    let_go: BTreeSet<String>,
    errors: BTreeMap<String, u32>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the lock panics")
    }
}

impl FakeModel {
    /// Starts it on a port of its own.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("the port's number");
        let shared = Arc::new(Shared::default());
        let server = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if server.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&server);
                thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// `http://127.0.0.1:PORT`, to which the formats add `/v1/…`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.shared.state().requests.clone()
    }

    /// The requests that began a turn, in order.
    pub fn turns(&self) -> Vec<Arc<Request>> {
        self.requests().into_iter().filter(|it| it.begins_turn()).collect()
    }

    /// How many turns were begun by a prompt with exactly this text.
    pub fn turns_of(&self, text: &str) -> usize {
        self.turns().iter().filter(|it| it.holds(text)).count()
    }

    /// Lets every `HOLD` of this name go on, those to come included.
    pub fn let_go(&self, name: &str) {
        self.shared.state().let_go.insert(name.to_owned());
        self.shared.changed.notify_all();
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
        // Wakes the one who accepts; it may be gone already.
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers the requests of one connection until either side ends it.
fn serve(stream: TcpStream, shared: &Shared) {
    let Ok(mut connection) = http::Connection::new(stream) else { return };
    while let Some(incoming) = connection.next() {
        if shared.is_over.load(Ordering::Relaxed)
            || respond(&mut connection, &incoming, shared).is_err()
        {
            return;
        }
    }
}

fn respond(
    connection: &mut http::Connection,
    incoming: &Incoming,
    shared: &Shared,
) -> std::io::Result<()> {
    let path = incoming.path.as_str();
    match incoming.method.as_str() {
        "HEAD" => return connection.whole(200, &[], b""),
        "GET" if path.ends_with("/models") => {
            let model =
                json!({"id": MODEL, "object": "model", "type": "model", "display_name": "Fake"});
            return connection.json(200, &json!({"object": "list", "data": [model], "models": []}));
        }
        "POST" => {}
        _ => return connection.json(404, &json!({"error": {"message": "no such path"}})),
    }
    if path.ends_with("/count_tokens") {
        return connection.json(200, &json!({"input_tokens": 10}));
    }
    let (Some(format), Ok(body)) = (Format::of(path), serde_json::from_slice(&incoming.body))
    else {
        return connection.json(404, &json!({"error": {"message": "no such path, or no JSON"}}));
    };
    let asked = Asked::read(format, &body);
    let directive = directive::of(&asked.texts.join("\n"));
    let failure = failure(&directive, shared);
    log(shared, incoming, &asked, failure.unwrap_or(200));
    if let Some(status) = failure {
        return refuse(connection, status);
    }
    let answer = answer(directive, &asked, shared);
    if asked.is_streaming {
        stream(connection, format, &answer)
    } else {
        pass(answer.delay);
        connection.json(200, &answer::whole(format, &answer))
    }
}

fn log(shared: &Shared, incoming: &Incoming, asked: &Asked, status: u16) {
    let request = Request {
        at: Instant::now(),
        path: incoming.path.clone(),
        digests: asked.texts.iter().map(|it| digest::sha256_hex(it.as_bytes())).collect(),
        texts: asked.texts.clone(),
        results: asked.results.clone(),
        tools: asked.tools.clone(),
        status,
    };
    shared.state().requests.push(Arc::new(request));
}

/// The status of a request that is to fail.
fn failure(directive: &Directive, shared: &Shared) -> Option<u16> {
    let Directive::Error { status, times, line } = directive else { return None };
    let mut state = shared.state();
    let count = state.errors.entry(line.clone()).or_default();
    *count += 1;
    times.is_none_or(|it| *count <= it).then_some(*status)
}

fn refuse(connection: &mut http::Connection, status: u16) -> std::io::Result<()> {
    let kind = match status {
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    let error = json!({"type": kind, "code": kind, "message": format!("fake {status}")});
    let body = json!({"type": "error", "error": error}).to_string();
    let wait: &[(&str, &str)] = if status == 429 { &[("retry-after", "1")] } else { &[] };
    connection.whole(status, wait, body.as_bytes())
}

fn answer(directive: Directive, asked: &Asked, shared: &Shared) -> Answer {
    match directive {
        Directive::Say(text) => Answer::of(text),
        Directive::Slow { words, pause } => {
            let parts = (0..words).map(|it| format!("w{it} ")).collect();
            Answer { parts, pause, ..Answer::default() }
        }
        Directive::Hold(name) => {
            let state = shared.state();
            let is_held = |it: &mut State| {
                !it.let_go.contains(&name) && !shared.is_over.load(Ordering::Relaxed)
            };
            drop(shared.changed.wait_timeout_while(state, LONGEST_HOLD, is_held));
            Answer::of("held".to_owned())
        }
        Directive::Hang(delay) => Answer { delay, ..Answer::of("late".to_owned()) },
        Directive::Big(bytes) => Answer::of("x".repeat(bytes)),
        Directive::Recall(word) => Answer::of(asked.recall(&word)),
        Directive::Cut => Answer { is_cut: true, ..Answer::of("part ".to_owned()) },
        Directive::Error { .. } => Answer::of("recovered".to_owned()),
        Directive::Steps(steps) => step(&steps, asked),
        Directive::Other(line) => Answer::of(format!("canned: {line}")),
    }
}

/// The next call of a prompt that asks for some, or what came of the last.
fn step(steps: &[Step], asked: &Asked) -> Answer {
    let Some(step) = steps.get(asked.results.len()) else {
        let last = asked.results.last().map_or("", |it| it.trim());
        return Answer::of(format!("tool said: {last}"));
    };
    match asked.call(step) {
        Some(call) => Answer { call: Some(call), ..Answer::default() },
        None => Answer::of(format!("no such tool for {step:?}")),
    }
}

/// The only sleep of the server: a model that takes its time is what is played here.
fn pass(time: Duration) {
    if !time.is_zero() {
        thread::sleep(time);
    }
}

fn stream(
    connection: &mut http::Connection,
    format: Format,
    answer: &Answer,
) -> std::io::Result<()> {
    connection.begin_stream()?;
    pass(answer.delay);
    for piece in Stream::new(format, answer) {
        pass(piece.pause);
        connection.event(piece.event, &piece.data)?;
    }
    if answer.is_cut { connection.cut() } else { connection.end_stream() }
}
