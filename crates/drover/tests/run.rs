//! `drover run` and `drover demo`: a plan worked off in real panes and checkouts, and all that can come between.

use drover_testkit::{CommandOutput, processes, wait_until};
use serde_json::{Value, json};

use crate::field::{Field, LONG, next};

/// The answer of a run that ended with this exit code and outcome.
#[track_caller]
fn ended(output: &CommandOutput, exit: i32, outcome: &str) -> Value {
    assert_eq!(output.exit, exit, "{output}");
    let answer = output.json();
    assert_eq!(answer["outcome"], outcome, "{output}");
    answer
}

fn all(kind: &str, of: &[(String, String)]) -> Vec<String> {
    of.iter().filter(|it| it.0 == kind).map(|it| it.1.clone()).collect()
}

/// Fault W-14: three workers on a graph with a diamond, stopped in the middle and gone on with.
#[test]
fn must_show_01_2() {
    let field = Field::new();
    field.plan(&[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["a"]),
        ("d", &["b", "c"]),
        ("e", &[]),
        ("f", &[]),
    ]);
    field.order("d", "cat a.txt b.txt c.txt >d.txt");
    let orders = [field.hold("a"), field.hold("e")];
    field.order("a", &orders[0]);
    field.order("e", &orders[1]);
    let first = field.run_in_background(&["--workers", "3", "--trust"]);
    field.wait_for_begun(3);
    processes::interrupt(first.pid());
    let stopped = ended(&first.wait(), 130, "interrupted");
    assert_eq!(stopped["data"]["agents"], json!(["w1", "w2", "w3"]));
    // Nothing is half-done: what was begun goes on without anybody, and is recorded.
    field.let_go("a");
    wait_until("a is closed", LONG, || {
        field.tasks().contains(&("a".to_owned(), "done".to_owned()))
    });
    assert!(!field.trunk_files().contains(&"a.txt".to_owned()), "nobody lands while nothing runs");
    assert_eq!(
        all("unlanded", &field.needs()).len(),
        1 + field.begun().iter().filter(|it| it.0 == "f").count()
    );
    field.let_go("e");
    let second = field.paste(&format!("{} --json", next(&stopped, "go on")));
    let answer = ended(&second, 0, "all_done");
    assert_eq!(answer["data"]["added"], json!([]));
    assert_eq!(field.on_trunk("d.txt"), "a\nb\nc");
    assert!(field.tasks().iter().all(|it| it.1 == "done"), "{:?}", field.tasks());
    let mut begun: Vec<String> = field.begun().into_iter().map(|it| it.0).collect();
    begun.sort();
    assert_eq!(begun, ["a", "b", "c", "d", "e", "f"], "each was worked on once");
    assert_eq!((field.needs(), answer["data"]["agents"].clone()), (Vec::new(), json!([])));
    let third = ended(&field.run(&["--workers", "3"]), 0, "all_done");
    assert_eq!(third["data"]["trunk_commit"], answer["data"]["trunk_commit"]);
    println!("6 tasks by 3 workers, stopped after 3 and gone on with: each begun once, all landed");
}

#[test]
fn without_trust_nothing_is_started_and_the_way_on_is_named() {
    let field = Field::new();
    field.plan(&[("a", &[])]);
    let refused = field.run(&[]).refused(7, "not_trusted");
    assert_eq!(refused["data"]["commands"], json!(["test -s a.txt"]));
    assert_eq!(field.drover(&["agent", "list", "-p", "web"]).ok().data()["count"], 0);
    assert_eq!(field.begun(), []);
    let go_on = next(&refused, "trust them and go on");
    ended(&field.paste(&format!("{go_on} --json")), 0, "all_done");
}

#[test]
fn a_run_refuses_before_it_changes_anything() {
    let field = Field::new();
    field.plan(&[("a", &[])]);
    field.run(&["--trust"]).ok();
    field.worker("w1");
    let other = ["--command", "sh elsewhere.sh", "--trust"];
    let refused = field.run(&other).refused(4, "agent_differs");
    assert!(refused["error"].as_str().unwrap().contains("sh elsewhere.sh"), "{refused}");
    assert_eq!(refused["next"][0]["run"], "drover agent close web/w1");
    let repository = field.env.repository("another");
    let plan = field.env.root().join("web.json");
    let words = ["run", plan.to_str().unwrap(), "--repo", repository.path().to_str().unwrap()];
    field
        .drover(&[&words[..], &["--command", "true", "--trust"]].concat())
        .refused(4, "other_repository");
    field.drover(&["run", "-p", "wbe", "--command", "true"]).refused(3, "project_unknown");
    let nothing = field.env.root().join("new.json");
    std::fs::write(&nothing, "{\"tasks\":[]}").unwrap();
    let words = ["run", nothing.to_str().unwrap(), "--command", "true"];
    field.drover(&words).refused(3, "no_repository");
    let path = field.repository.path().to_str().unwrap();
    let words = ["run", nothing.to_str().unwrap(), "--repo", path];
    field.drover(&words).refused(2, "usage");
    let projects = field.drover(&["project", "list"]).ok().data();
    let names: Vec<&Value> =
        projects["items"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["new", "web"]);
}

