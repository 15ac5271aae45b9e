//! Runs one program in the hermetic environment, under a hard time limit, and holds what it answered.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::processes;

/// Longer than any single call of a test takes on a busy machine, shorter than anybody's patience.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// A call being put together; [`Call::run`] or [`Call::start`] makes it.
#[derive(Debug)]
pub struct Call {
    words: Vec<OsString>,
    directory: PathBuf,
    environment: BTreeMap<OsString, OsString>,
    stdin: Option<Vec<u8>>,
    time_limit: Duration,
}

/// How a call ended and what it printed.
#[derive(Clone, Debug)]
pub struct CommandOutput {
    /// The exit status; 128 + n when signal n ended the process, as a shell says it.
    pub exit: i32,
    /// Standard output; bytes that are no UTF-8 become U+FFFD.
    pub stdout: String,
    /// Standard error; bytes that are no UTF-8 become U+FFFD.
    pub stderr: String,
    command_line: String,
}

/// A call that runs beside the test; killed when dropped.
#[derive(Debug)]
pub struct Background {
    child: Child,
    handle: OwnedFd,
    files: Captured,
    command_line: String,
    time_limit: Duration,
}

/// Files, not pipes: a grandchild that keeps them open cannot hang the reader.
#[derive(Debug)]
struct Captured {
    stdout: File,
    stderr: File,
}

impl Call {
    pub(crate) fn new(
        words: Vec<OsString>,
        directory: &Path,
        environment: BTreeMap<OsString, OsString>,
    ) -> Self {
        Self {
            words,
            directory: directory.into(),
            environment,
            stdin: None,
            time_limit: TIME_LIMIT,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.words.push(argument.into());
        self
    }

    /// Runs in this directory instead of the environment's home.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into();
        self
    }

    /// Sets one variable for this call only.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Takes one variable away for this call only.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.environment.remove(OsStr::new(name));
        self
    }

    /// Gives these bytes on standard input, which is empty otherwise.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Replaces the time limit of 60 seconds.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Runs to the end; fails the test when the time limit passes first.
    #[track_caller]
    pub fn run(self) -> CommandOutput {
        self.start().wait()
    }

    /// Starts and returns at once.
    #[track_caller]
    pub fn start(self) -> Background {
        let command_line = shown(&self.words);
        let files = Captured {
            stdout: tempfile::tempfile().expect("a temporary file"),
            stderr: tempfile::tempfile().expect("a temporary file"),
        };
        let (program, arguments) = self.words.split_first().expect("a call has a program");
        let child = Command::new(program)
            .args(arguments)
            .current_dir(&self.directory)
            .env_clear()
            .envs(&self.environment)
            .stdin(self.stdin.map_or_else(Stdio::null, |bytes| Stdio::from(file_with(&bytes))))
            .stdout(files.stdout.try_clone().expect("a second handle"))
            .stderr(files.stderr.try_clone().expect("a second handle"))
            .spawn()
            .unwrap_or_else(|err| panic!("cannot start `{command_line}`: {err}"));
        // Our own unreaped child: its pid cannot be anybody else's.
        let handle = processes::handle(child.id()).expect("a handle of our own child");
        Background { child, handle, files, command_line, time_limit: self.time_limit }
    }
}

impl Background {
    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        // It may have ended by itself, which `wait` will tell.
        let _ = rustix::process::pidfd_send_signal(&self.handle, signal);
    }

    /// Whether it has not ended yet.
    pub fn is_running(&self) -> bool {
        !processes::wait_for_end(&self.handle, 0)
    }

    /// What it has printed to standard output so far.
    pub fn stdout_so_far(&self) -> String {
        contents(&self.files.stdout)
    }

    /// What it has printed to standard error so far.
    pub fn stderr_so_far(&self) -> String {
        contents(&self.files.stderr)
    }

    /// Waits for its end; fails the test when the time limit passes first.
    #[track_caller]
    pub fn wait(mut self) -> CommandOutput {
        let limit = u64::try_from(self.time_limit.as_millis()).unwrap_or(u64::MAX);
        assert!(
            processes::wait_for_end(&self.handle, limit),
            "`{}` still ran after {:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.command_line,
            self.time_limit,
            self.stdout_so_far(),
            self.stderr_so_far()
        );
        let status = self.child.wait().expect("our own child can be waited for");
        CommandOutput {
            exit: exit_of(status),
            stdout: self.stdout_so_far(),
            stderr: self.stderr_so_far(),
            command_line: self.command_line.clone(),
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        // Reaps it; an error means that `wait` already has.
        let _ = self.child.wait();
    }
}

impl CommandOutput {
    /// Fails the test unless the exit status is 0.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "the check itself is the use")]
    pub fn ok(self) -> Self {
        self.checked(0)
    }

    /// Fails the test unless the call was refused in JSON with this exit status and outcome; returns the answer.
    #[track_caller]
    pub fn refused(self, exit: i32, outcome: &str) -> Value {
        let output = self.checked(exit);
        let answer = output.json();
        assert!(answer["ok"] == false, "expected a refusal, got {output}");
        assert!(answer["outcome"] == outcome, "expected the outcome {outcome}, got {output}");
        assert!(answer["exit"] == exit, "expected `exit` {exit} in the answer, got {output}");
        answer
    }

    /// The answer in JSON; fails the test unless standard output is exactly one line of it.
    #[track_caller]
    pub fn json(&self) -> Value {
        let line = self.stdout.strip_suffix('\n');
        let line = line.filter(|line| !line.contains('\n') && !line.is_empty());
        let Some(line) = line else { panic!("expected exactly one line on stdout, got {self}") };
        serde_json::from_str(line)
            .unwrap_or_else(|err| panic!("expected JSON on stdout ({err}), got {self}"))
    }

    /// The `data` of the answer in JSON.
    #[track_caller]
    pub fn data(&self) -> Value {
        self.json()["data"].take()
    }

    #[track_caller]
    fn checked(self, exit: i32) -> Self {
        assert!(self.exit == exit, "expected exit {exit}, got {self}");
        self
    }
}

impl std::fmt::Display for CommandOutput {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { exit, stdout, stderr, command_line } = self;
        write!(out, "exit {exit} of `{command_line}`\n--- stdout\n{stdout}\n--- stderr\n{stderr}")
    }
}

fn exit_of(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

fn file_with(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(bytes).expect("room for standard input");
    file.seek(SeekFrom::Start(0)).expect("a file can be rewound");
    file
}

/// Reads by position, so that the writer's offset, which the child shares, stays where it is.
fn contents(file: &File) -> String {
    let mut bytes = Vec::new();
    let mut reader = PositionedReader { file, offset: 0 };
    reader.read_to_end(&mut bytes).expect("a temporary file is readable");
    String::from_utf8_lossy(&bytes).into_owned()
}

struct PositionedReader<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for PositionedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.offset)?;
        self.offset += u64::try_from(count).unwrap_or(0);
        Ok(count)
    }
}

fn shown(words: &[OsString]) -> String {
    let mut line = String::new();
    for word in words {
        let word = word.to_string_lossy();
        let cut: String = word.chars().take(200).collect();
        line.push_str(&cut);
        line.push_str(if cut.len() < word.len() { "… " } else { " " });
    }
    line.trim_end().to_owned()
}
