//! `drover agent adopt`, and the chat agents of a session that nobody has told Drover of.

use std::path::PathBuf;

use drover_testkit::{FAKE_AGENT_RULES, Recorded, TestEnv, processes, wait_for, wait_until};
use serde_json::{Value, json};

use super::{LONG, pane, panes, pid, project, show, spawn};

/// A home in which the scripted agent stands in for Claude Code, also where a person starts it.
fn with_claude() -> TestEnv {
    let mut env = project();
    let directory = env.config().join("drover");
    std::fs::create_dir_all(&directory).unwrap();
    let rules = FAKE_AGENT_RULES.replace("engine.fake-agent", "engine.claude");
    std::fs::write(directory.join("config.toml"), rules).unwrap();
    env.set("DROVER_ENGINE_CLAUDE", env.fake_agent());
    // The session is there, and an agent of ours in it.
    spawn(&env, "w1", &["--engine", "shell"]);
    env
}

/// A pane that a person opens in the project's session, with a shell that sets its terminal right itself.
fn persons_pane(env: &TestEnv, window: &str) -> String {
    let words = [
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-t",
        "drover-web:",
        "-n",
        window,
        "bash",
        "--norc",
    ];
    env.tmux(&words).ok().stdout.trim().to_owned()
}

/// Starts the scripted agent in a pane as a person does; returns where it records.
fn start(env: &TestEnv, pane: &str) -> PathBuf {
    let names = (0..100).map(|it| env.root().join(format!("record-{it}")));
    let record = names.into_iter().find(|it| !it.exists()).unwrap();
    let program = env.fake_agent();
    let line = format!("{} --speak claude --record {}", program.display(), record.display());
    env.tmux(&["send-keys", "-t", pane, "-l", "--", &line]).ok();
    env.tmux_server().keys(pane, &["Enter"]);
    wait_until("it has booted", LONG, || !Recorded::read(&record).of("boot").is_empty());
    record
}

fn adopt(env: &TestEnv, words: &[&str]) -> Value {
    let all: Vec<&str> = ["agent", "adopt", "--json"].iter().chain(words).copied().collect();
    env.drover(&all).ok().data()
}

fn state(env: &TestEnv, name: &str, wanted: &str) {
    wait_until(wanted, LONG, || show(env, name)["state"] == wanted);
}

#[test]
fn what_a_person_started_is_seen_adopted_spoken_to_and_let_go() {
    let env = with_claude();
    let place = persons_pane(&env, "mine");
    let record = start(&env, &place);
    let listed = env.drover(&["agent", "list", "--json"]).ok().json();
    let orphan = &listed["data"]["orphans"]["items"][0];
    assert_eq!((&orphan["pane"], &orphan["engine"]), (&json!(place), &json!("claude")));
    assert_eq!(orphan["session"], "drover-web");
    let hint = listed["next"][0]["run"].as_str().unwrap();
    assert_eq!(hint, format!("drover agent adopt {place} --name web/claude"));
    let stated = env.drover(&["state", "--json"]).ok().json();
    assert_eq!(stated["data"]["projects"]["items"][0]["orphans"]["items"][0]["pane"], place);
    assert!(stated["next"].as_array().unwrap().iter().any(|it| it["run"] == hint), "{stated}");
    let adopted = adopt(&env, &[&place, "--name", "helper"]);
    assert_eq!(
        (&adopted["adopted"], &adopted["agent"]["engine"]),
        (&json!(true), &json!("claude"))
    );
    assert_eq!(adopted["agent"]["adopted"], true);
    state(&env, "helper", "idle");
    assert_eq!(env.tmux_server().format(&place, "#{@drover_label}"), "helper");
    let sent = env.drover(&["agent", "send", "helper", "look at the tests", "--json"]).ok().json();
    assert_eq!(sent["data"]["message"]["level"], "submitted", "{sent}");
    assert_eq!(Recorded::read(&record).of("submit")[0]["text"], "look at the tests");
    let listed = env.drover(&["agent", "list", "--json"]).ok().data();
    assert_eq!((&listed["orphans"]["count"], &listed["count"]), (&json!(0), &json!(2)));
    let helper = show(&env, "helper");
    env.drover(&["agent", "close", "helper"]).ok();
    assert!(processes::is_running(pid(&helper)), "a close leaves what was adopted");
    let marks = env.tmux_server().format(&place, "#{@drover_uid}|#{@drover_label}|");
    assert_eq!(marks, "||");
    let listed = env.drover(&["agent", "list", "--json"]).ok().data();
    assert_eq!(listed["orphans"]["count"], 1);
}

