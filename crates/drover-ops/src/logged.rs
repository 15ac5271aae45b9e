//! Running a command of the person's: bounded, its output in a file of the state directory.

use std::path::PathBuf;
use std::time::Duration;

use drover_host::process::{Command, Exit, ProcessError};
use drover_host::state_dir::Folder;
use drover_host::{files, random, signals};

use crate::ctx::Ctx;
use crate::error::{OpError, Result, at_file};

/// What became of a command.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    /// How it ended; none when its time was up.
    pub(crate) status: Option<Exit>,
    /// How long it took.
    pub(crate) duration: Duration,
    /// The file with its output.
    pub(crate) log: PathBuf,
    /// SHA-256 of that file, in hex.
    pub(crate) digest: String,
}

impl Ran {
    /// Whether it returned 0.
    pub(crate) fn is_success(&self) -> bool {
        self.status.is_some_and(Exit::is_success)
    }

    /// How it ended, in words.
    pub(crate) fn how(&self) -> String {
        match self.status {
            Some(status) => status.to_string(),
            None => format!("it did not end within {} s", self.duration.as_secs()),
        }
    }
}

/// A new log file's place; `what` says what is logged.
pub(crate) fn new_log(ctx: &Ctx, what: &str) -> Result<PathBuf> {
    let token = random::token().map_err(OpError::Random)?;
    let name: String = token.chars().take(16).collect();
    Ok(ctx.state().folder(Folder::Logs)?.join(format!("{what}-{name}.log")))
}

/// Runs a command into a log; one whose time is up has failed, and is an answer as well.
///
/// Ctrl-C is taken over, so that it ends the command too, which has a process group of its own.
pub(crate) fn run(command: Command, timeout: Duration, log: PathBuf) -> Result<Ran> {
    signals::install().map_err(at_file("signals"))?;
    match command.timeout(timeout).stop_on_signal().run_logged(&log) {
        Ok(logged) => Ok(Ran {
            status: Some(logged.status),
            duration: logged.duration,
            digest: logged.digest,
            log,
        }),
        Err(ProcessError::Timeout { after, .. }) => {
            let digest = files::digest(&log).map_err(at_file(&log))?;
            Ok(Ran { status: None, duration: after, log, digest })
        }
        Err(err) => Err(err.into()),
    }
}
