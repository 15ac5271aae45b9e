//! `drover agent wait` and `drover task wait`.

use std::time::{Duration, Instant};

use drover_testkit::{Background, CommandOutput, processes, wait_until};
use serde_json::Value;

use crate::stage::{SOON, Stage};

/// The answer of a wait that ended with this exit code and outcome.
#[track_caller]
fn ended(output: &CommandOutput, exit: i32, outcome: &str) -> Value {
    assert_eq!(output.exit, exit, "{output}");
    let answer = output.json();
    assert_eq!(answer["outcome"], outcome, "{output}");
    answer["data"].clone()
}

fn outcomes<'a>(data: &'a Value, of: &str) -> Vec<&'a str> {
    let items = data[of]["items"].as_array().unwrap();
    items.iter().map(|it| it["outcome"].as_str().unwrap()).collect()
}

/// Returns when a wait has found what it waits for: it then watches for commits.
#[track_caller]
pub(crate) fn until_watching(waiting: &Background) {
    let watches = |path: std::path::PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("inotify wd"))
    };
    wait_until("its watch", SOON, || {
        std::fs::read_dir(format!("/proc/{}/fdinfo", waiting.pid()))
            .is_ok_and(|entries| entries.flatten().any(|it| watches(it.path())))
    });
}

impl Stage {
    fn run(&self, words: &[&str]) -> CommandOutput {
        let mut all = words.to_vec();
        all.push("--json");
        self.env.drover(&all)
    }

    /// A task that this agent holds.
    fn held(&self, id: &str, agent: &str) {
        self.env.drover(&["task", "add", id, "--id", id]).ok();
        self.env.drover(&["task", "claim", id, "--for", agent]).ok();
    }
}

#[test]
fn an_idle_agent_is_said_to_be_idle_at_once() {
    let stage = Stage::new();
    stage.agent("w1", &[]);
    let started = Instant::now();
    let waited = ended(&stage.run(&["agent", "wait", "w1"]), 0, "already_idle");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(waited["agents"]["items"][0]["outcome"], "idle");
    assert_eq!(waited["agents"]["items"][0]["was_busy"], false);
    let uncounted = stage.run(&["agent", "wait", "w1", "--after-runs", "0"]);
    assert!(uncounted.refused(2, "usage")["error"].as_str().unwrap().contains("fake-agent"));
    stage.run(&["agent", "wait", "w1", "w9"]).refused(3, "agent_unknown");
}

#[test]
fn a_busy_agent_is_waited_for_and_gets_what_is_due_meanwhile() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--turn-ms", "1500"]);
    agent.send(&["one"]).ok();
    agent.send(&["two", "--when-idle"]).ok();
    ended(&stage.run(&["agent", "wait", "w1", "--timeout", "0.2s"]), 5, "timed_out");
    let waited = ended(&stage.run(&["agent", "wait", "w1"]), 0, "reached");
    assert_eq!(waited["agents"]["items"][0]["was_busy"], true);
    assert_eq!(waited["agents"]["items"][0]["outcome"], "empty");
    let recorded = agent.recorded();
    assert_eq!((recorded.of("submit").len(), recorded.of("turn_end").len()), (2, 2));
}

/// Fault G-18.
#[test]
fn a_death_counts_more_than_a_need_and_that_more_than_time() {
    let stage = Stage::new();
    stage.agent("idle", &[]);
    stage.agent("asking", &["--dialog", "question"]);
    let dying = stage.agent("dying", &["--turn-ms", "60000"]);
    stage.agent("busy", &["--turn-ms", "60000"]).send(&["go"]).ok();
    dying.send(&["go"]).ok();
    let waited = ended(&stage.run(&["agent", "wait", "idle", "asking"]), 7, "needs_person");
    assert_eq!(outcomes(&waited, "agents"), ["idle", "needs_person"]);
    let words = ["agent", "wait", "idle", "asking", "dying", "--json"];
    let waiting = stage.env.drover_in_background(&words);
    until_watching(&waiting);
    processes::kill(dying.pid());
    let waited = ended(&waiting.wait(), 6, "agent_dead");
    assert_eq!(outcomes(&waited, "agents"), ["idle", "needs_person", "died"]);
    assert_eq!(waited["agents"]["items"][2]["exit_signal"], 9);
    let first = stage.run(&["agent", "wait", "busy", "idle", "--first"]);
    let first = ended(&first, 0, "already_idle");
    assert_eq!((&first["firing"], outcomes(&first, "agents")[0]), (&"web/idle".into(), "pending"));
    let time = stage.run(&["agent", "wait", "busy", "idle", "--timeout", "0"]);
    assert_eq!(outcomes(&ended(&time, 5, "timed_out"), "agents")[0], "timeout");
}

#[test]
fn a_message_that_is_being_typed_is_no_draft_of_a_person() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--swallow-enter", "2", "--instant-turn"]);
    let sending = stage.env.drover_in_background(&["agent", "send", "w1", "go", "--json"]);
    agent.wait_for("paste", 1);
    ended(&stage.run(&["agent", "wait", "w1"]), 0, "already_idle");
    assert_eq!(agent.recorded().of("submit").len(), 1);
    sending.wait().ok();
}

