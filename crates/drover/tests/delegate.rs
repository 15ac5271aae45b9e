//! `drover agent delegate`: helpers in panes, and answers that come back, with a stand-in that counts turns.

use std::path::PathBuf;

use drover_testkit::{CommandOutput, Recorded, TestEnv, processes, wait_until};
use serde_json::Value;

use crate::stage::SOON;

/// A home with the project `web`, in which pi is a stand-in.
struct Home {
    env: TestEnv,
    records: PathBuf,
}

impl Home {
    /// The stand-in behaves so.
    fn new(switches: &str) -> Self {
        let mut env = crate::env();
        let records = env.root().join("records");
        std::fs::create_dir_all(&records).unwrap();
        let script = format!(
            "#!/bin/sh\nexec '{}' --record \"{}/$DROVER_AGENT\" --speak pi {switches} \"$@\"\n",
            env.fake_agent().display(),
            records.display(),
        );
        let program = env.shim("stand-in", &script);
        env.set("DROVER_ENGINE_PI", program.to_str().unwrap());
        env.drover(&["project", "init", "web"]).ok();
        Self { env, records }
    }

    fn delegate(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> =
            ["agent", "delegate"].iter().chain(words).copied().chain(["--json"]).collect();
        self.env.drover(&all)
    }

    fn recorded(&self, name: &str) -> Recorded {
        Recorded::read(self.records.join(name))
    }

    #[track_caller]
    fn of(&self, name: &str) -> Value {
        self.delegate(&["--answer", name]).json()["data"]["delegate"].take()
    }

    #[track_caller]
    fn until(&self, name: &str, state: &str) -> Value {
        wait_until(&format!("{name} is {state}"), SOON, || self.of(name)["state"] == state);
        self.of(name)
    }

    /// How many processes wait for answers beside.
    fn beside(&self) -> Vec<u32> {
        let is_it = |pid: &u32| processes::command_line(*pid).contains(&"delegate-run".to_owned());
        self.env.processes().into_iter().filter(is_it).collect()
    }
}

#[track_caller]
fn delegate(output: &CommandOutput, exit: i32, outcome: &str) -> Value {
    assert_eq!(output.exit, exit, "{output}");
    let answer = output.json();
    assert_eq!(answer["outcome"], outcome, "{output}");
    answer["data"]["delegate"].clone()
}

#[test]
fn a_helper_answers_once_and_its_pane_is_closed() {
    let home = Home::new("--turn-ms 200");
    home.env.drover(&["task", "add", "Check it", "--id", "check"]).ok();
    let preview = home.delegate(&["look", "--label", "The Parser!", "--dry-run"]);
    assert_eq!(preview.ok().json()["dry_run"], true);
    assert_eq!(home.delegate(&["--list"]).ok().data()["count"], 0);
    let words =
        ["look at it", "--label", "The Parser!", "--brief", "You are terse.", "--record", "check"];
    let begun = delegate(&home.delegate(&words), 0, "delegated");
    assert_eq!(
        (&begun["name"], &begun["project"]),
        (&"delegate-the-parser".into(), &"scratch".into())
    );
    let done = delegate(
        &home.delegate(&["--answer", "delegate-the-parser", "--wait", "--timeout", "30s"]),
        0,
        "answered",
    );
    assert_eq!((&done["state"], &done["turn"]), (&"done".into(), &1.into()));
    assert_eq!(done["answer"], "took 26 bytes");
    let submitted = home.recorded("delegate-the-parser").of("submit")[0]["text"].clone();
    assert_eq!(submitted, "You are terse.\n\nlook at it");
    wait_until("its pane is closed", SOON, || home.of("delegate-the-parser")["has_agent"] == false);
    let notes = home.env.drover(&["task", "notes", "check", "--json"]).ok().stdout;
    assert!(notes.contains("REFUTER The Parser! (delegate-the-parser, "), "{notes}");
    assert!(notes.contains("\"author\":\"delegate-the-parser\""), "{notes}");
    wait_until("nothing waits beside", SOON, || home.beside().is_empty());
    let text = home.env.drover(&["agent", "delegate", "--answer", "delegate-the-parser"]).ok();
    assert!(text.stdout.contains("took 26 bytes"), "{text}");
    // A project that is meant by being the only one is not the helpers'.
    home.env.drover(&["task", "add", "Another"]).ok();
}

#[test]
fn more_than_have_room_wait_and_a_key_asks_once() {
    let home = Home::new("--turn-ms 60000");
    home.env.drover(&["project", "set", "delegates", "1"]).ok();
    delegate(&home.delegate(&["one", "--key", "k"]), 0, "delegated");
    home.env.drover(&["project", "set", "delegates", "1", "-p", "scratch"]).ok();
    assert_eq!(home.delegate(&["one", "--key", "k"]).json()["deduplicated"], true);
    for number in 2..=5 {
        let queued = delegate(&home.delegate(&["more"]), 0, "queued");
        assert_eq!(queued["name"], format!("delegate-{number}"));
    }
    home.delegate(&["too much"]).refused(5, "delegates_full");
    let cancelled = delegate(&home.delegate(&["--cancel", "delegate-3"]), 0, "cancelled");
    assert_eq!(cancelled["state"], "cancelled");
    wait_until("it works", SOON, || home.recorded("delegate-1").of("submit").len() == 1);
    let cancelled = delegate(&home.delegate(&["--cancel", "delegate-1"]), 0, "cancelled");
    assert_eq!(
        (&cancelled["state"], &cancelled["has_agent"]),
        (&"cancelled".into(), &false.into())
    );
    assert_eq!(home.recorded("delegate-1").of("interrupted").len(), 1);
    home.until("delegate-2", "running");
    assert_eq!(home.of("delegate-4")["state"], "queued");
    let again = delegate(&home.delegate(&["--cancel", "delegate-1"]), 0, "cancelled");
    assert_eq!(again["state"], "cancelled");
    for name in ["delegate-4", "delegate-5", "delegate-2"] {
        home.delegate(&["--cancel", name]).ok();
    }
    wait_until("nothing waits beside", SOON, || home.beside().is_empty());
}

