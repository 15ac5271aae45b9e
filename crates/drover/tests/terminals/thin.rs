//! Callers with hardly any environment, as cron, a container or a unit of the system has.

use drover_testkit::{Call, TestEnv, wait_until};
use serde_json::Value;

use super::LONG;

/// What a person's shell sets and nothing else does.
const USUAL: &[&str] = &[
    "LANG",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

fn thin(env: &TestEnv, words: &[&str]) -> Call {
    USUAL.iter().fold(env.drover_call(words), |call, name| call.without(name))
}

fn answer(env: &TestEnv, words: &[&str]) -> Value {
    let words: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
    thin(env, &words).run().ok().data()
}

#[test]
fn a_home_and_nothing_else_is_enough_for_a_worker_in_a_workspace() {
    let env = crate::env();
    let repository = env.repository("größe shop");
    answer(&env, &["project", "init", "web", "--repo", repository.path().to_str().unwrap()]);
    let work = "sh -c 'echo done >file.txt'";
    answer(&env, &["agent", "spawn", "w1", "--engine", "shell", "--work", work]);
    answer(&env, &["task", "add", "Größe ändern", "--id", "it", "--verify", "test -s file.txt"]);
    wait_until("it is idle", LONG, || {
        answer(&env, &["agent", "show", "w1"])["agent"]["state"] == "idle"
    });
    let pass = answer(&env, &["dispatch"]);
    assert_eq!(pass["pass"]["handed"]["count"], 1, "{pass}");
    wait_until("it is closed", LONG, || {
        answer(&env, &["task", "show", "it"])["task"]["status"] == "CLOSED"
    });
    answer(&env, &["workspace", "land", "w1"]);
    let screen = answer(&env, &["agent", "read", "w1"]);
    assert!(screen["screen"].as_str().unwrap().contains("me work"), "{screen}");
    answer(&env, &["agent", "send", "w1", "--run", "echo größe >sent"]);
    let workspace = answer(&env, &["workspace", "path", "w1"])["path"].as_str().unwrap().to_owned();
    let sent = std::path::Path::new(&workspace).join("sent");
    wait_until("the text has run", LONG, || {
        std::fs::read_to_string(&sent).is_ok_and(|it| it == "größe\n")
    });
    answer(&env, &["state"]);
    answer(&env, &["doctor"]);
}

#[test]
fn without_a_home_the_variables_that_would_do_are_named() {
    let env = crate::env();
    let call =
        || thin(&env, &["project", "list", "--json"]).without("HOME").without("DROVER_STATE_DIR");
    let refused = call().run();
    assert_eq!(refused.exit, 5, "{refused}");
    let error = refused.json()["error"].take();
    assert_eq!(error, "HOME is not set to an absolute path, and neither is XDG_STATE_HOME");
    call().variable("HOME", "relative").run().json()["error"].as_str().unwrap();
    call().variable("XDG_STATE_HOME", env.root()).run().ok();
}

#[test]
fn an_empty_variable_is_an_unset_one() {
    let mut env = crate::env();
    for name in USUAL.iter().filter(|it| **it != "PATH") {
        env.set(name, "");
    }
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["agent", "spawn", "w1", "--engine", "shell"]).ok();
    let listed = env.drover(&["agent", "list", "--json"]).ok().data();
    assert_eq!(listed["items"][0]["command"][0], "/bin/sh", "{listed}");
}

#[test]
fn a_terminal_on_which_nothing_can_be_drawn_is_shown_the_command_to_attach() {
    let env = crate::agent::project();
    crate::agent::spawn(&env, "w1", &["--command", "sleep 1000"]);
    for (number, term) in ["unset TERM", "TERM=dumb"].iter().enumerate() {
        let name = format!("said-{number}");
        let said = env.root().join(&name);
        let script = format!(
            "{term}; export DROVER_STATE_DIR='{}'\n'{}' agent attach w1 -p web 2>'{2}.part'\nmv '{2}.part' '{2}'\n",
            env.state().display(),
            env.binary().display(),
            said.display(),
        );
        let path = env.root().join(format!("{name}.sh"));
        std::fs::write(&path, script).unwrap();
        env.tmux(&["new-session", "-d", "sh", path.to_str().unwrap()]).ok();
        wait_until("it has ended", LONG, || said.exists());
        let said = std::fs::read_to_string(&said).unwrap();
        assert!(said.contains("TERM is") && said.contains("this terminal"), "{said}");
    }
}