#[test]
fn an_interrupted_wait_says_so() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--turn-ms", "60000"]);
    agent.send(&["go"]).ok();
    let waiting = stage.env.drover_in_background(&["agent", "wait", "w1", "--json"]);
    until_watching(&waiting);
    processes::interrupt(waiting.pid());
    ended(&waiting.wait(), 130, "interrupted");
}

#[test]
fn a_closed_task_ends_the_wait_for_it_at_once() {
    let stage = Stage::new();
    stage.run(&["task", "add", "one"]).ok();
    stage.run(&["task", "wait", "nosuch"]).refused(3, "task_unknown");
    ended(&stage.run(&["task", "wait", "one", "--timeout", "0"]), 5, "timed_out");
    let waiting = stage.env.drover_in_background(&["task", "wait", "one", "--json"]);
    until_watching(&waiting);
    stage.run(&["task", "claim", "one"]).ok();
    let in_progress = stage.run(&["task", "wait", "one", "--status", "in_progress"]);
    ended(&in_progress, 0, "reached");
    stage.run(&["task", "close", "one", "--evidence", "seen"]).ok();
    let closed = Instant::now();
    let waited = ended(&waiting.wait(), 0, "reached");
    assert!(closed.elapsed() < Duration::from_secs(3));
    assert_eq!(outcomes(&waited, "tasks"), ["reached"]);
    stage.run(&["task", "add", "two"]).ok();
    let first = stage.env.drover(&["task", "wait", "two", "one", "--first"]).ok();
    assert_eq!(first.stdout.lines().next(), Some("web/one"));
}

/// Fault G-18.
#[test]
fn a_deleted_task_never_counts_as_reached() {
    let stage = Stage::new();
    for id in ["one", "two", "three"] {
        stage.run(&["task", "add", id]).ok();
    }
    let all = stage.env.drover_in_background(&["task", "wait", "one", "two", "--json"]);
    let any = stage.env.drover_in_background(&["task", "wait", "one", "three", "--any", "--json"]);
    until_watching(&all);
    until_watching(&any);
    stage.run(&["task", "delete", "one", "--yes"]).ok();
    let waited = ended(&all.wait(), 4, "task_deleted");
    assert_eq!(outcomes(&waited, "tasks"), ["deleted", "waiting"]);
    assert!(any.is_running());
    stage.run(&["task", "claim", "three"]).ok();
    stage.run(&["task", "close", "three", "--evidence", "seen"]).ok();
    let waited = ended(&any.wait(), 0, "reached");
    assert_eq!(outcomes(&waited, "tasks"), ["deleted", "reached"]);
}

/// Fault G-18.
#[test]
fn the_death_of_its_agent_ends_the_wait_for_a_task() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &[]);
    stage.held("one", "w1");
    let words = ["task", "wait", "one", "--stuck-after", "never", "--json"];
    let waiting = stage.env.drover_in_background(&words);
    until_watching(&waiting);
    processes::kill(agent.pid());
    let waited = ended(&waiting.wait(), 6, "agent_dead");
    assert_eq!(outcomes(&waited, "tasks"), ["died"]);
    assert_eq!(waited["tasks"]["items"][0]["status"], "OPEN");
}

/// Fault D-13.
#[test]
fn an_agent_that_needs_a_person_or_does_nothing_ends_the_wait_or_is_only_said() {
    let stage = Stage::new();
    stage.agent("asking", &["--dialog", "permission"]);
    stage.agent("lazy", &[]);
    stage.held("asked", "asking");
    stage.held("left", "lazy");
    let waited = ended(&stage.run(&["task", "wait", "asked"]), 7, "needs_person");
    let asked = &waited["tasks"]["items"][0];
    assert_eq!(asked["owner_state"], "needs_permission");
    let why = asked["reason"].as_str().unwrap();
    assert!(why.starts_with("asking needs_permission: permission: "), "{why}");
    let stuck = stage.run(&["task", "wait", "left", "--stuck-after", "0.5s"]);
    let stuck = ended(&stuck, 7, "needs_person");
    assert_eq!(outcomes(&stuck, "tasks"), ["stalled"]);
    let why = stuck["tasks"]["items"][0]["reason"].as_str().unwrap();
    assert!(why.starts_with("lazy holds it and has been idle for "), "{why}");
    let warned = ["task", "wait", "asked", "--on-stall", "warn", "--timeout", "1s"];
    let output = stage.run(&warned);
    ended(&output, 5, "timed_out");
    assert_eq!(output.json()["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_turn_that_cannot_be_stopped_is_left_alone_and_the_kick_is_named() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--turn-ms", "60000"]);
    agent.send(&["go"]).ok();
    let refused = stage.run(&["agent", "abort", "w1"]).refused(3, "not_stopped");
    assert_eq!(refused["next"][0]["run"], "drover agent kick web/w1");
    stage.run(&["agent", "abort", "w1", "--dry-run"]).refused(3, "not_stopped");
    assert!(agent.recorded().of("turn_end").is_empty());
    processes::kill(agent.pid());
    stage.run(&["agent", "wait", "w1"]);
    stage.run(&["agent", "abort", "w1"]).refused(3, "not_running");
}
