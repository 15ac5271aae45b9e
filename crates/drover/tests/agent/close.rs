//! `drover agent close`.

use drover_testkit::processes;

use super::{LONG, names, panes, pid, project, show, spawn};
use drover_testkit::wait_until;

#[test]
fn closing_a1_twice_leaves_a10_alone() {
    let env = project();
    let gone = spawn(&env, "a1", &["--engine", "shell"]);
    let kept = spawn(&env, "a10", &["--engine", "shell"]);
    assert_eq!(env.drover(&["agent", "close", "a1", "--json"]).ok().json()["outcome"], "closed");
    let again = env.drover(&["agent", "close", "a1", "--json"]).ok().json();
    assert_eq!(again["outcome"], "already_closed");
    assert!(!processes::is_running(pid(&gone)) && processes::is_running(pid(&kept)));
    assert_eq!((names(&env), panes(&env)), (vec!["a10".to_owned()], 1));
    env.drover(&["agent", "close", "a2", "--json"]).refused(3, "agent_unknown");
    env.drover(&["agent", "show", "a1", "--json"]).refused(3, "agent_unknown");
}

#[test]
fn a_closed_name_is_free_and_its_tasks_are_open() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    spawn(&env, "w1", &["--engine", "shell"]);
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    let closed = env.drover(&["agent", "close", "w1", "--json"]).ok().data();
    assert_eq!(closed["released"], serde_json::json!(["one"]));
    assert_eq!(env.drover(&["task", "next", "--json"]).ok().data()["count"], 1);
    assert_eq!(spawn(&env, "w1", &["--engine", "shell"])["state"], "idle");
}

#[test]
fn children_that_ignore_hangup_or_left_the_session_end_with_their_agent() {
    let env = project();
    let command = format!("{} --fork-orphans", env.fake_agent().display());
    let agent = spawn(&env, "w1", &["--command", &command]);
    let uid = agent["uid"].as_str().unwrap().to_owned();
    let ours = || {
        let is_ours = |pid: &u32| {
            processes::environment(*pid).get("DROVER_AGENT_UID".as_ref() as &std::ffi::OsStr)
                == Some(&uid.as_str().into())
        };
        env.processes().into_iter().filter(is_ours).count()
    };
    wait_until("its children run", LONG, || ours() >= 3);
    let closed = env.drover(&["agent", "close", "w1", "--json"]).ok().data();
    assert_eq!(closed["left"], serde_json::json!([]));
    assert!(closed["ended"].as_u64().unwrap() >= 3, "{closed}");
    assert_eq!(ours(), 0);
}

#[test]
fn an_agent_that_has_ended_keeps_its_screen_until_it_is_closed() {
    let env = project();
    spawn(&env, "w1", &["--command", "sh -c 'echo last words; exit 7'"]);
    wait_until("it has ended", LONG, || show(&env, "w1")["exit_status"] == 7);
    let read = env.drover(&["agent", "read", "w1"]).ok().stdout;
    assert!(read.contains("last words"), "{read}");
    env.drover(&["agent", "close", "w1"]).ok();
    assert_eq!(panes(&env), 0);
}

#[test]
fn a_dry_run_ends_nothing() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let answer = env.drover(&["agent", "close", "w1", "--dry-run", "--json"]).ok().json();
    assert_eq!(answer["effects"].as_array().unwrap().len(), 2);
    assert!(processes::is_running(pid(&agent)));
    assert_eq!(names(&env), ["w1"]);
}

#[test]
fn a_workspace_with_work_forbids_a_close_until_a_way_out_is_named() {
    let env = crate::env();
    let repository = env.repository("repo");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let checkout = std::path::PathBuf::from(agent["cwd"].as_str().unwrap());
    std::fs::write(checkout.join("new.txt"), "work").unwrap();
    let refused = env.drover(&["agent", "close", "w1", "--json"]).refused(3, "workspace_not_safe");
    assert!(refused["error"].as_str().unwrap().contains("new.txt"), "{refused}");
    assert!(processes::is_running(pid(&agent)), "a refused close ends nothing");
    let preview = env.drover(&["agent", "close", "w1", "--discard", "--json"]).ok().json();
    assert_eq!(preview["outcome"], "preview");
    assert!(processes::is_running(pid(&agent)));
    let words = ["agent", "close", "w1", "--discard", "--yes", "--json"];
    let closed = env.drover(&words).ok().data();
    assert!(!checkout.exists());
    let prefix = closed["workspace"]["rescue"]["ref_prefix"].as_str().unwrap().to_owned();
    let refs = repository.git(&["for-each-ref", "--format=%(refname)", &prefix]);
    let kept = refs
        .lines()
        .any(|it| repository.git(&["ls-tree", "-r", "--name-only", it]).contains("new.txt"));
    assert!(kept, "{refs}");
}

#[test]
fn a_clean_workspace_goes_with_its_agent() {
    let env = crate::env();
    let repository = env.repository("repo");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let cwd = std::fs::read_link(format!("/proc/{}/cwd", pid(&agent))).unwrap();
    assert_eq!(cwd.to_str(), agent["cwd"].as_str());
    let elsewhere = spawn(&env, "w2", &["--engine", "shell", "--no-workspace"]);
    assert_eq!(elsewhere["cwd"], env.home().to_str().unwrap());
    env.drover(&["agent", "close", "w1"]).ok();
    assert!(!cwd.exists());
    assert!(!repository.git(&["branch", "--list"]).contains("w1"));
}
