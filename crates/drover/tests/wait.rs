//! `drover agent wait` and `drover task wait`.

use std::time::{Duration, Instant};

use drover_testkit::{Background, CommandOutput, processes, wait_until};
use serde_json::Value;

use crate::habits::StandIns;
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

/// What a wait says of its one agent.
#[track_caller]
fn one(output: &CommandOutput, outcome: &str) -> Value {
    ended(output, 0, outcome)["agents"]["items"][0].take()
}

#[test]
fn must_show_02_4() {
    let stand_ins = StandIns::new();
    stand_ins.start("pi", "w1", &["--turn-ms", "300"]);
    let stage = &stand_ins.stage;
    wait_until("it is idle", SOON, || {
        stage.run(&["agent", "wait", "w1", "--timeout", "0"]).json()["outcome"] == "already_idle"
    });
    let idle = one(&stage.run(&["agent", "wait", "w1"]), "already_idle");
    assert_eq!(
        (&idle["outcome"], &idle["was_busy"], &idle["turn"]),
        (&"idle".into(), &false.into(), &0.into())
    );
    let sent = stage.run(&["agent", "send", "w1", "first"]).ok().json();
    assert_eq!(
        (&sent["outcome"], &sent["data"]["message"]["turn"]),
        (&"received".into(), &1.into())
    );
    let follow_up = sent["next"][0]["run"].as_str().unwrap().to_owned();
    assert_eq!(follow_up, "drover agent wait web/w1 --after-runs 0");
    let first = one(&stage.run(&["agent", "wait", "w1", "--after-runs", "0"]), "reached");
    assert_eq!((&first["outcome"], &first["turn"]), (&"done".into(), &1.into()));
    assert!(first["last_text"].is_string(), "{first}");
    // The turn has ended before this wait begins: it answers at once, however long it might wait.
    let begun = Instant::now();
    let again = one(
        &stage.run(&["agent", "wait", "w1", "--after-runs", "0", "--timeout", "never"]),
        "reached",
    );
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!((&again["outcome"], &again["last_text"]), (&"done".into(), &first["last_text"]));
    // The turn that is meant has not begun: an idle agent is waited for.
    let words = ["agent", "wait", "w1", "--after-runs", "1", "--json"];
    let waiting = stage.env.drover_in_background(&words);
    until_watching(&waiting);
    assert!(waiting.is_running());
    stage.run(&["agent", "send", "w1", "second"]).ok();
    assert_eq!(one(&waiting.wait(), "reached")["turn"], 2);
    let late = stage.run(&["agent", "wait", "w1", "--after-runs", "2", "--timeout", "0.3s"]);
    assert_eq!(outcomes(&ended(&late, 5, "timed_out"), "agents"), ["timeout"]);
    let text = stage.env.drover(&["agent", "wait", "w1", "--after-runs", "1"]).ok().stdout;
    assert!(text.contains("web/w1 said in turn 2:"), "{text}");
    println!("a turn that had ended was answered in {:?}", begun.elapsed());
}

#[test]
fn a_turn_is_stopped_over_the_channel_and_what_waits_begins_the_next() {
    let stand_ins = StandIns::new();
    let record = stand_ins.start("pi", "w1", &["--turn-ms", "60000"]);
    let stage = &stand_ins.stage;
    stage.run(&["agent", "send", "w1", "long"]).ok();
    stage.run(&["agent", "send", "w1", "next", "--when-idle"]).ok();
    let preview = stage.run(&["agent", "abort", "w1", "--dry-run"]).ok().data();
    assert_eq!((&preview["was_busy"], record.read().of("submit").len()), (&true.into(), 1));
    let stopped = stage.run(&["agent", "abort", "w1"]).ok().json();
    assert_eq!(
        (&stopped["outcome"], &stopped["data"]["state_before"]),
        (&"aborted".into(), &"working".into())
    );
    assert_eq!(stopped["data"]["agent"]["turn"], 1);
    let seen = stage.run(&["agent", "wait", "w1", "--after-runs", "0"]);
    assert_eq!(outcomes(&ended(&seen, 0, "reached"), "agents"), ["error"]);
    wait_until("the next has begun", SOON, || {
        stage.run(&["agent", "show", "w1", "-n", "0"]).ok();
        record.read().of("submit").len() == 2
    });
    stage.run(&["agent", "abort", "w1"]).ok();
    assert_eq!(stage.run(&["agent", "abort", "w1"]).ok().json()["outcome"], "already_idle");
}

/// Faults D-10, D-12.
#[test]
fn a_holder_whose_turn_has_ended_holds_its_task_up_and_one_with_mail_does_not() {
    let stand_ins = StandIns::new();
    stand_ins.start("pi", "w1", &["--turn-ms", "200"]);
    let stage = &stand_ins.stage;
    stage.held("one", "w1");
    stage.run(&["agent", "send", "w1", "do it"]).ok();
    let stuck = ended(&stage.run(&["task", "wait", "one"]), 7, "needs_person");
    let why = stuck["tasks"]["items"][0]["reason"].as_str().unwrap();
    assert!(why.contains("it said last, in turn 1: "), "{why}");
    let next = stage.run(&["task", "wait", "one"]).json()["next"][0]["run"].clone();
    assert_eq!(next, "drover agent wait web/w1 --after-runs 0");
}
