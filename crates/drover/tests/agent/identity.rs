//! Who an agent's calls are from, and what its environment holds.

use std::collections::BTreeMap;

use drover_testkit::{TestEnv, processes};
use serde_json::Value;

use super::{in_pane, pane, pid, project, spawn};

/// The environment of an agent's process.
fn environment(agent: &Value) -> BTreeMap<String, String> {
    let text = |it: std::ffi::OsString| it.into_string().unwrap();
    processes::environment(pid(agent))
        .into_iter()
        .map(|(name, value)| (text(name), text(value)))
        .collect()
}

fn binary(env: &TestEnv) -> String {
    env.binary().display().to_string()
}

/// Fault P-16.
#[test]
fn an_agent_inherits_what_is_allowed_and_nothing_of_another_agent() {
    let mut env = project();
    for name in ["CLAUDECODE", "DROVER_AGENT", "HERDR_ENV", "MY_SECRET", "MY_WORD", "CODEX_SANDBOX"]
    {
        env.set(name, "leaked");
    }
    // The server starts with whatever its first client had, and keeps it.
    env.tmux_server().start_pane(&["sleep", "1000"]);
    let words = ["--engine", "shell", "--inherit", "MY_WORD", "--env", "A=b=c", "--env", "EMPTY="];
    let agent = spawn(&env, "w1", &words);
    let got = environment(&agent);
    for name in ["CLAUDECODE", "HERDR_ENV", "MY_SECRET", "CODEX_SANDBOX"] {
        assert_eq!(got.get(name), None, "{name}");
    }
    let state = env.state();
    let expected = [
        ("A", "b=c"),
        ("EMPTY", ""),
        ("MY_WORD", "leaked"),
        ("DROVER_AGENT", "w1"),
        ("DROVER_PROJECT", "web"),
        ("DROVER_AGENT_UID", agent["uid"].as_str().unwrap()),
        ("DROVER_STATE_DIR", state.to_str().unwrap()),
        ("TMUX_PANE", pane(&agent)),
    ];
    for (name, value) in expected {
        assert_eq!(got.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(got["DROVER_TOKEN"].len(), 64);
    assert_eq!(agent["env_names"], serde_json::json!(["MY_WORD"]));
}

#[test]
fn a_token_is_kept_nowhere_but_with_its_agent() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let token = environment(&agent)["DROVER_TOKEN"].clone();
    for entry in std::fs::read_dir(env.state()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        assert!(!bytes.windows(token.len()).any(|it| it == token.as_bytes()));
    }
}

#[test]
fn an_agent_acts_as_itself_and_its_token_is_refused_elsewhere() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let one = spawn(&env, "w1", &["--engine", "shell"]);
    let two = spawn(&env, "w2", &["--engine", "shell"]);
    let claim = format!("{} task claim one --json", binary(&env));
    let claimed: Value = serde_json::from_str(&in_pane(&env, pane(&one), &claim)).unwrap();
    assert!(
        claimed["data"]["task"]["claimed_by"].as_str().unwrap().starts_with("w1@"),
        "{claimed}"
    );
    let token = environment(&one)["DROVER_TOKEN"].clone();
    let outside = env.drover_call(&["task", "next", "--json"]).variable("DROVER_TOKEN", &token);
    outside.run().refused(4, "token_refused");
    let stolen = format!("DROVER_TOKEN={token} {} task next --json", binary(&env));
    let refused: Value = serde_json::from_str(&in_pane(&env, pane(&two), &stolen)).unwrap();
    assert_eq!(refused["outcome"], "token_refused");
}

/// Fault D-14.
#[test]
fn an_agent_started_by_an_agent_gets_a_token_of_its_own() {
    let env = project();
    let outer = spawn(&env, "outer", &["--engine", "shell", "--role", "coordinator"]);
    let line = format!("{} agent spawn inner --engine shell --json", binary(&env));
    let answer: Value = serde_json::from_str(&in_pane(&env, pane(&outer), &line)).unwrap();
    let inner = &answer["data"]["agent"];
    let (one, two) = (environment(&outer), environment(inner));
    assert_ne!(one["DROVER_TOKEN"], two["DROVER_TOKEN"]);
    assert_eq!(two["DROVER_AGENT"], "inner");
    let next = format!("{} task next --json", binary(&env));
    let next: Value = serde_json::from_str(&in_pane(&env, pane(inner), &next)).unwrap();
    assert_eq!(next["ok"], true);
}

#[test]
fn an_agent_moves_its_own_task_and_none_that_another_one_holds() {
    let env = project();
    let w1 = spawn(&env, "w1", &["--engine", "shell"]);
    spawn(&env, "w2", &["--engine", "shell"]);
    for (id, holder) in [("mine", "w1"), ("theirs", "w2")] {
        env.drover(&["task", "add", id]).ok();
        env.drover(&["task", "claim", id, "--for", holder]).ok();
    }
    let call = |words: &str| -> Value {
        let line = format!("{} task {words} --json", binary(&env));
        serde_json::from_str(&in_pane(&env, pane(&w1), &line)).unwrap()
    };
    for words in ["close theirs", "release theirs --reopen", "open theirs", "delete theirs --yes"] {
        let refused = call(words);
        assert_eq!(refused["outcome"], "role_forbids", "{words}: {refused}");
    }
    assert_eq!(call("claim theirs")["outcome"], "task_already_owned");
    assert_eq!(call("note theirs look")["outcome"], "noted");
    assert_eq!(call("list --mine")["data"]["items"][0]["id"], "mine");
    assert_eq!(call("close mine --evidence done")["outcome"], "closed");
    let shown = env.drover(&["task", "show", "mine", "--json"]).ok().data();
    assert_eq!(shown["evidence"]["items"][0]["said_by"], "w1");
    env.drover(&["task", "close", "theirs"]).ok();
}

#[test]
fn an_agent_that_drops_its_variables_is_still_itself() {
    let env = project();
    let w1 = spawn(&env, "w1", &["--engine", "shell"]);
    let bare = "env -u DROVER_TOKEN -u TMUX -u TMUX_PANE -u DROVER_AGENT";
    env.drover(&["task", "add", "one"]).ok();
    let line = format!("{bare} {} task claim one -p web --json", binary(&env));
    let claimed: Value = serde_json::from_str(&in_pane(&env, pane(&w1), &line)).unwrap();
    let holder = claimed["data"]["task"]["claimed_by"].as_str();
    assert!(holder.is_some_and(|it| it.starts_with("w1@")), "{claimed}");
}

#[test]
fn a_secret_is_refused_where_words_are_kept_as_they_are() {
    let env = project();
    let secret = format!("curl -H 'Authorization: Bearer {}'", "a1B2c3D4".repeat(5));
    for words in [
        ["agent", "spawn", "w1", "--engine", "shell", "--work", &secret],
        ["agent", "spawn", "w1", "--engine", "shell", "--command", &secret],
        ["task", "add", "Title", "--impact", "1", "--verify", &secret],
    ] {
        let refused = env.drover(&[&words[..], &["--json"]].concat());
        refused.refused(2, "usage");
    }
    assert_eq!(env.drover(&["agent", "list", "--json"]).ok().data()["count"], 0);
}