#[test]
fn a_second_run_at_the_same_time_is_refused_and_adds_nothing() {
    let field = Field::new();
    field.plan(&[("a", &[])]);
    field.order("a", &field.hold("a"));
    let first = field.run_in_background(&["--workers", "1", "--trust"]);
    field.wait_for_begun(1);
    field.plan(&[("a", &[]), ("b", &[])]);
    field.run(&["--workers", "4", "--trust"]).refused(4, "dispatch_running");
    field.drover(&["dispatch", "-p", "web"]).refused(4, "dispatch_running");
    assert_eq!(field.tasks().len(), 1);
    assert_eq!(field.drover(&["agent", "list", "-p", "web"]).ok().data()["count"], 1);
    field.let_go("a");
    ended(&first.wait(), 0, "all_done");
}

#[test]
fn a_project_goes_on_without_a_plan_and_without_saying_again_what_its_workers_are() {
    let field = Field::new();
    field.plan(&[("a", &[])]);
    field.run(&["--trust", "--keep-agents", "--workers", "1"]).ok();
    field.drover(&["task", "add", "More", "--id", "more", "-p", "web"]).ok();
    let again = field.drover(&["run", "-p", "web", "--workers", "2"]);
    ended(&again, 0, "all_done");
    assert_eq!(field.on_trunk("more.txt"), "more");
}

/// Fault P-09.
#[test]
fn a_worker_that_is_killed_loses_its_task_to_another_and_is_named() {
    let field = Field::new();
    field.plan(&[("a", &[]), ("b", &[])]);
    field.order("a", &field.hold("a"));
    field.order("b", &field.hold("b"));
    let run = field.run_in_background(&["--workers", "2", "--trust"]);
    field.wait_for_begun(2);
    let victim = field.begun().into_iter().find(|it| it.0 == "a").unwrap().1;
    field.order("a", "echo again >a.txt");
    processes::kill(field.pid(&victim));
    field.let_go("b");
    ended(&run.wait(), 0, "all_done");
    assert_eq!(field.on_trunk("a.txt"), "again");
    assert_eq!(field.begun().len(), 3);
    assert!(field.notes("a").contains("signal 9"), "{}", field.notes("a"));
}

#[test]
fn a_run_whose_last_worker_is_killed_says_so_and_the_same_call_starts_it_again() {
    let field = Field::new();
    field.plan(&[("a", &[])]);
    field.order("a", &field.hold("a"));
    let run = field.run_in_background(&["--workers", "1", "--trust"]);
    field.wait_for_begun(1);
    processes::kill(field.pid("w1"));
    let answer = ended(&run.wait(), 6, "no_agent");
    let need = field.need("dead");
    assert_eq!(need["about"], "w1");
    assert!(need["what"].as_str().unwrap().contains("it lost a"), "{need}");
    field.order("a", "echo again >a.txt");
    ended(&field.paste(&format!("{} --json", next(&answer, "go on"))), 0, "all_done");
    assert_eq!(field.on_trunk("a.txt"), "again");
}

