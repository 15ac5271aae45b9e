//! A program that is started and left to itself.

use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

use drover_core::step;

use super::command::Command;
use super::error::ProcessError;

impl Command {
    /// Starts the program in a process group of its own, without input or output, and does not wait for it.
    ///
    /// Whoever waits for the end of our output does not wait for its; its time limit does not count.
    pub fn detach(&self) -> Result<(), ProcessError> {
        let mut command = self.std_command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let started = self.spawn(&mut command);
        step::reached("process");
        started.map(drop)
    }
}
