//! What an agent does is told the same by every face, and its silence alone is never a reason to act.

use drover_testkit::{document, processes, wait_until};
use serde_json::{Value, json};

use crate::stage::{SOON, Stage};

/// The state of each agent as a list of them tells it, by name.
fn states(items: &Value) -> Vec<(String, String)> {
    let word = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
    let items = items["items"].as_array().unwrap();
    let mut told: Vec<(String, String)> =
        items.iter().map(|it| (word(it, "name"), word(it, "state"))).collect();
    told.sort();
    told
}

/// What the tool that lists agents answers.
fn as_a_tool(stage: &Stage) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "agent_list", "arguments": { "project": "web" } } }),
    ];
    let lines: String = messages.map(|it| format!("{it}\n")).concat();
    let output = stage.env.drover_with_stdin(&["mcp"], lines.as_bytes()).ok();
    let answers = output.stdout.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    let mut answer = answers.rev().find(|it| it["id"] == 2).unwrap();
    answer["result"]["structuredContent"]["data"].take()
}

/// Fault D-05.
#[test]
fn every_face_tells_the_same_of_every_agent() {
    let stage = Stage::new();
    stage.agent("asks", &["--dialog", "permission"]);
    stage.agent("idle", &[]);
    let gone = stage.agent("gone", &[]);
    stage.agent("wonders", &["--dialog", "question"]);
    stage.agent("works", &["--turn-ms", "600000"]).send(&["go"]);
    processes::kill(gone.pid());
    let expected: Vec<(String, String)> = [
        ("asks", "needs_permission"),
        ("gone", "exited"),
        ("idle", "idle"),
        ("wonders", "needs_input"),
        ("works", "working"),
    ]
    .map(|(name, state)| (name.to_owned(), state.to_owned()))
    .to_vec();
    let data =
        |words: &[&str]| stage.env.drover(&[words, &["--json"]].concat()).json()["data"].take();
    wait_until("each is seen as it is", SOON, || states(&data(&["agent", "list"])) == expected);
    let state = data(&["state"]);
    assert_eq!(states(&state["projects"]["items"][0]["agents"]), expected);
    assert_eq!(states(&as_a_tool(&stage)), expected);
    let text = stage.env.drover(&["agent", "list"]).ok().stdout;
    for (name, word) in &expected {
        assert_eq!(data(&["agent", "show", name])["agent"]["state"], json!(word));
        assert_eq!(data(&["agent", "explain", name])["agent"]["state"], json!(word));
        let line = text.lines().find(|it| it.starts_with(name.as_str())).unwrap();
        assert!(line.contains(word.as_str()), "{line}");
    }
    // What needs a person is counted from the same list.
    let needs = state["projects"]["items"][0]["needs_you"]["items"].as_array().unwrap();
    let mut about: Vec<&str> = needs.iter().map(|it| it["about"].as_str().unwrap()).collect();
    about.sort_unstable();
    assert_eq!(about, ["asks", "gone", "wonders"], "{state}");
    assert_eq!(state["needs_you"], 3);
}

/// Fault D-04.
#[test]
fn however_long_an_agent_is_silent_nothing_is_typed_or_ended_and_its_task_stays_its_own() {
    let stage = Stage::new();
    let agent = stage.agent("works", &["--turn-ms", "600000"]);
    agent.send(&["go"]);
    stage.env.drover(&["task", "add", "one"]).ok();
    stage.env.drover(&["task", "claim", "one", "--for", "works"]).ok();
    let (seen, pid) = (agent.recorded().all().len(), agent.pid());
    let plain = rusqlite::Connection::open(stage.env.database()).unwrap();
    let age = "UPDATE task_derived SET updated_at='2020-01-01T00:00:00.000Z'";
    plain.execute(age, []).unwrap();
    let calls: [&[&str]; 6] = [
        &["state"],
        &["agent", "list"],
        &["dispatch"],
        &["task", "wait", "one", "--timeout", "0", "--stuck-after", "1s"],
        &["agent", "wait", "works", "--timeout", "0"],
        &["doctor"],
    ];
    for words in calls {
        stage.env.drover(&[words, &["--json"]].concat()).json();
        assert_eq!(agent.recorded().all().len(), seen, "{words:?} reached the agent");
    }
    assert_eq!(agent.pid(), pid);
    let task = stage.env.drover(&["task", "show", "one", "--json"]).ok().data()["task"].take();
    assert_eq!(task["status"], "IN_PROGRESS");
    assert!(task["claimed_by"].as_str().unwrap().starts_with("works@"), "{task}");
}

/// Fault D-04: times of a session or window stand still while their panes speak, so nobody asks for them.
#[test]
fn no_time_is_asked_of_the_multiplexer_that_does_not_mean_activity() {
    for (path, text) in document::rust_files() {
        let is_source = path.contains("/src/") && !path.contains("testkit");
        for name in
            ["session_activity", "window_activity", "client_activity", "session_last_attached"]
        {
            assert!(!is_source || !text.contains(name), "{path} asks for {name}");
        }
    }
}