/// Fault E-01: four ways to fail, each tried as often as the policy says, and none spoils the others.
#[test]
fn work_that_fails_ends_with_a_person_and_says_why_for_each() {
    let field = Field::new();
    let task = |id: &str, verify: Option<&str>| json!({ "id": id, "title": id, "impact": 50, "effort_days": 1, "blocked_by": [], "verify": verify });
    field.plan_of(&json!({ "tasks": [
        task("exits", None), task("unproven", Some("test -e no-such-file")), task("idle", None), task("good", Some("test -s good.txt")),
    ]}));
    field.order("exits", "echo half >half.txt; exit 3");
    field
        .order("unproven", "echo x >unproven.txt; git add unproven.txt; git commit --quiet -m own");
    field.order("idle", ":");
    let ran = field.run(&["--workers", "1", "--trust"]);
    ended(&ran, 7, "needs_person");
    let mut spent = all("attempts_spent", &field.needs());
    spent.sort();
    assert_eq!(spent, ["exits", "idle", "unproven"]);
    assert_eq!(all("failed", &field.needs()), ["unproven"]);
    assert!(field.notes("exits").contains("exit code 3"));
    assert!(field.notes("idle").contains("changed nothing"));
    assert_eq!(field.begun().len(), 3 * 3 + 1);
    assert_eq!(field.trunk_files(), [".gitignore", "README.md", "good.txt", "shared.txt"]);
    // What the tries left is kept, and named.
    let notes = field.notes("exits");
    let kept = notes.lines().next().unwrap().split_whitespace().last().unwrap().to_owned();
    assert_eq!(field.repository.git(&["show", &format!("{kept}:half.txt")]), "half");
    field.order("exits", "echo whole >half.txt");
    field.order("idle", "echo x >idle.txt");
    field.order("unproven", "echo x >no-such-file");
    let more = field.need("attempts_spent")["next"][1]["run"].as_str().unwrap().to_owned();
    field.paste(&more).ok();
    ended(&field.run(&["--workers", "1"]), 0, "all_done");
    assert_eq!(field.on_trunk("half.txt"), "whole");
}

#[test]
fn a_workspace_with_changes_of_nobody_is_left_alone_and_named() {
    let field = Field::new();
    field.plan(&[("a", &[])]);
    field.init();
    field.worker("w1");
    std::fs::write(field.checkout("w1").join("mine.txt"), "mine").unwrap();
    let ran = field.run(&["--workers", "1", "--trust"]);
    let answer = ended(&ran, 7, "needs_person");
    assert_eq!(answer["data"]["pass"]["passed_over"]["items"][0]["reason"], "workspace_dirty");
    assert_eq!(field.begun(), []);
    let need = field.need("workspace");
    assert!(need["what"].as_str().unwrap().contains("mine.txt"), "{need}");
    field.paste(need["next"][1]["run"].as_str().unwrap()).ok();
    ended(&field.run(&["--workers", "1"]), 0, "all_done");
}

#[test]
fn two_workers_that_conflict_end_with_a_person_and_go_on_when_it_is_resolved() {
    let field = Field::new();
    field.plan(&[("a", &[]), ("b", &[]), ("c", &["a", "b"])]);
    let (a, b) = (field.hold("a"), field.hold("b"));
    field.order("a", &format!("{a}; echo by a >shared.txt"));
    field.order("b", &format!("{b}; echo by b >shared.txt"));
    let run = field.run_in_background(&["--workers", "2", "--trust"]);
    field.wait_for_begun(2);
    field.let_go("a");
    field.let_go("b");
    let answer = ended(&run.wait(), 7, "needs_person");
    assert_eq!(answer["data"]["pass"]["unlanded"], 1, "{answer}");
    assert_eq!(answer["data"]["pass"]["skipped"]["items"][0]["reason"], "blocker_not_landed");
    let need = field.need("unlanded");
    assert!(need["what"].as_str().unwrap().contains("shared.txt"), "{need}");
    let loser = need["about"].as_str().unwrap().to_owned();
    let git = |words: &[&str]| field.env.call("git", words).directory(field.checkout(&loser)).run();
    assert_ne!(git(&["merge", "drover/web/trunk"]).exit, 0);
    std::fs::write(field.checkout(&loser).join("shared.txt"), "by both\n").unwrap();
    git(&["commit", "--quiet", "--all", "--message", "both"]).ok();
    ended(&field.run(&["--workers", "2"]), 0, "all_done");
    assert_eq!(field.on_trunk("shared.txt"), "by both");
    assert_eq!(field.on_trunk("c.txt"), "c");
}

