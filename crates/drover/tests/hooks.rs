//! The call that the hooks of a Claude Code agent make.

use std::time::{Duration, Instant};

use drover_testkit::{wait_for, wait_until};
use serde_json::{Value, json};

use crate::habits::StandIns;
use crate::stage::SOON;

/// What a hook may take, with room for a machine that does much at once.
const BOUND: Duration = Duration::from_secs(2);

fn agent(stand_ins: &StandIns) -> Value {
    stand_ins.stage.env.drover(&["agent", "show", "w1", "--json"]).ok().data()["agent"].take()
}

/// Calls the hook as a process that is not the agent's own.
fn call(stand_ins: &StandIns, uid: &str, input: &[u8]) -> Duration {
    let began = Instant::now();
    let call = stand_ins.stage.env.drover_call(&["hook", "claude"]);
    let output = call.variable("DROVER_AGENT_UID", uid).stdin(input.to_vec()).run();
    assert_eq!((output.exit, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
    began.elapsed()
}

#[test]
fn a_message_is_received_when_the_hook_said_that_this_very_text_was_submitted() {
    let stand_ins = StandIns::new();
    stand_ins.start("claude", "w1", &["--turn-ms", "100"]);
    for number in 1..=3 {
        let words = ["agent", "send", "w1", "the same text", "--json"];
        let message = stand_ins.stage.env.drover(&words).ok().data()["message"].take();
        assert_eq!((&message["level"], &message["turn"]), (&json!("received"), &json!(number)));
    }
    let words = ["agent", "wait", "w1", "--after-runs", "2", "--json"];
    let waited = stand_ins.stage.env.drover(&words).ok().data();
    assert_eq!(waited["agents"]["items"][0]["last_text"], "answer 3");
}

/// Fault D-14.
#[test]
fn a_hook_of_another_process_says_nothing_of_the_agent() {
    let stand_ins = StandIns::new();
    stand_ins.start("claude", "w1", &[]);
    let idle = || Some(agent(&stand_ins)).filter(|it| it["state"] == "idle");
    let before = wait_for("idle", SOON, idle);
    let uid = before["uid"].as_str().unwrap();
    let stop = json!({"hook_event_name": "Stop", "last_assistant_message": "not mine"}).to_string();
    call(&stand_ins, uid, stop.as_bytes());
    assert_eq!(agent(&stand_ins)["turn"], before["turn"]);
}

#[test]
fn a_hook_without_sense_is_answered_at_once_and_changes_nothing() {
    let stand_ins = StandIns::new();
    stand_ins.start("claude", "w1", &[]);
    let uid = agent(&stand_ins)["uid"].as_str().unwrap().to_owned();
    let huge = vec![b' '; 40 << 20];
    let inputs: [&[u8]; 5] = [b"", b"{", b"[]", b"\0\xff", &huge];
    for input in inputs {
        let taken = call(&stand_ins, &uid, input);
        assert!(taken < BOUND, "{taken:?} for {} bytes", input.len());
    }
    call(&stand_ins, "019f0000-0000-7000-8000-000000000000", b"{\"hook_event_name\":\"Stop\"}");
    assert_eq!(agent(&stand_ins)["lifecycle"], "running");
}

#[test]
fn fifty_hooks_at_once_are_answered_in_time() {
    let stand_ins = StandIns::new();
    stand_ins.start("claude", "w1", &[]);
    let uid = agent(&stand_ins)["uid"].as_str().unwrap().to_owned();
    let stop = json!({"hook_event_name": "Stop"}).to_string();
    let mut taken: Vec<Duration> = std::thread::scope(|scope| {
        let one = || call(&stand_ins, &uid, stop.as_bytes());
        let calls: Vec<_> = (0..50).map(|_| scope.spawn(one)).collect();
        calls.into_iter().map(|it| it.join().unwrap()).collect()
    });
    taken.sort();
    println!("fifty hooks at once: median {:?}, longest {:?}", taken[25], taken[49]);
    assert!(taken[49] < 5 * BOUND, "{taken:?}");
}

#[test]
fn a_turn_that_ends_hands_over_the_next_message() {
    let stand_ins = StandIns::new();
    let record = stand_ins.start("claude", "w1", &["--turn-ms", "700"]);
    let send = |text: &str, words: &[&str]| {
        let all = [&["agent", "send", "w1", text, "--json"], words].concat();
        stand_ins.stage.env.drover(&all).ok()
    };
    send("first", &[]);
    send("second", &["--when-idle"]);
    let submits = || record.read().of("submit").len();
    wait_until("the second message", SOON, || submits() == 2);
}
