//! A process that stays and answers verb after verb, so that no start of a process is measured.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use drover_testkit::TestEnv;
use serde_json::{Value, json};

/// `drover mcp` on the project `bench` of a place.
pub(crate) struct Served {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    number: u64,
}

impl Served {
    /// Starts it and says hello.
    pub(crate) fn new(env: &TestEnv) -> Self {
        let mut command = env.command(env.binary());
        command.args(["mcp", "-p", "bench"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a server");
        let stdin = child.stdin.take().expect("its input");
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut served = Self { child, stdin, stdout, number: 0 };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" } });
        served.ask("initialize", &hello);
        served.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        served
    }

    /// Calls a verb, which does what it is asked; how long that took, and what it answered.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> (Duration, Value) {
        let (took, answer) = self.ask_for(tool, arguments);
        assert!(answer.get("ok") == Some(&Value::Bool(true)), "{tool} {arguments}: {answer}");
        (took, answer)
    }

    /// Calls a verb, which may be refused.
    pub(crate) fn ask_for(&mut self, tool: &str, arguments: &Value) -> (Duration, Value) {
        let begun = Instant::now();
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let took = begun.elapsed();
        let answer = answer.pointer("/result/structuredContent").cloned().unwrap_or(answer);
        (took, answer)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).expect("a line");
            assert!(read > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer.get("id") == Some(&json!(id)) {
                return answer;
            }
        }
    }

    fn tell(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").expect("it reads");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