#[test]
fn owned_paths_and_the_limit_of_work_in_progress_hold_for_every_moment() {
    let field = Field::new();
    let task = |id: &str, owns: &[&str]| json!({ "id": id, "title": id, "impact": 50, "effort_days": 1, "blocked_by": [], "owns": owns });
    field.plan_of(&json!({ "tasks": [task("a", &["lib/"]), task("b", &["lib/x.txt"]), task("c", &[]), task("d", &[])] }));
    // Each says that it is there, and fails if one is there that must not be.
    let here = field.env.root().join("here");
    std::fs::create_dir(&here).unwrap();
    for (id, other) in [("a", "b"), ("b", "a"), ("c", "-"), ("d", "-")] {
        let script = format!(
            "cd '{here}'; touch {id}; ls | tee -a ../most | wc -l >>../counts; [ ! -e {other} ] || exit 9; cd - >/dev/null; echo {id} >{id}.txt; rm '{here}'/{id}",
            here = here.display()
        );
        field.order(id, &script);
    }
    field.init();
    field.drover(&["project", "set", "wip", "2", "-p", "web"]).ok();
    ended(&field.run(&["--workers", "4", "--trust"]), 0, "all_done");
    assert_eq!(field.begun().len(), 4, "nothing was tried twice");
    let counts = std::fs::read_to_string(field.env.root().join("counts")).unwrap();
    assert!(counts.lines().all(|it| it.trim().parse::<u32>().unwrap() <= 2), "{counts}");
}

#[test]
fn a_run_whose_time_is_over_leaves_its_workers_at_work() {
    let field = Field::new();
    field.plan(&[("a", &[])]);
    field.order("a", &field.hold("a"));
    let answer =
        ended(&field.run(&["--workers", "1", "--trust", "--timeout", "1s"]), 5, "timed_out");
    assert_eq!(answer["data"]["agents"], json!(["w1"]));
    field.wait_for_begun(1);
    field.let_go("a");
    ended(&field.run(&["--workers", "1"]), 0, "all_done");
}

#[test]
fn the_demo_shows_everything_once_and_a_second_call_finds_it_done() {
    let field = Field::new();
    let first = field.drover(&["demo"]).ok().json();
    assert_eq!(first["outcome"], "all_done");
    assert!(!first["data"]["tests"].as_str().unwrap().is_empty());
    let second = field.drover(&["demo"]).ok().json();
    assert_eq!(second["data"]["trunk_commit"], first["data"]["trunk_commit"]);
    assert_eq!(second["data"]["added"], json!([]));
    field.drover(&["demo", "--dry-run"]).refused(2, "usage");
}

/// Ctrl-C reaches the command that a landing runs, and the trunk stays where it was.
#[test]
fn a_run_that_is_stopped_while_it_lands_lands_later() {
    let field = Field::new();
    let (started, fifo) = (field.env.root().join("started"), field.env.root().join("gate.fifo"));
    field.hold("gate");
    let verify = format!(
        "case \"$PWD\" in */w1) ;; *) touch '{}'; cat '{}' >/dev/null ;; esac",
        started.display(),
        fifo.display()
    );
    field.plan_of(&json!({ "tasks": [{ "id": "a", "title": "a", "impact": 50, "effort_days": 1, "blocked_by": [], "verify": verify }] }));
    let first = field.run_in_background(&["--workers", "1", "--trust"]);
    wait_until("it lands", LONG, || started.exists());
    let trunk = field.repository.git(&["rev-parse", "drover/web/trunk"]);
    processes::interrupt(first.pid());
    ended(&first.wait(), 130, "interrupted");
    assert_eq!(field.repository.git(&["rev-parse", "drover/web/trunk"]), trunk);
    assert_eq!(field.repository.git(&["worktree", "list"]).lines().count(), 2);
    assert_eq!(all("failed", &field.needs()), Vec::<String>::new());
    std::fs::remove_file(started).unwrap();
    let second = field.run_in_background(&["--workers", "1"]);
    field.let_go("gate");
    ended(&second.wait(), 0, "all_done");
    assert_eq!(field.on_trunk("a.txt"), "a");
}

#[test]
fn a_person_at_a_terminal_is_asked_for_trust_and_only_yes_goes_on() {
    let field = Field::new();
    let plan = field.plan(&[("a", &[])]);
    let line = format!(
        "cd '{}' && '{}' run '{}' -p web --repo '{}' --workers 1 --command '{}'",
        field.env.root().display(),
        field.env.binary().display(),
        plan.display(),
        field.repository.path().display(),
        field.command(),
    );
    let answered = |answer: &str, expected: &str| {
        let server = field.env.tmux_server();
        let pane = server.start_pane(&["sh", "-c", &format!("{line}; exec cat")]);
        let shows = |text: &str| wait_until(text, LONG, || server.screen(&pane).contains(text));
        shows("Let these commands run? [y/N]");
        server.keys(&pane, &[answer, "Enter"]);
        shows(expected);
    };
    answered("n", "project trust");
    assert_eq!(field.begun(), []);
    answered("y", "Every task of web is closed");
    assert_eq!(field.begun().len(), 1);
}
