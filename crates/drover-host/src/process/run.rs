//! Starting a program, and the forms its answer can take.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

use drover_core::step;
use sha2::{Digest as _, Sha256};

use super::command::{Command, Overflow};
use super::error::ProcessError;
use super::find_program;
use super::outcome::{Exit, Logged, Output};
use super::wait::{Sink, Streams, follow};
use crate::random::hex;

/// How much of a logged program's output is also kept in memory.
const TAIL: usize = 64 * 1024;

impl Command {
    /// Runs the program to its end and keeps what it wrote.
    pub fn run(&self) -> Result<Output, ProcessError> {
        let started = Instant::now();
        let mut child = self.spawn(&mut self.piped(Stdio::piped(), Stdio::piped()))?;
        let stdout = child.stdout.take().map(Into::into);
        let stderr = child.stderr.take().map(Into::into);
        let mut sink = Memory {
            kept: [Vec::new(), Vec::new()],
            limit: self.limit,
            overflow: self.overflow,
            is_over: false,
        };
        let streams = Streams { stdin: child.stdin.take(), outputs: [stdout, stderr] };
        let status = follow(self, &mut child, streams, &mut sink);
        step::reached("process");
        let status = status?;
        if sink.is_over && self.overflow == Overflow::Refuse {
            return Err(ProcessError::TooMuchOutput {
                command_line: self.command_line(),
                limit: self.limit,
            });
        }
        let [stdout, stderr] = sink.kept;
        Ok(Output { status, stdout, stderr, duration: started.elapsed() })
    }

    /// Runs the program and takes anything but exit code 0 as a failure.
    pub fn run_ok(&self) -> Result<Output, ProcessError> {
        let output = self.run()?;
        if output.status.is_success() {
            return Ok(output);
        }
        Err(ProcessError::Failed {
            command_line: self.command_line(),
            status: output.status,
            stderr: output.error_text(),
        })
    }

    /// Runs the program with both outputs, in the order written, going to a new private file.
    pub fn run_logged(&self, log: &Path) -> Result<Logged, ProcessError> {
        let started = Instant::now();
        let file = create_log(log).map_err(|err| self.io_error(err))?;
        step::reached("file");
        let (reader, writer) = io::pipe().map_err(|err| self.io_error(err))?;
        let other = writer.try_clone().map_err(|err| self.io_error(err))?;
        // The builder holds our copies of the write end: dropping it lets the reader see the end.
        let mut child = self.spawn(&mut self.piped(writer.into(), other.into()))?;
        let mut sink = Tee { file, digest: Sha256::new(), bytes: 0, tail: Vec::new() };
        let outputs = [Some(reader.into()), None];
        let streams = Streams { stdin: child.stdin.take(), outputs };
        let status = follow(self, &mut child, streams, &mut sink);
        step::reached("process");
        sink.file.sync_all().map_err(|err| self.io_error(err))?;
        step::reached("file");
        Ok(Logged {
            status: status?,
            tail: sink.tail,
            bytes: sink.bytes,
            digest: hex(&sink.digest.finalize()),
            duration: started.elapsed(),
        })
    }

    /// Runs the program on the person's own terminal, for as long as they like.
    pub fn run_on_terminal(&self) -> Result<Exit, ProcessError> {
        let mut command = self.std_command();
        command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        let mut child = self.spawn(&mut command)?;
        let status = child.wait().map_err(|err| self.io_error(err));
        step::reached("process");
        Ok(Exit::from_status(status?))
    }

    pub(super) fn io_error(&self, source: io::Error) -> ProcessError {
        ProcessError::Io { command_line: self.command_line(), source }
    }

    pub(super) fn std_command(&self) -> std::process::Command {
        self.std_command_of(self.program.as_ref())
    }

    fn std_command_of(&self, program: &Path) -> std::process::Command {
        let mut command = std::process::Command::new(program);
        command.args(&self.args).current_dir(&self.cwd).env_clear().envs(self.environment.iter());
        command
    }

    fn piped(&self, stdout: Stdio, stderr: Stdio) -> std::process::Command {
        use std::os::unix::process::CommandExt as _;
        // With a path the standard library spawns without copying our memory's map.
        let found = find_program(self.program.as_ref(), &self.environment);
        let found = found.filter(|it| it.is_absolute());
        let mut command = self.std_command_of(found.as_deref().unwrap_or(self.program.as_ref()));
        command.arg0(&self.program);
        let stdin = if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        command.stdin(stdin).stdout(stdout).stderr(stderr).process_group(0);
        command
    }

    pub(super) fn spawn(&self, command: &mut std::process::Command) -> Result<Child, ProcessError> {
        command.spawn().map_err(|err| match err.kind() {
            _ if !self.cwd.is_dir() => ProcessError::NoDirectory { path: self.cwd.clone() },
            io::ErrorKind::NotFound => {
                ProcessError::NotFound { program: self.program.to_string_lossy().into_owned() }
            }
            _ => self.io_error(err),
        })
    }
}

struct Memory {
    kept: [Vec<u8>; 2],
    limit: usize,
    overflow: Overflow,
    is_over: bool,
}

impl Sink for Memory {
    fn take(&mut self, stream: usize, bytes: &[u8]) -> io::Result<()> {
        let Some(kept) = self.kept.get_mut(stream) else { return Ok(()) };
        let (fits, rest) = bytes.split_at(bytes.len().min(self.limit.saturating_sub(kept.len())));
        kept.extend_from_slice(fits);
        self.is_over |= !rest.is_empty();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.is_over && self.overflow == Overflow::Refuse
    }
}

struct Tee {
    file: File,
    digest: Sha256,
    bytes: u64,
    tail: Vec<u8>,
}

impl Sink for Tee {
    fn take(&mut self, _stream: usize, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        self.tail.extend_from_slice(bytes);
        // Cut at twice the size, so that a long log is not moved for every read.
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        false
    }
}

fn create_log(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    File::options().write(true).create_new(true).mode(0o600).open(path)
}
