//! What agents used, from files as their engines write them.

use std::io::Write as _;
use std::path::PathBuf;

use drover_testkit::TestEnv;
use serde_json::{Value, json};

/// A stand-in of pi: it runs, and the test writes its session.
struct Pi<'a> {
    env: &'a TestEnv,
    session: PathBuf,
}

impl<'a> Pi<'a> {
    fn new(env: &'a TestEnv, name: &str) -> Self {
        let program = env.shim(&format!("pi-{name}"), "#!/bin/sh\nexec cat\n");
        let words = ["agent", "spawn", name, "--engine", "pi", "-p", "web", "--json"];
        let spawned =
            env.drover_call(&words).variable("DROVER_ENGINE_PI", program).run().ok().data();
        let id = spawned["agent"]["conversation"].as_str().unwrap();
        let cwd = spawned["agent"]["cwd"].as_str().unwrap();
        let folder = format!("--{}--", cwd.trim_start_matches('/').replace('/', "-"));
        let folder = env.home().join(".pi/agent/sessions").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self { env, session: folder.join(format!("2026-01-02T03-04-05-678Z_{id}.jsonl")) }
    }

    fn write(&self, text: &str) {
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(&self.session).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// An answer of its model at a time, of a million tokens read and a thousand written.
    fn answer(&self, id: &str, at: &str, dollars: f64) {
        let usage = json!({ "input": 1_000_000, "output": 1_000, "cacheRead": 0, "cacheWrite": 0,
            "cost": { "total": dollars, "totalFromProvider": false } });
        let message = json!({ "role": "assistant", "model": "m", "usage": usage });
        let line = json!({ "type": "message", "id": id, "timestamp": at, "message": message });
        self.write(&format!("{line}\n"));
    }

    fn shown(&self, name: &str) -> Value {
        let words = ["agent", "show", name, "-n", "0", "-p", "web", "--json"];
        self.env.drover(&words).ok().data()["usage"].take()
    }
}

fn project() -> TestEnv {
    let env = crate::env();
    env.drover(&["project", "init", "web"]).ok();
    env
}

const LONG_AGO: &str = "2020-01-02T03:04:05.678Z";
const LATER: &str = "2999-01-02T03:04:05.678Z";

#[test]
fn what_an_agent_used_is_shown_with_it_its_task_and_its_project() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let pi = Pi::new(&env, "w1");
    assert_eq!(pi.shown("w1")["tokens"]["total"], 0);
    pi.answer("a", LONG_AGO, 0.25);
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    pi.answer("b", LATER, 3.0);
    pi.write("{\"half of a line");

    let used = pi.shown("w1");
    assert_eq!((&used["tokens"]["total"], &used["usd"]), (&2_002_000.into(), &3.25.into()));
    let held = env.drover(&["task", "show", "one", "--json"]).ok().data()["usage"].take();
    assert_eq!((&held["tokens"]["output"], &held["usd"]), (&1_000.into(), &3.0.into()));
    assert_eq!(held["models"]["items"][0]["model"], "m");
    let state = env.drover(&["state", "--json"]).ok().data();
    let project = &state["projects"]["items"][0];
    assert_eq!(project["usage"]["usd"], 3.25);
    assert_eq!(project["agents"]["items"][0]["usage"]["usd"], 3.25);
    let card = env.drover(&["state"]).ok().stdout;
    assert!(card.contains("Used: 2.0M tokens, $3.25"), "{card}");

    // What it used stays known when it is gone, and so does what came in its last moment.
    pi.write("\"}\n");
    pi.answer("c", LATER, 1.0);
    env.drover(&["agent", "close", "w1"]).ok();
    let state = env.drover(&["state", "--json"]).ok().data();
    assert_eq!(state["projects"]["items"][0]["usage"]["usd"], 4.25);
}

#[test]
fn money_is_known_only_where_it_was_recorded_or_a_price_was_given() {
    let env = project();
    let pi = Pi::new(&env, "w1");
    pi.answer("a", LONG_AGO, 0.0);
    let used = pi.shown("w1");
    assert_eq!((&used["usd"], &used["unpriced_tokens"]), (&Value::Null, &1_001_000.into()));
    let folder = env.config().join("drover");
    std::fs::create_dir_all(&folder).unwrap();
    let price = "[price.m]\ninput = 2.0\noutput = 10.0\n";
    std::fs::write(folder.join("config.toml"), price).unwrap();
    let used = pi.shown("w1");
    assert_eq!((&used["usd"], &used["usd_recorded"]), (&2.01.into(), &0.0.into()));
}

#[test]
fn a_budget_that_is_spent_needs_a_person() {
    let env = project();
    let pi = Pi::new(&env, "w1");
    pi.answer("a", LONG_AGO, 1.5);
    env.drover(&["project", "set", "budget", "12", "--json"]).refused(2, "usage");
    env.drover(&["project", "set", "budget", "1.50 usd"]).ok();
    env.drover(&["state", "--check"]).ok();
    pi.answer("b", LONG_AGO, 0.01);
    let state = env.drover(&["state", "--check", "--json"]);
    assert_eq!(state.exit, 7);
    let need = state.json()["data"]["projects"]["items"][0]["needs_you"]["items"][0].take();
    assert_eq!((&need["kind"], &need["about"]), (&"budget".into(), &"web".into()), "{need}");
    assert_eq!(need["what"], "$1.51 are spent, and the budget is $1.50");
    env.drover(&["project", "set", "budget", "2000 tokens"]).ok();
    let state = env.drover(&["state", "--json"]).ok().json();
    let what = &state["data"]["projects"]["items"][0]["needs_you"]["items"][0]["what"];
    assert_eq!(*what, "2.0M tokens are used, and the budget is 2.0k");
}
