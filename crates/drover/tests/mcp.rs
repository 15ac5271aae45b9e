//! `drover mcp` as a client sees it: messages in, messages out.
#![expect(clippy::needless_pass_by_value, reason = "what is sent is built where it is said")]

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use drover_testkit::{TestEnv, wait_until};
use serde_json::{Value, json};

use crate::env;
use crate::stage::{SOON, quoted};

/// A client of one server.
struct Client {
    /// `None` once the client has left.
    input: Option<File>,
    output: Receiver<Value>,
    child: Option<Child>,
    asked: u64,
}

impl Client {
    /// Starts a server as a person and greets it.
    #[track_caller]
    fn of_person(env: &TestEnv, words: &[&str]) -> Self {
        let mut command = env.command(env.binary());
        command.arg("mcp").args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = File::from(std::os::fd::OwnedFd::from(child.stdin.take().unwrap()));
        let output = lines(child.stdout.take().unwrap());
        Self { input: Some(input), output, child: Some(child), asked: 0 }.greeted()
    }

    /// Starts a server in the pane of a new agent of the project `web` and greets it.
    #[track_caller]
    fn of_agent(env: &TestEnv, name: &str, role: &str) -> Self {
        let [input, output] = ["in", "out"].map(|it| env.root().join(format!("{name}.{it}")));
        env.call("mkfifo", &[&input, &output]).run().ok();
        let words = [env.binary(), &input, &output].map(|it| quoted(it.to_str().unwrap()));
        let [binary, from, to] = &words;
        let line = format!("sh -c {}", quoted(&format!("exec {binary} mcp < {from} > {to}")));
        let directory = env.root().join(format!("{name}.d"));
        std::fs::create_dir(&directory).unwrap();
        let place = directory.to_str().unwrap();
        let words = ["agent", "spawn", name, "-p", "web", "--role", role, "--cwd", place];
        env.drover_call(&words).argument("--command").argument(line).run().ok();
        // Opened both ways, no end waits for the other.
        let both = |path| OpenOptions::new().read(true).write(true).open(path).unwrap();
        let (input, output) = (both(input), lines(both(output)));
        Self { input: Some(input), output, child: None, asked: 0 }.greeted()
    }