/// Fault D-09.
#[test]
fn what_can_be_known_beforehand_is_refused_before_anything_is_written() {
    let home = Home::new("");
    home.delegate(&["x", "--engine", "shell"]).refused(2, "usage");
    home.delegate(&["x", "--engine", "cat"]).refused(2, "usage");
    home.delegate(&["x", "--cwd", "/nowhere"]).refused(3, "directory_unusable");
    home.delegate(&["x", "--record", "nothing"]).refused(3, "task_unknown");
    home.delegate(&["x", "--workspace"]).refused(3, "no_repository");
    home.delegate(&["--label", "x"]).refused(2, "usage");
    home.delegate(&["--answer", "nobody"]).refused(3, "delegate_unknown");
    home.delegate(&["--cancel", "nobody"]).refused(3, "delegate_unknown");
    assert_eq!(home.delegate(&["--list"]).ok().data()["count"], 0);
    let call = home.env.drover_call(&["agent", "delegate", "x", "--json"]);
    call.variable("DROVER_ENGINE_PI", "/nowhere/pi").run().refused(3, "engine_missing");
    assert_eq!(home.delegate(&["--list"]).ok().data()["items"][0]["state"], "failed");
}

#[test]
fn what_went_wrong_keeps_the_pane_and_says_why() {
    let home = Home::new("--turn-ms 60000");
    let begun = delegate(&home.delegate(&["x", "--timeout", "3s"]), 0, "delegated");
    let name = begun["name"].as_str().unwrap();
    let over = home.until(name, "timeout");
    assert_eq!(over["has_agent"], true);
    assert!(over["reason"].as_str().unwrap().contains("nobody waits for its answer"), "{over}");
    delegate(&home.delegate(&["--answer", name]), 5, "timed_out");
    let dying = delegate(&home.delegate(&["y", "--label", "dying"]), 0, "delegated");
    let name = dying["name"].as_str().unwrap();
    wait_until("it works", SOON, || home.recorded(name).of("submit").len() == 1);
    let shown =
        home.env.drover(&["agent", "show", &format!("scratch/{name}"), "-n", "0", "--json"]);
    let pid = shown.ok().data()["agent"]["pane"]["pid"].as_u64().unwrap();
    processes::kill(pid.try_into().unwrap());
    let died = home.until(name, "died");
    assert!(died["reason"].as_str().unwrap().contains("no answer of it was seen"), "{died}");
    assert_eq!(died["has_agent"], true);
}

#[test]
fn a_process_that_waited_and_is_gone_is_replaced_by_the_next_call() {
    let home = Home::new("--turn-ms 1500");
    let begun = delegate(&home.delegate(&["x"]), 0, "delegated");
    let name = begun["name"].as_str().unwrap();
    wait_until("somebody waits", SOON, || home.beside().len() == 1);
    wait_until("it works", SOON, || home.recorded(name).of("submit").len() == 1);
    for pid in home.beside() {
        processes::kill(pid);
    }
    wait_until("its turn is over", SOON, || home.recorded(name).of("turn_end").len() == 1);
    home.delegate(&["--list"]).ok();
    assert_eq!(home.until(name, "done")["answer"], "took 1 bytes");
}

#[test]
fn one_with_a_workspace_works_on_a_branch_of_the_project_and_its_work_is_kept() {
    let home = Home::new("--turn-ms 200");
    let repository = home.env.repository("repo");
    home.env
        .drover(&["project", "init", "site", "--repo", repository.path().to_str().unwrap()])
        .ok();
    let words = ["x", "--workspace", "-p", "site", "--label", "idle"];
    delegate(&home.delegate(&words), 0, "delegated");
    home.until("delegate-idle", "done");
    wait_until("its pane is closed", SOON, || home.of("delegate-idle")["has_agent"] == false);
    let words = ["y", "--workspace", "-p", "site", "--label", "busy", "--keep"];
    let busy = delegate(&home.delegate(&words), 0, "delegated");
    assert_eq!((&busy["project"], &busy["cwd"]), (&"site".into(), &Value::Null));
    home.until("delegate-busy", "done");
    let agent = home.env.drover(&["agent", "show", "site/delegate-busy", "-n", "0", "--json"]);
    let agent = agent.ok().data()["agent"].take();
    assert_eq!(agent["takes_work"], "none", "dispatch gives it nothing");
    let cwd = agent["cwd"].as_str().unwrap();
    assert!(cwd.ends_with("workspaces/site/delegate-busy"), "{cwd}");
    home.env.drover(&["agent", "close", "site/delegate-busy"]).ok();
}
