//! Programs run with a directory, an environment, a timeout and captured output.

use std::path::Path;
use std::time::Duration;

use drover_host::proc;
use drover_host::process::{Command, Exit, Overflow, ProcessError};

fn sh(script: &str) -> Command {
    Command::new("sh", "/").args(["-c", script])
}

#[test]
fn both_outputs_and_the_exit_code_are_captured() {
    let output = sh("echo out; echo err >&2; exit 3").run().unwrap();
    assert_eq!(output.status, Exit::Code(3));
    assert_eq!((output.text(), output.error_text()), ("out".to_owned(), "err".to_owned()));
}

#[test]
fn a_signal_is_told_from_a_code() {
    assert_eq!(sh("kill -9 $$").run().unwrap().status, Exit::Signal(9));
}

#[test]
fn a_failure_names_the_command_line_and_what_was_said() {
    let error = sh("echo no luck >&2; exit 1").run_ok().unwrap_err();
    let expected = "sh -c 'echo no luck >&2; exit 1' ended with exit code 1: no luck";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_missing_program_and_a_missing_directory_are_told_apart() {
    let program = Command::new("drover-no-such-program", "/").run().unwrap_err();
    assert!(matches!(program, ProcessError::NotFound { .. }));
    let directory = Command::new("sh", "/drover/no/such").run().unwrap_err();
    assert!(matches!(directory, ProcessError::NoDirectory { .. }));
}

#[test]
fn large_input_and_output_do_not_block_each_other() {
    let input = vec![b'x'; 3 * 1024 * 1024];
    let output = Command::new("cat", "/").stdin(input.clone()).run().unwrap();
    assert_eq!(output.stdout, input);
}

#[test]
fn a_program_need_not_read_its_input() {
    let output = Command::new("true", "/").stdin(vec![b'x'; 1024 * 1024]).run().unwrap();
    assert!(output.status.is_success());
}

#[test]
fn a_timeout_ends_the_whole_process_group() {
    let directory = tempfile::tempdir().unwrap();
    let script = "sleep 1000 & echo $! > pid; wait";
    let command = Command::new("sh", directory.path()).args(["-c", script]);
    let error = command.timeout(Duration::from_millis(300)).run().unwrap_err();
    assert!(matches!(error, ProcessError::Timeout { .. }));
    let child = std::fs::read_to_string(directory.path().join("pid")).unwrap();
    assert_eq!(proc::identity(child.trim().parse().unwrap()), None);
}

#[test]
fn a_child_left_behind_does_not_hold_the_answer_up() {
    let output = sh("sleep 1000 & echo done").timeout(Duration::from_mins(1)).run().unwrap();
    assert_eq!(output.text(), "done");
    assert!(output.duration < Duration::from_secs(30));
}

#[test]
fn output_beyond_the_limit_is_refused_or_dropped_as_asked() {
    let endless = sh("yes");
    let error = endless.clone().limit(1000, Overflow::Refuse).run().unwrap_err();
    assert!(matches!(error, ProcessError::TooMuchOutput { limit: 1000, .. }));
    let short = sh("yes | head -c 100000").limit(1000, Overflow::Drop).run().unwrap();
    assert_eq!((short.status, short.stdout.len()), (Exit::Code(0), 1000));
}

#[test]
fn a_log_holds_both_outputs_in_order_under_their_digest() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let logged = sh("echo a; echo b >&2; echo c; exit 2").run_logged(&log).unwrap();
    assert_eq!(std::fs::read(&log).unwrap(), b"a\nb\nc\n");
    assert_eq!(
        (logged.status, logged.bytes, logged.tail.as_slice()),
        (Exit::Code(2), 6, &b"a\nb\nc\n"[..])
    );
    let digest = Command::new("sha256sum", directory.path()).arg("log").run_ok().unwrap();
    assert!(digest.text().starts_with(&logged.digest));
    assert!(sh("true").run_logged(&log).is_err());
}

/// Fault G-09.
#[test]
fn the_environment_is_minimal_and_its_messages_readable() {
    let output = Command::new("env", "/").env("MINE", "1").run_ok().unwrap();
    let text = output.text();
    assert!(text.lines().any(|it| it == "LC_ALL=C"));
    assert!(text.lines().any(|it| it == "MINE=1"));
    assert!(!text.contains("CARGO"));
}

#[test]
fn a_program_is_found_on_the_path_of_the_environment_given() {
    use drover_host::env::Env;
    use drover_host::process::find_program;
    let environment: Env = [("PATH".into(), "/nowhere:/bin:/usr/bin".into())].into_iter().collect();
    assert!(find_program(Path::new("sh"), &environment).is_some());
    assert_eq!(find_program(Path::new("drover-no-such-program"), &environment), None);
    assert_eq!(find_program(Path::new("/etc/passwd"), &environment), None);
}

#[test]
#[ignore = "run by the next test, since exec does not return"]
fn exec_inner() {
    let mut environment = drover_host::env::Env::default();
    environment.set("MINE", "1");
    let argv = ["/bin/sh", "-c", "echo \"$MINE $PWD $$\""].map(Into::into);
    panic!("{}", drover_host::process::exec(&argv, &environment, Path::new("/tmp")));
}

#[test]
fn exec_replaces_the_process_with_exactly_the_environment_given() {
    let exe = drover_host::env::current_exe().unwrap();
    let command =
        Command::new(exe, "/").args(["--ignored", "--exact", "exec_inner", "--nocapture"]);
    let output = command.run_ok().unwrap();
    assert!(output.text().contains("1 /tmp "), "{}", output.text());
    let missing = ["drover-no-such-program".into()];
    let error =
        drover_host::process::exec(&missing, &drover_host::env::Env::default(), Path::new("/"));
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
