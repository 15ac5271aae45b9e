//! The stand-ins speak as the real agents do, well or badly.
#![expect(clippy::unwrap_used, reason = "test harness")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use drover_testkit::{Recorded, TestEnv, wait_for, wait_until};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(10);

struct StandIn {
    env: TestEnv,
    pane: String,
}

impl StandIn {
    fn start(protocol: &str, words: &[&str]) -> Self {
        let mut env = TestEnv::without_binary();
        env.set("DROVER_CONTROL", env.root().join("c"));
        env.set("DROVER_AGENT_UID", "u1");
        let record = env.root().join("record");
        let mut all = vec![env!("CARGO_BIN_EXE_fake-agent"), "--record", record.to_str().unwrap()];
        all.extend(["--turn-ms", "300", "--speak", protocol]);
        all.extend(words);
        let pane = env.tmux_server().start_pane(&all);
        let stand_in = Self { env, pane };
        wait_until("its start", SOON, || stand_in.recorded().of("boot").len() == 1);
        stand_in
    }

    fn recorded(&self) -> Recorded {
        Recorded::read(self.env.root().join("record"))
    }

    /// What came back to a request, as lines; an end of the connection ends them.
    fn ask(&self, request: &Value) -> Vec<String> {
        let mut stream = UnixStream::connect(self.env.root().join("c")).unwrap();
        stream.write_all(format!("{request}\n").as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        BufReader::new(stream)
            .split(b'\n')
            .map(|it| String::from_utf8_lossy(&it.unwrap()).into_owned())
            .collect()
    }

    fn ask_json(&self, request: &Value) -> Value {
        serde_json::from_str(&self.ask(request)[0]).unwrap()
    }

    fn submit(&self, text: &str) {
        let tmux = self.env.tmux_server();
        tmux.paste(&self.pane, text.as_bytes());
        wait_until("the text", SOON, || tmux.screen(&self.pane).contains(text));
        tmux.keys(&self.pane, &["Enter"]);
    }
}

fn send(text: &str) -> Value {
    json!({"v": 1, "id": 7, "op": "send", "text": text, "message": "m1"})
}

#[test]
fn pi_takes_a_text_and_is_busy_until_the_turn_has_ended() {
    let pi = StandIn::start("pi", &["-e", "extension.ts", "--session-id", "s1"]);
    let sent = pi.ask_json(&send("hello"));
    let expected = json!({"ok": true, "disposition": "started", "turn": 1, "message": "m1", "session": "s1", "v": 1, "id": 7});
    assert_eq!(sent, expected);
    assert_eq!(pi.ask_json(&send("more"))["error"], "busy");
    let status = json!({"v": 1, "op": "status"});
    assert_eq!(pi.ask_json(&status)["state"], "busy");
    let waited = pi.ask_json(&json!({"v": 1, "op": "wait", "after": 0, "timeout_ms": 9_000}));
    assert_eq!((&waited["turns"], &waited["state"]), (&json!(1), &json!("idle")));
    assert_eq!(waited["last"]["text"], "took 5 bytes");
    assert_eq!(pi.recorded().of("submit")[0]["text"], "hello");
}

#[test]
fn pi_has_bad_habits() {
    let lines = |habit: &str| StandIn::start("pi", &["--habit", habit]).ask(&send("hello"));
    assert!(lines("silent").is_empty());
    assert!(serde_json::from_str::<Value>(&lines("garbage")[0]).is_err());
    assert!(serde_json::from_str::<Value>(&lines("half-a-line")[0]).is_err());
    assert!(lines("hangs-up").is_empty());
    assert!(lines("other-version")[0].contains("\"v\":99"));
    assert_eq!(lines("twice").len(), 2);
}

#[test]
fn claude_writes_its_status_and_calls_its_hooks() {
    let hook = |event: &str| json!([{"hooks": [{"type": "command", "command": format!("cat >>$HOME/{event}")}]}]);
    let settings = json!({"hooks": {"UserPromptSubmit": hook("prompt"), "Stop": hook("stop")}});
    let claude =
        StandIn::start("claude", &["--session-id", "s1", "--settings", &settings.to_string()]);
    let pid = claude.env.tmux_server().format(&claude.pane, "#{pane_pid}");
    let file: PathBuf = claude.env.home().join(format!(".claude/sessions/{pid}.json"));
    let status = || serde_json::from_slice::<Value>(&std::fs::read(&file).ok()?).ok();
    let is = |wanted: &'static str| move |it: &Value| it["status"] == wanted;
    let idle = wait_for("idle", SOON, || status().filter(is("idle")));
    assert_eq!((&idle["sessionId"], idle["pid"].to_string()), (&json!("s1"), pid));
    claude.submit("hello");
    wait_for("busy", SOON, || status().filter(is("busy")));
    wait_for("idle again", SOON, || status().filter(is("idle")));
    let told = |name: &str| {
        serde_json::from_slice::<Value>(&std::fs::read(claude.env.home().join(name)).unwrap())
            .unwrap()
    };
    assert_eq!(told("prompt")["prompt"], "hello");
    assert_eq!(told("stop")["session_id"], "s1");
}

#[test]
fn codex_serves_its_one_conversation() {
    let env = TestEnv::without_binary();
    let socket = env.root().join("c");
    let address = format!("unix://{}", socket.display());
    let words =
        ["--speak", "codex", "--turn-ms", "100", "app-server", "--listen", &address, "-c", "a=1"];
    let _server = env.call(env!("CARGO_BIN_EXE_fake-agent"), &words).start();
    wait_until("its socket", SOON, || UnixStream::connect(&socket).is_ok());
    let stream = UnixStream::connect(&socket).unwrap();
    let (mut client, _) = tungstenite::client("ws://localhost/", stream).unwrap();
    let mut ask = |method: &str, params: Value| {
        let request = json!({"id": 1, "method": method, "params": params});
        client.send(tungstenite::Message::text(request.to_string())).unwrap();
        loop {
            let answer: Value =
                serde_json::from_str(client.read().unwrap().to_text().unwrap()).unwrap();
            if answer["id"] == 1 {
                return answer;
            }
        }
    };
    ask("initialize", json!({}));
    let loaded = ask("thread/loaded/list", json!({}));
    let thread = loaded["result"]["data"][0].clone();
    let input = json!([{"type": "text", "text": "hello"}]);
    let prompt = json!({"threadId": thread, "input": input, "clientUserMessageId": "m1"});
    let started = ask("turn/start", prompt.clone());
    assert_eq!(started["result"]["turn"]["status"], "inProgress");
    assert!(ask("turn/start", prompt)["error"]["message"].is_string());
    let read = ask("thread/read", json!({"threadId": thread}));
    assert_eq!(read["result"]["thread"]["status"]["type"], "active");
    wait_until("the end of the turn", SOON, || {
        let turns = ask("thread/turns/list", json!({"threadId": thread}));
        turns["result"]["data"][0]["status"] == "completed"
    });
    assert!(ask("no/such", json!({}))["error"]["code"] == -32601);
}