#[test]
fn the_end_of_an_adopted_program_gives_its_tasks_back_and_its_pane_can_be_adopted_again() {
    let env = with_claude();
    let place = persons_pane(&env, "mine");
    start(&env, &place);
    adopt(&env, &[&place, "--name", "helper"]);
    env.drover(&["task", "add", "one"]).ok();
    env.drover(&["task", "claim", "one", "--for", "helper"]).ok();
    let before = show(&env, "helper");
    processes::signal(pid(&before), drover_testkit::Signal::KILL);
    // The watcher beside its pane tells of it; the shell in the pane goes on.
    let task = || env.drover(&["task", "show", "one", "--json"]).ok().data()["task"].take();
    wait_until("its task is open", LONG, || task()["status"] == "OPEN");
    state(&env, "helper", "exited");
    assert_eq!(panes(&env), 2);
    env.drover(&["agent", "restart", "helper", "--json"]).refused(3, "agent_adopted");
    env.drover(&["agent", "restore", "helper", "--json"]).refused(3, "agent_adopted");
    start(&env, &place);
    let listed = env.drover(&["agent", "list", "--json"]).ok().json();
    let hint = listed["next"][0]["run"].as_str().unwrap();
    assert_eq!(hint, format!("drover agent adopt {place} --name web/helper"));
    // The name still stands above the pane.
    let again = adopt(&env, &[&place]);
    assert_eq!((&again["agent"]["uid"], &again["adopted"]), (&before["uid"], &json!(true)));
    assert_ne!(pid(&again["agent"]), pid(&before));
}

