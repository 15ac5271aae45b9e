//! What to run: program, arguments, directory, environment, input, limits.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_core::shell;

use crate::env::Env;

/// Output beyond which reading it whole is a mistake.
const OUTPUT_LIMIT: usize = 64 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_mins(1);

/// What to do when a program writes more than its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// Stop it and say so: half an answer is worse than none.
    Refuse,
    /// Let it run and forget what goes beyond the limit.
    Drop,
}

/// A program to run. Starts with a minimal environment, a minute and no input.
#[derive(Debug, Clone)]
pub struct Command {
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) cwd: PathBuf,
    pub(super) environment: Env,
    pub(super) stdin: Vec<u8>,
    pub(super) timeout: Duration,
    pub(super) limit: usize,
    pub(super) overflow: Overflow,
    pub(super) stops_on_signal: bool,
}

impl Command {
    /// A program, found on the path, to be run in a directory.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            environment: Env::capture().for_program(),
            stdin: Vec::new(),
            timeout: TIMEOUT,
            limit: OUTPUT_LIMIT,
            overflow: Overflow::Refuse,
            stops_on_signal: false,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable on top of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.set(name, value);
        self
    }

    /// Replaces the minimal environment.
    #[must_use]
    pub fn environment(mut self, environment: Env) -> Self {
        self.environment = environment;
        self
    }

    /// Gives the program input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Gives the program this long; then its process group is ended.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Bounds what is kept of each output.
    #[must_use]
    pub fn limit(mut self, bytes: usize, overflow: Overflow) -> Self {
        self.limit = bytes;
        self.overflow = overflow;
        self
    }

    /// Ends the program when this process is told to stop (see `signals`).
    #[must_use]
    pub fn stop_on_signal(mut self) -> Self {
        self.stops_on_signal = true;
        self
    }

    /// The directory it runs in.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Program and arguments.
    pub fn argv(&self) -> Vec<OsString> {
        let mut argv = vec![self.program.clone()];
        argv.extend(self.args.iter().cloned());
        argv
    }

    /// The command as a line that can be pasted into a shell.
    pub fn command_line(&self) -> String {
        let words: Vec<String> =
            std::iter::once(&self.program).chain(&self.args).map(|it| quoted(it)).collect();
        words.join(" ")
    }
}

fn quoted(word: &OsStr) -> String {
    shell::quote(&word.to_string_lossy())
}
