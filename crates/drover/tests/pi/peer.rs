//! A peer that serves the control socket of an agent, and answers as its script says.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::thread;

use drover_testkit::{CommandOutput, TestEnv, processes};
use serde_json::{Value, json};

use crate::env;

/// What the peer does with a request.
pub(super) enum Reply {
    /// A line with these fields, `ok` among them.
    Fields(Value),
    /// These bytes, and then the end of the connection.
    Bytes(&'static [u8]),
    /// Nothing, for as long as the other side waits.
    Nothing,
}

/// What is done with each request; what is usual where it says nothing.
type Script = Box<dyn FnMut(&mut Pi, &Value) -> Option<Reply> + Send>;

/// What the script sees and changes.
pub(super) struct Pi {
    pub(super) agent: String,
    pub(super) pid: u32,
    pub(super) instance: &'static str,
    pub(super) state: &'static str,
    pub(super) session: &'static str,
    pub(super) turns: i64,
    /// Every request but `status`, as it came.
    pub(super) requests: Vec<Value>,
    script: Script,
}

impl Pi {
    /// The answer of a well-behaved peer.
    fn usual(&self, request: &Value) -> Value {
        match request["op"].as_str().unwrap() {
            "status" | "command" => self.status(),
            _ => self.taken(request),
        }
    }

    pub(super) fn status(&self) -> Value {
        json!({
            "ok": true, "agent": self.agent, "pid": self.pid, "instance": self.instance, "extension": 1,
            "state": self.state, "since": 1_796_072_764_567_i64, "turns": self.turns, "pending": false,
            "dialog": (self.state == "dialog").then(|| json!({"kind": "confirm", "title": "Allow?"})),
            "failing": null, "model": "p/m", "session": self.session, "file": "/s.jsonl", "last": null,
        })
    }

    pub(super) fn taken(&self, request: &Value) -> Value {
        json!({
            "ok": true, "disposition": "started", "turn": self.turns + 1,
            "message": request["message"], "session": self.session,
        })
    }
}

/// A project with one agent of the engine pi whose socket we serve.
pub(super) struct Stage {
    pub(super) env: TestEnv,
    pub(super) pi: Arc<Mutex<Pi>>,
    pub(super) pane: String,
}

impl Stage {
    /// The peer does what the script says, and what is usual where the script says nothing.
    #[track_caller]
    pub(super) fn new(
        script: impl FnMut(&mut Pi, &Value) -> Option<Reply> + Send + 'static,
    ) -> Self {
        let stage = Self::unserved(script);
        stage.serve();
        stage
    }

    /// The same without a socket.
    #[track_caller]
    pub(super) fn unserved(
        script: impl FnMut(&mut Pi, &Value) -> Option<Reply> + Send + 'static,
    ) -> Self {
        let env = env();
        env.drover(&["project", "init", "web"]).ok();
        env.shim("pi", "#!/bin/sh\nsleep 1000\nexit 0\n");
        let words = ["agent", "spawn", "w1", "--engine", "pi", "--json"];
        let agent = env.drover(&words).ok().data()["agent"].take();
        let pi = Pi {
            agent: agent["uid"].as_str().unwrap().to_owned(),
            pid: u32::try_from(agent["pane"]["pid"].as_u64().unwrap()).unwrap(),
            instance: "first",
            state: "idle",
            session: "s-1",
            turns: 0,
            requests: Vec::new(),
            script: Box::new(script),
        };
        let pane = agent["pane"]["id"].as_str().unwrap().to_owned();
        Self { env, pi: Arc::new(Mutex::new(pi)), pane }
    }

    pub(super) fn serve(&self) {
        let environment = processes::environment(self.pi.lock().unwrap().pid);
        let path = &environment[OsStr::new("DROVER_CONTROL")];
        let listener = UnixListener::bind(path).unwrap();
        let pi = Arc::clone(&self.pi);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, pi) = (stream.unwrap(), Arc::clone(&pi));
                thread::spawn(move || answer(stream, &pi));
            }
        });
    }

    pub(super) fn set(&self, change: impl FnOnce(&mut Pi)) {
        change(&mut self.pi.lock().unwrap());
        std::fs::write(self.env.state().join("wake"), "1").unwrap();
    }

    /// Requests of this operation.
    pub(super) fn requests(&self, op: &str) -> Vec<Value> {
        let pi = self.pi.lock().unwrap();
        pi.requests.iter().filter(|it| it["op"] == op).cloned().collect()
    }

    pub(super) fn send(&self, words: &[&str]) -> CommandOutput {
        let mut all = vec!["agent", "send", "w1", "--json"];
        all.extend(words);
        self.env.drover(&all)
    }

    pub(super) fn show(&self) -> Value {
        self.env.drover(&["agent", "show", "w1", "-n", "0", "--json"]).ok().data()["agent"].take()
    }

    /// What the pane runs, word by word.
    pub(super) fn command_line(&self) -> Vec<String> {
        processes::command_line(self.pi.lock().unwrap().pid)
    }

    pub(super) fn screen(&self) -> String {
        self.env.tmux_server().screen(&self.pane)
    }
}

fn answer(mut stream: UnixStream, pi: &Mutex<Pi>) {
    let mut line = String::new();
    if BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap() == 0 {
        return;
    }
    let request: Value = serde_json::from_str(&line).unwrap();
    let reply = {
        let mut pi = pi.lock().unwrap();
        if request["op"] != "status" {
            pi.requests.push(request.clone());
        }
        let mut script = std::mem::replace(&mut pi.script, Box::new(|_, _| None));
        let reply = script(&mut pi, &request);
        pi.script = script;
        reply.unwrap_or_else(|| Reply::Fields(pi.usual(&request)))
    };
    let sent = match reply {
        Reply::Fields(mut fields) => {
            fields["v"] = 1.into();
            stream.write_all(format!("{fields}\n").as_bytes())
        }
        Reply::Bytes(bytes) => stream.write_all(bytes),
        Reply::Nothing => {
            // Until the other side has had enough.
            let _ = BufReader::new(&stream).read_line(&mut line);
            Ok(())
        }
    };
    // Whoever asked may be gone.
    let _ = sent;
}