#[test]
fn a_pane_is_adopted_once_and_found_by_id_title_and_window() {
    let env = with_claude();
    let place = persons_pane(&env, "mine");
    start(&env, &place);
    let refused = |words: &[&str], exit, outcome| {
        let all: Vec<&str> = ["agent", "adopt", "--json"].iter().chain(words).copied().collect();
        env.drover(&all).refused(exit, outcome)
    };
    refused(&["%99"], 3, "pane_unknown");
    refused(&["nothing"], 3, "pane_unknown");
    refused(&[&place, "--name", "W 1"], 2, "invalid_name");
    refused(&[&place, "--name", "trunk"], 2, "invalid_name");
    refused(&[&place, "--name", "w1"], 4, "agent_exists");
    refused(&[&place, "--name", "h", "--role", "boss"], 2, "usage");
    refused(&[&place, "--name", "h", "--engine", "no name"], 2, "usage");
    let own = pane(&show(&env, "w1")).to_owned();
    assert_eq!(refused(&[&own, "--name", "h"], 4, "pane_taken")["data"]["agent"], "web/w1");
    env.tmux(&["select-pane", "-t", &place, "-T", "not a name!"]).ok();
    let nameless = refused(&["mine"], 2, "invalid_name");
    let way = nameless["next"][0]["run"].as_str().unwrap();
    assert_eq!(way, format!("drover agent adopt {place} --name web/claude"));
    env.tmux(&["select-pane", "-t", &place, "-T", "scout · all of it"]).ok();
    let dry = env.drover(&["agent", "adopt", "scout", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["effects"].as_array().unwrap().len(), 1, "{dry}");
    assert_eq!(env.tmux_server().format(&place, "#{@drover_uid}"), "");
    // Another state directory's is left alone; what an adoption that was cut off has left is not.
    let mark = |option: &str, value: &str| {
        env.tmux(&["set-option", "-p", "-t", &place, option, value]).ok();
    };
    mark("@drover_uid", "019f0000-0000-7000-8000-000000000000");
    mark("@drover_state", "another");
    assert_eq!(refused(&["scout"], 4, "pane_taken")["data"]["agent"], json!(null));
    let ours = env.tmux_server().format(&own, "#{@drover_state}");
    mark("@drover_state", &ours);
    let words = ["agent", "adopt", "scout", "--key", "k", "--json"];
    let (first, second) = (env.drover(&words).ok().json(), env.drover(&words).ok().json());
    assert_eq!((&first["outcome"], &second["deduplicated"]), (&json!("adopted"), &json!(true)));
    assert_eq!(first["data"]["agent"]["name"], "scout");
    let repeat = env.drover(&["agent", "adopt", &place, "--name", "scout", "--json"]).ok().json();
    assert_eq!(
        (&repeat["outcome"], &repeat["data"]["adopted"]),
        (&json!("unchanged"), &json!(false))
    );
    assert_eq!(refused(&[&place, "--name", "h"], 4, "pane_taken")["data"]["agent"], "web/scout");
    for _ in 0..2 {
        let other = persons_pane(&env, "twin");
        env.tmux(&["select-pane", "-t", &other, "-T", "twin"]).ok();
    }
    assert_eq!(refused(&["twin"], 4, "pane_ambiguous")["next"].as_array().unwrap().len(), 2);
}

#[test]
fn ten_that_adopt_one_pane_at_once_make_one_agent() {
    let env = with_claude();
    let place = persons_pane(&env, "mine");
    start(&env, &place);
    let call = |number: usize| {
        ["agent", "adopt", &place, "--name", &format!("h{number}"), "--json"].map(str::to_owned)
    };
    let outputs = super::at_once(&env, &(0..10).map(|it| call(it).to_vec()).collect::<Vec<_>>());
    let (won, lost): (Vec<_>, Vec<_>) = outputs.into_iter().partition(|it| it.exit == 0);
    assert_eq!(won.len(), 1);
    for output in lost {
        output.refused(4, "pane_taken");
    }
    let name = won[0].data()["agent"]["name"].as_str().unwrap().to_owned();
    state(&env, &name, "idle");
}

#[test]
fn a_pi_without_its_socket_is_adopted_with_the_line_that_gives_it_one() {
    let mut env = project();
    env.set("DROVER_ENGINE_PI", env.fake_agent());
    env.tmux_server().start_pane(&[env.fake_agent().to_str().unwrap()]);
    let adopted = env.drover(&["agent", "adopt", "%0", "--name", "p1", "--json"]).ok().json();
    let warning = adopted["warnings"][0].as_str().unwrap();
    assert!(warning.contains("--via mux"), "{adopted}");
    let agent = &adopted["data"]["agent"];
    assert_eq!((&agent["engine"], &agent["channel"]["state"]), (&json!("pi"), &json!("missing")));
    let line = adopted["data"]["by_hand"].as_str().unwrap();
    assert!(line.contains(agent["channel"]["socket"].as_str().unwrap()), "{line}");
    env.drover(&["agent", "send", "p1", "text", "--json"]).refused(5, "channel_silent");
}

#[test]
fn a_shell_that_is_adopted_is_no_worker_and_a_server_that_is_not_there_is_named() {
    let env = project();
    env.drover(&["agent", "adopt", "%0", "--name", "x", "--json"]).refused(5, "mux_missing");
    env.tmux_server().start_pane(&["sh"]);
    let agent = wait_for("it runs", LONG, || {
        let output = env.drover(&["agent", "adopt", "%0", "--name", "x", "--json"]);
        (output.exit == 0).then(|| output.data()["agent"].take())
    });
    assert_eq!((&agent["engine"], &agent["takes_work"]), (&json!("sh"), &json!("none")));
    // A helper without tasks: its project is made when it is first meant.
    env.tmux_server().start_pane(&["sh"]);
    let helper = adopt(&env, &["%1", "--name", "scratch/h1"]);
    assert_eq!(helper["agent"]["project"], "scratch");
    env.drover(&["project", "teardown", "web", "--yes"]).ok();
    assert_eq!(panes(&env), 2, "a teardown leaves what was adopted");
}

#[test]
fn who_has_been_idle_for_long_is_pointed_out_with_what_to_do() {
    let stand_ins = crate::habits::StandIns::new();
    let env = &stand_ins.stage.env;
    stand_ins.start("claude", "w1", &["--turn-ms", "100"]);
    state(env, "w1", "idle");
    env.drover(&["project", "set", "idle_after", "never"]).ok();
    env.drover(&["task", "add", "one"]).ok();
    let listed = |project: &str| {
        let answer = env.drover(&["agent", "list", "-p", project, "--json"]).ok().json();
        let runs = answer["next"].as_array().unwrap().iter();
        let runs: Vec<String> = runs.map(|it| it["run"].as_str().unwrap().to_owned()).collect();
        (answer["data"]["items"][0]["idle"].clone(), runs)
    };
    env.drover(&["project", "set", "idle_after", "0"]).ok();
    assert_eq!(listed("web").0, false, "without a task it waits for one");
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    let (idle, runs) = listed("web");
    assert_eq!((idle, runs[0].as_str()), (json!(true), "drover agent read web/w1"));
    env.drover(&["project", "set", "idle_after", "never"]).ok();
    assert_eq!(listed("web").0, false);
    let program = env.root().join("bin/claude-w1");
    let words = ["agent", "spawn", "scratch/h1", "--engine", "claude"];
    env.drover_call(&words).variable("DROVER_ENGINE_CLAUDE", program).run().ok();
    env.drover(&["project", "set", "idle_after", "0", "-p", "scratch"]).ok();
    wait_until("the helper is idle", LONG, || listed("scratch").0 == true);
    assert_eq!(listed("scratch").1[0], "drover agent close scratch/h1");
    env.drover(&["project", "set", "idle_after", "soon", "--json"]).refused(2, "usage");
}
