//! A process of our own that outlives its caller: without terminal, streams or directory of its own.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

use drover_core::step;

use crate::env::Env;
use crate::proc::{self, Identity};

/// Starts a program beside us that goes on when we end; none if it has ended already.
pub fn start_detached(argv: &[OsString], environment: &Env) -> io::Result<Option<Identity>> {
    let Some((program, rest)) = argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
    };
    let mut command = std::process::Command::new(program);
    command.args(rest).env_clear().envs(environment.iter()).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let child = command.spawn()?;
    step::reached("process");
    Ok(proc::identity(child.id()))
}
