//! The harness keeps its promises: hermetic, bounded, and gone without a trace.

use std::time::Duration;

use drover_testkit::{TestEnv, processes, wait_until};
use rustix::process::Signal;

const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_call_sees_the_environment_of_the_test_and_nothing_else() {
    let mut env = TestEnv::without_binary();
    env.set("EXTRA", "x");
    let output = env.call("env", &["-0"]).variable("ONCE", "1").without("LANG").run().ok();
    let pairs = output.stdout.split('\0').filter_map(|pair| pair.split_once('='));
    for (name, value) in pairs.clone() {
        let is_below = value.starts_with(env.root().to_str().unwrap());
        let is_fixed =
            ["1", "0", "tester", "/bin/sh", "xterm-256color", "UTC", "x"].contains(&value);
        assert!(is_below || is_fixed, "{name}={value}");
    }
    let names: Vec<&str> = pairs.map(|(name, _)| name).collect();
    assert!(names.contains(&"EXTRA") && names.contains(&"ONCE"));
    assert!(!names.contains(&"LANG") && !names.contains(&"CARGO"));
}

#[test]
fn standard_input_is_empty_unless_given() {
    let env = TestEnv::without_binary();
    assert_eq!(env.call("cat", &["-"]).run().ok().stdout, "");
    assert_eq!(env.call("cat", &["-"]).stdin("given\n").run().ok().stdout, "given\n");
}

#[test]
fn json_is_exactly_one_line() {
    let env = TestEnv::without_binary();
    let print = |text: &str| env.call("printf", &["%s", text]).run().ok();
    assert_eq!(print("{\"data\":{\"a\":1}}\n").data()["a"], 1);
    for text in ["{}", "{}\n{}\n", "\n", "", "no\n"] {
        let output = print(text);
        assert!(std::panic::catch_unwind(|| output.json()).is_err(), "{text:?}");
    }
}

#[test]
fn a_refusal_has_its_exit_status_and_outcome() {
    let env = TestEnv::without_binary();
    let script = r#"echo '{"ok":false,"outcome":"cycle","exit":3}'; exit 3"#;
    let refuse = || env.call("sh", &["-c", script]).run();
    assert_eq!(refuse().refused(3, "cycle")["outcome"], "cycle");
    for (exit, outcome) in [(4, "cycle"), (3, "other")] {
        assert!(std::panic::catch_unwind(|| refuse().refused(exit, outcome)).is_err());
    }
}

#[test]
fn a_call_that_does_not_end_fails_at_its_limit() {
    let env = TestEnv::without_binary();
    let call = env.call("sleep", &["600"]).time_limit(Duration::from_millis(100));
    assert!(std::panic::catch_unwind(|| call.run()).is_err());
    assert!(env.processes().is_empty(), "it was killed");
}

#[test]
fn a_call_in_the_background_can_be_watched_signalled_and_waited_for() {
    let env = TestEnv::without_binary();
    let script = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done";
    let background = env.call("sh", &["-c", script]).start();
    wait_until("its first line", SOON, || background.stdout_so_far() == "up\n");
    assert!(background.is_running());
    background.signal(Signal::TERM);
    let output = background.wait();
    assert_eq!((output.exit, output.stdout.as_str()), (7, "up\nbye\n"));
}

#[test]
fn what_a_test_leaves_behind_ends_with_it_and_strangers_live() {
    let stranger = TestEnv::without_binary();
    let strange = stranger.call("sleep", &["600"]).start();
    let env = TestEnv::without_binary();
    env.tmux_server().start_pane(&["sh", "-c", "trap '' HUP; sleep 600"]);
    env.call("sh", &["-c", "setsid sleep 600 & trap '' TERM"]).run().ok();
    wait_until("four processes", SOON, || env.processes().len() >= 4);
    let (left, root) = (env.processes(), env.root().to_owned());
    assert!(left.contains(&env.tmux_server().server_pid().unwrap()));
    drop(env);
    assert!(!left.iter().any(|pid| processes::is_running(*pid)));
    assert!(!root.exists());
    assert!(strange.is_running());
}

#[test]
fn a_repository_has_a_first_commit_and_an_identity() {
    let env = TestEnv::without_binary();
    let repository = env.repository("tree");
    let first = repository.git(&["rev-parse", "main"]);
    repository.write("src/a.txt", "a\n");
    assert_ne!(repository.commit("second"), first);
    assert_eq!(
        repository.git(&["log", "-1", "--format=%an <%ae>"]),
        "Test Person <test@localhost>"
    );
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_shim_comes_first_on_the_path() {
    let env = TestEnv::without_binary();
    env.shim("git", "#!/bin/sh\necho shim\n");
    assert_eq!(env.call("git", &["--version"]).run().ok().stdout, "shim\n");
}