    #[track_caller]
    fn greeted(mut self) -> Self {
        let client = json!({ "name": "test", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let answer = self.ask("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "drover", "{answer}");
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        self
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Sends a question without waiting for its answer.
    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        let question = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(&question.to_string());
        id
    }

    fn start(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    #[track_caller]
    fn next(&self) -> Value {
        self.output.recv_timeout(SOON).unwrap()
    }

    /// The answer to a question; what comes before it is passed over.
    #[track_caller]
    fn answer(&self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// The JSON that a verb answers.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.start(tool, arguments);
        envelope(&self.answer(id))
    }

    #[track_caller]
    fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Leaves, and waits until the server has ended.
    #[track_caller]
    fn leave(mut self, limit: Duration) {
        self.input = None;
        let child = self.child.as_mut().unwrap();
        let mut code = None;
        wait_until("the server has ended", limit, || {
            code = child.try_wait().unwrap();
            code.is_some()
        });
        assert_eq!(code.unwrap().code(), Some(0));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let message = serde_json::from_str(&line).unwrap_or(Value::String(line));
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

/// What a verb answered, which stands in the message as structure and as text.
#[track_caller]
fn envelope(answer: &Value) -> Value {
    let result = &answer["result"];
    let structured = result["structuredContent"].clone();
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured);
    assert_eq!(result["isError"], json!(structured["ok"] == false), "{answer}");
    structured
}

fn project() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env
}

#[test]
fn a_tool_does_and_answers_what_its_verb_does() {
    let env = env();
    let mut client = Client::of_person(&env, &[]);
    let made = client.call("project_init", json!({ "name": "web" }));
    assert_eq!((&made["outcome"], &made["ok"]), (&json!("created"), &json!(true)));
    let title = "--say \"it\" with 'quotes' and\na line";
    let added = client.call("task_add", json!({ "title": title, "id": "one", "impact": 80 }));
    assert_eq!(added["outcome"], "added", "{added}");
    let shown = client.call("task_show", json!({ "id": "one" }));
    assert_eq!(shown["data"], env.drover(&["task", "show", "one", "--json"]).ok().data());
    assert_eq!(shown["data"]["task"]["title"], title);
    let noted =
        client.call("task_note", json!({ "id": "one", "text": "-", "stdin": "- as it is" }));
    assert_eq!(noted["data"]["note"]["text"], "- as it is");
    let refused = client.call("task_note", json!({ "id": "one", "text": "-" }));
    assert_eq!((&refused["outcome"], &refused["exit"]), (&json!("usage"), &json!(2)));
    let unknown = client.call("task_show", json!({ "id": "two" }));
    assert_eq!((&unknown["outcome"], &unknown["exit"]), (&json!("task_unknown"), &json!(3)));
    for is_repeat in [false, true] {
        let added = client.call("task_add", json!({ "title": "once", "key": "k" }));
        assert_eq!(added["deduplicated"], is_repeat);
    }
    let page = client.call("skill", json!({ "name": "worker" }));
    assert!(page["data"]["text"].as_str().unwrap().starts_with("# Worker"), "{page}");
    let planned = client.call("task_delete", json!({ "id": "one", "dry_run": true }));
    assert_eq!(planned["dry_run"], true);
    client.leave(SOON);
}

#[test]
fn flags_of_the_server_hold_for_its_calls() {
    let env = project();
    env.drover(&["project", "init", "shop"]).ok();
    let mut client = Client::of_person(&env, &["-p", "shop", "--actor", "ada"]);
    client.call("task_add", json!({ "title": "one" }));
    client.call("task_add", json!({ "title": "two", "project": "web" }));
    for (project, task) in [("shop", "one"), ("web", "two")] {
        let log = env.drover(&["log", "-p", project, "--json"]).ok().stdout;
        assert!(log.contains(task) && log.contains("user:ada"), "{log}");
    }
    env.drover(&["mcp", "--dry-run", "--json"]).refused(2, "usage");
}

#[test]
fn what_is_no_message_is_answered_and_the_server_goes_on() {
    let env = project();
    let mut client = Client::of_person(&env, &[]);
    let wrong = [
        ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/l", -32700, json!(null)),
        ("\u{7}\u{0}garbage", -32700, json!(null)),
        ("[]", -32600, json!(null)),
        ("{\"jsonrpc\":\"2.0\",\"id\":7}", -32600, json!(7)),
        ("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"no/such\"}", -32601, json!(8)),
    ];
    for (line, code, id) in wrong {
        client.say(line);
        let answer = client.next();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}");
    }
    let wrong = [
        json!({ "name": "no_such_tool", "arguments": {} }),
        json!({ "name": "task_add", "arguments": { "title": 5 } }),
        json!({ "name": "task_add", "arguments": {} }),
        json!({ "name": "task_add", "arguments": { "title": "a", "actor": "somebody" } }),
        json!({ "name": "task_add", "arguments": [] }),
        json!({ "name": 5 }),
        json!({ "name": "agent_attach", "arguments": { "name": "w1" } }),
        json!({ "name": "project_teardown", "arguments": { "name": "web", "yes": true } }),
        json!({ "name": "project_trust", "arguments": { "yes": true } }),
    ];
    for params in wrong {
        let answer = client.ask("tools/call", params.clone());
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    assert_eq!(client.call("task_list", json!({}))["data"]["count"], 0);
    client.leave(SOON);
    env.drover(&["mcp"]).ok();
}

#[test]
fn a_wait_ends_with_what_another_call_does_or_when_its_client_cancels_it() {
    let env = project();
    for title in ["one", "two"] {
        env.drover(&["task", "add", title]).ok();
    }
    let mut client = Client::of_person(&env, &[]);
    let first = client.start("task_wait", json!({ "ids": ["one"], "timeout": "never" }));
    let params = json!({
        "name": "task_wait",
        "arguments": { "ids": ["two"], "timeout": "never" },
        "_meta": { "progressToken": "p" },
    });
    let second = client.send("tools/call", params);
    let told = client.next();
    assert_eq!(told["method"], "notifications/progress", "{told}");
    assert_eq!(told["params"]["progressToken"], "p");
    let close = client.start("task_close", json!({ "id": "one", "evidence": "seen" }));
    let answers = [client.next(), client.next()].map(|it| (it["id"].as_u64(), envelope(&it)));
    let outcome =
        |id| answers.iter().find(|it| it.0 == Some(id)).map(|it| it.1["outcome"].as_str().unwrap());
    assert_eq!((outcome(first), outcome(close)), (Some("reached"), Some("closed")));
    let cancelled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": second },
    });
    client.say(&cancelled.to_string());
    let listed = client.start("task_list", json!({}));
    assert_eq!(client.next()["id"], listed);
    // A wait that still went on would be given five seconds more.
    client.leave(Duration::from_secs(4));
}

/// Fault X-04.
#[test]
fn who_acts_is_never_an_argument() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let mut client = Client::of_agent(&env, "w1", "worker");
    let listed = client.ask("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert!(tool["inputSchema"]["properties"].get("actor").is_none(), "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
    let arguments = json!({ "id": "one", "text": "from me", "actor": "user:tester" });
    let refused = client.ask("tools/call", json!({ "name": "task_note", "arguments": arguments }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let noted = client.call("task_note", json!({ "id": "one", "text": "from me" }));
    assert_eq!(noted["data"]["note"]["author"], "w1");
}

#[test]
fn a_worker_is_shown_and_may_do_what_its_role_says() {
    let env = project();
    for title in ["mine", "theirs"] {
        env.drover(&["task", "add", title]).ok();
    }
    env.drover(&["task", "claim", "theirs"]).ok();
    let person = Client::of_person(&env, &[]).tools();
    let mut client = Client::of_agent(&env, "w1", "worker");
    let worker = client.tools();
    assert!(worker.iter().all(|it| person.contains(it)));
    for (tool, is_shown) in [("task_claim", true), ("task_delete", false), ("agent_spawn", false)] {
        assert_eq!(worker.iter().any(|it| it == tool), is_shown, "{tool}");
        assert!(person.iter().any(|it| it == tool), "{tool}");
    }
    assert_eq!(client.call("me_show", json!({}))["data"]["agent"], "w1");
    let claimed = client.call("task_claim", json!({ "id": "mine" }));
    let holder = claimed["data"]["task"]["claimed_by"].as_str().unwrap();
    assert!(holder.starts_with("w1@"), "{claimed}");
    let refused = [
        ("task_delete", json!({ "id": "mine", "yes": true })),
        ("task_close", json!({ "id": "theirs" })),
        ("agent_spawn", json!({ "name": "w2" })),
        ("workspace_land", json!({ "agent": "w1" })),
    ];
    for (tool, arguments) in refused {
        let answer = client.call(tool, arguments);
        assert_eq!((&answer["outcome"], &answer["exit"]), (&json!("role_forbids"), &json!(3)));
    }
    let log = env.drover(&["log", "--json"]).ok().stdout;
    assert!(log.contains("task delete: "), "{log}");
    let reviewer = Client::of_agent(&env, "r1", "reviewer").tools();
    assert!(!reviewer.contains(&"task_claim".to_owned()) && reviewer.len() < worker.len());
    assert_eq!(Client::of_agent(&env, "boss", "coordinator").tools(), person);
}

#[test]
fn files_of_an_agent_come_from_its_own_directory() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let mut client = Client::of_agent(&env, "w1", "worker");
    let own = env.root().join("w1.d");
    let outside = env.root().join("outside");
    std::fs::write(&outside, "a secret").unwrap();
    std::fs::write(own.join("note"), "a note").unwrap();
    symlink(own.join("note"), own.join("inward")).unwrap();
    symlink(&outside, own.join("outward")).unwrap();
    symlink(env.root(), own.join("up")).unwrap();
    let mut note = |file: &str| client.call("task_note", json!({ "id": "one", "file": file }));
    for file in ["note", "inward", own.join("note").to_str().unwrap()] {
        assert_eq!(note(file)["data"]["note"]["text"], "a note", "{file}");
    }
    for file in ["../outside", "outward", "up/outside", outside.to_str().unwrap(), "/etc/passwd"] {
        let answer = note(file);
        assert_eq!(answer["outcome"], "outside_workspace", "{file}: {answer}");
        assert!(answer["error"].as_str().unwrap().contains("a worker brings"), "{answer}");
    }
    assert_eq!(note("missing")["outcome"], "file_failed");
    let mut person = Client::of_person(&env, &[]);
    let arguments = json!({ "id": "one", "file": outside.to_str().unwrap() });
    assert_eq!(person.call("task_note", arguments)["outcome"], "noted");
}
