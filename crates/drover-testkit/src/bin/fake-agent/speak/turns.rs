//! The turns of a stand-in that is told through a socket, without a model: each takes its time and ends.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::record::{self, Record};

/// The turns, shared by those who answer for them.
#[derive(Debug)]
pub(crate) struct Turns {
    length: Duration,
    state: Mutex<State>,
    changed: Condvar,
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct State {
    ended: i64,
    running: Option<Running>,
    last: Option<Ended>,
    dialog: Option<String>,
}

#[derive(Debug)]
struct Running {
    text: String,
    ends: Instant,
}

/// A turn that is over.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) number: i64,
    pub(super) text: String,
    pub(super) is_aborted: bool,
}

/// What is going on.
#[derive(Clone, Debug)]
pub(super) struct Now {
    pub(super) ended: i64,
    pub(super) is_busy: bool,
    pub(super) dialog: Option<String>,
    pub(super) last: Option<Ended>,
}

impl Turns {
    pub(super) fn new(record: Option<&Path>, length: Duration) -> std::io::Result<Self> {
        Ok(Self {
            length,
            state: Mutex::default(),
            changed: Condvar::new(),
            record: Mutex::new(Record::open(record)?),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Now {
        let state = self.state();
        Now {
            ended: state.ended,
            is_busy: state.running.is_some(),
            dialog: state.dialog.clone(),
            last: state.last.clone(),
        }
    }

    /// Notes that a dialog stands in the terminal, or no longer does.
    pub(super) fn set_dialog(&self, kind: Option<&str>) {
        self.state().dialog = kind.map(str::to_owned);
        self.tell();
    }

    /// Begins a turn with this text; its number, unless one runs.
    pub(super) fn begin(self: &Arc<Self>, text: &str) -> Option<i64> {
        let mut state = self.state();
        if state.running.is_some() {
            return None;
        }
        self.write(&record::text_event("submit", text.as_bytes()));
        state.running = Some(Running { text: text.to_owned(), ends: Instant::now() + self.length });
        let number = state.ended + 1;
        drop(state);
        self.tell();
        let turns = Arc::clone(self);
        thread::spawn(move || turns.run());
        Some(number)
    }

    /// Stops the turn; whether one ran.
    pub(super) fn abort(&self) -> bool {
        let is_running = self.state().running.is_some();
        self.end(true);
        is_running
    }

    /// Waits until a turn above this number has ended, at most so long.
    pub(super) fn wait(&self, after: i64, most: Duration) -> bool {
        let state = self.state();
        let waited = self.changed.wait_timeout_while(state, most, |it| it.ended <= after);
        waited.is_ok_and(|(state, _)| state.ended > after)
    }

    fn run(&self) {
        let mut state = self.state();
        while let Some(running) = &state.running {
            let left = running.ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = match self.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(err) => err.into_inner().0,
            };
        }
        drop(state);
        self.end(false);
    }

    fn end(&self, is_aborted: bool) {
        let mut state = self.state();
        let Some(running) = state.running.take() else { return };
        state.ended += 1;
        let text = format!("took {} bytes", running.text.len());
        state.last = Some(Ended { number: state.ended, text, is_aborted });
        self.write(&json!({"event": if is_aborted { "interrupted" } else { "turn_end" }}));
        drop(state);
        self.tell();
        call_when_idle();
    }

    /// Wakes those who wait, here and in Drover's calls.
    fn tell(&self) {
        self.changed.notify_all();
        let Some(state) = std::env::var_os("DROVER_STATE_DIR") else { return };
        let Ok(file) = std::fs::File::options().append(true).open(Path::new(&state).join("wake"))
        else {
            return;
        };
        // Nobody may be waiting.
        let _ = file.set_modified(SystemTime::now());
    }

    pub(super) fn write(&self, event: &Value) {
        let mut record = self.record.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A record that is full fails the test that reads it.
        let _ = record.write(event);
    }
}

/// Has Drover deliver what is due, as the real agents' parts of it do.
fn call_when_idle() {
    let (Some(program), Some(agent)) =
        (std::env::var_os("DROVER_BINARY"), std::env::var_os("DROVER_AGENT_UID"))
    else {
        return;
    };
    let mut command = Command::new(program);
    command.arg("agent-idle").arg(agent).env_remove("DROVER_TOKEN");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        thread::spawn(move || child.wait());
    }
}
