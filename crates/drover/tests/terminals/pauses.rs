//! Waits that were stopped for a while, as on a machine that slept.

use std::time::{Duration, Instant};

use drover_testkit::{Signal, processes, wait_until};
use serde_json::Value;

use super::{LONG, before_tmux};
use crate::agent::{project, spawn};

/// So many ticks of a wait pass meanwhile; one takes a second.
const STOPPED: Duration = Duration::from_secs(6);

/// Fault Z-01.
#[test]
fn a_wait_that_was_stopped_makes_up_for_nothing() {
    let env = project();
    for number in 0..6 {
        spawn(&env, &format!("w{number}"), &["--engine", "shell", "--work", "sleep 1000"]);
    }
    env.drover(&["task", "add", "A long one", "--id", "long"]).ok();
    let calls = env.root().join("calls");
    // Each call is noted at its begin and its end, so that those at the same time can be counted.
    let script = "echo \"+ $*\" >>'CALLS'; TMUX_ \"$@\"; code=$?; echo - >>'CALLS'; exit $code\n";
    before_tmux(&env, &script.replace("CALLS", calls.to_str().unwrap()));
    let noted = || std::fs::read_to_string(&calls).unwrap_or_default();
    let begun = || noted().lines().filter(|it| it.starts_with('+')).count();
    let watch = env.drover_in_background(&["dispatch", "--watch", "--timeout", "10m", "--json"]);
    wait_until("it looks again and again", LONG, || begun() >= 3);

    watch.signal(Signal::STOP);
    let stopped = Instant::now();
    wait_until("ticks have passed", LONG, || stopped.elapsed() >= STOPPED);
    let before = begun();
    let woken = Instant::now();
    watch.signal(Signal::CONT);
    wait_until("it looks again", LONG, || begun() >= before + 3);
    let (made, seconds) = (begun() - before, woken.elapsed().as_secs());
    let due = usize::try_from(seconds).unwrap() + 4;
    assert!(made <= due, "{made} calls in {seconds} s:\n{}", noted());
    let mut running = 0;
    for line in noted().lines() {
        running += if line.starts_with('+') { 1 } else { -1 };
        assert!(running <= 1, "{}", noted());
    }
    assert!(watch.is_running());
    let listed = env.drover(&["agent", "list", "--json"]).ok().data();
    let items = listed["items"].as_array().unwrap();
    let is_there = |it: &Value| it["state"] == "idle" || it["state"] == "working";
    assert!(items.iter().all(is_there), "{listed}");
    processes::interrupt(watch.pid());
    assert_eq!(watch.wait().exit, 130);
}
