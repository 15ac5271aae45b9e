//! Process trees are found and ended by identity.
#![expect(clippy::unwrap_used, reason = "test harness")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use drover_host::proc;
use drover_host::process::Exit;

/// Starts a script and waits for the line by which it says that it is set up.
fn start(script: &str, uid: &str) -> Child {
    let mut child = Command::new("setsid")
        .args(["sh", "-c", script])
        .env(proc::AGENT_UID_VARIABLE, uid)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    child
}

/// Reaps the child in the background, as a multiplexer would.
fn reaped(mut child: Child) {
    std::thread::spawn(move || child.wait());
}

/// Fault P-06.
#[test]
fn ending_a_tree_takes_what_ignores_hangups_and_what_has_detached() {
    let uid = drover_host::random::uid();
    let script = "(trap '' HUP; exec sleep 1001) & setsid -f sleep 1002; echo up; sleep 1003";
    let child = start(script, &uid);
    let root = proc::identity(child.id()).unwrap();
    reaped(child);
    let ended = proc::end_tree(&root, Some(&uid), Duration::from_secs(1));
    assert_eq!(ended.left, []);
    assert!(ended.ended.len() >= 3, "{ended:?}");
    assert_eq!(proc::tree_of(&root, Some(&uid)), []);
}

#[test]
fn what_ignores_everything_is_killed_and_what_is_stopped_too() {
    let uid = drover_host::random::uid();
    let child = start("trap '' HUP TERM; echo up; kill -STOP $$; while :; do sleep 1; done", &uid);
    let root = proc::identity(child.id()).unwrap();
    reaped(child);
    let ended = proc::end_tree(&root, None, Duration::from_millis(200));
    assert_eq!(ended.left, []);
    assert!(!proc::is_alive(&root));
}

#[test]
fn a_stranger_under_the_same_number_is_left_alone() {
    let uid = drover_host::random::uid();
    let mut child = start("echo up; exec sleep 1000", &uid);
    let mut root = proc::identity(child.id()).unwrap();
    root.start = "00000000:1".to_owned();
    assert_eq!(proc::end_tree(&root, None, Duration::from_secs(1)), proc::Ended::default());
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_process_is_found_by_the_directory_it_works_in() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let mut child = Command::new("sleep").arg("1000").current_dir(&inner).spawn().unwrap();
    let found = proc::in_directory(directory.path());
    assert!(found.iter().any(|it| it.identity.pid == child.id()));
    assert_eq!(proc::in_directory(&directory.path().join("other")), []);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn parents_and_descendants_name_each_other() {
    let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
    let own = proc::own_identity().unwrap();
    assert_eq!(proc::parent(child.id()), Some(own.clone()));
    assert_eq!(proc::ancestors(child.id()).first(), Some(&own));
    assert!(
        proc::Snapshot::take().descendants(&own).iter().any(|it| it.identity.pid == child.id())
    );
    let handle = proc::pidfd(&proc::identity(child.id()).unwrap());
    assert!(handle.is_some());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_end_of_a_process_nobody_asked_about_is_still_known() {
    let ends = [("exit 7", Exit::Code(7)), ("kill -9 $$", Exit::Signal(9))];
    for (script, expected) in ends {
        let mut child = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let own = std::process::id();
        let mut exit = None;
        while exit.is_none() {
            exit = proc::unreaped_exit(child.id(), own);
        }
        assert_eq!(exit, Some(expected));
        assert_eq!(proc::unreaped_exit(child.id(), 1), None);
        child.wait().unwrap();
        assert_eq!(proc::unreaped_exit(child.id(), own), None);
    }
}
