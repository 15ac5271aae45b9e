//! The only way to run a program: a directory, an environment, a timeout, captured output.

mod background;
mod command;
mod detach;
mod error;
mod outcome;
mod run;
mod wait;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

pub use background::Background;
pub use command::{Command, Overflow};
pub use error::ProcessError;
pub use outcome::{Exit, Logged, Output};

use crate::env::Env;

/// Becomes another program, keeping the process id; returns only if that failed.
pub fn exec(argv: &[OsString], environment: &Env, cwd: &Path) -> io::Error {
    let Some((program, rest)) = argv.split_first() else {
        return io::Error::new(io::ErrorKind::InvalidInput, "the command is empty");
    };
    std::process::Command::new(program)
        .args(rest)
        .env_clear()
        .envs(environment.iter())
        .current_dir(cwd)
        .exec()
}

/// Where a program lies: on the `PATH` of `environment`, or at the path given.
pub fn find_program(program: &Path, environment: &Env) -> Option<PathBuf> {
    if program.components().count() > 1 || program.is_absolute() {
        return is_executable(program).then(|| program.to_owned());
    }
    let path = environment.get("PATH")?;
    std::env::split_paths(path).map(|it| it.join(program)).find(|it| is_executable(it))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
