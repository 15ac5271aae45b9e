//! A program that runs on beside this process, which asks now and then whether it still does.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use drover_core::step;

use super::command::Command;
use super::error::ProcessError;
use super::outcome::Exit;
use crate::proc::{self, Identity};

/// A program that was started and is not waited for; dropping this ends nothing.
#[derive(Debug)]
pub struct Background {
    child: Child,
    identity: Option<Identity>,
}

impl Command {
    /// Starts the program without input, its output going to the end of a private file.
    ///
    /// Its time limit does not count; it shares our terminal and our session.
    pub fn start(&self, log: &Path) -> Result<Background, ProcessError> {
        let output = File::options().append(true).create(true).mode(0o600).open(log);
        let output = output.map_err(|err| self.io_error(err))?;
        let other = output.try_clone().map_err(|err| self.io_error(err))?;
        step::reached("file");
        let mut command = self.std_command();
        command.stdin(Stdio::null()).stdout(output).stderr(other);
        let child = self.spawn(&mut command)?;
        step::reached("process");
        let identity = proc::identity(child.id());
        Ok(Background { child, identity })
    }
}

impl Background {
    /// Which process it is; none if it ended at once.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// How it ended, if it has.
    pub fn ending(&mut self) -> Option<Exit> {
        self.child.try_wait().ok().flatten().map(Exit::from_status)
    }
}
