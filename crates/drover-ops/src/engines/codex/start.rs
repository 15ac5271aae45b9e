//! The start of an agent's app-server, right before its terminal program.

use std::ffi::OsString;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::Duration;

use drover_host::fifo::Fifo;
use drover_host::proc;
use drover_host::process::Command;
use drover_host::state_dir::Folder;

use super::command::Parts;
use super::{log, socket};
use crate::engines::launch::{Additions, Launch};

/// How long an app-server may take until it answers.
const LIMIT: Duration = Duration::from_secs(15);
/// How long a program may take to say what options it knows.
const HELP_LIMIT: Duration = Duration::from_secs(5);
/// Keeps Codex off the app-server that the person's own terminals share.
const NO_SHARED_SERVER: &str = "--no-daemon";

/// Starts the app-server of an agent, if its command can have one, and says what its pane is to run.
///
/// Without one the agent is only typed into; it is launched all the same, and its spawner says so.
pub(in crate::engines) fn additions(launch: &Launch<'_>) -> Additions {
    super::forget(launch.state, &launch.agent.uid);
    match command(launch) {
        Some(command) => Additions { command: Some(command), ..Additions::default() },
        None => Additions { arguments: launch.granted.to_vec(), ..Additions::default() },
    }
}

fn command(launch: &Launch<'_>) -> Option<Vec<String>> {
    let profile = &launch.agent.profile;
    let mut command: Vec<String> = serde_json::from_str(&profile.command).unwrap_or_default();
    command.extend(launch.granted.iter().cloned());
    let parts = Parts::of(&command)?.with_profile(profile);
    let resumes = launch.agent.conversation_id.as_deref().filter(|_| launch.agent.resumes);
    let socket = socket(launch.state, &launch.agent.uid);
    if is_started(launch, &socket, &parts) {
        return Some(parts.terminal_on(&socket, resumes));
    }
    let mut alone = parts.terminal_alone(resumes);
    if knows(launch, &parts, NO_SHARED_SERVER) {
        alone.push(NO_SHARED_SERVER.to_owned());
    }
    Some(alone)
}

/// Starts what watches over the app-server as a child of this process, and waits for its word.
fn is_started(launch: &Launch<'_>, socket: &Path, parts: &Parts) -> bool {
    let uid = &launch.agent.uid;
    let fifo_path = launch.state.join(Folder::Run.name()).join(format!("{uid}.codex.up"));
    let (Some(own), Ok(mut fifo)) = (proc::own_identity(), Fifo::create(&fifo_path)) else {
        return false;
    };
    let words: [OsString; 5] = [
        "codex-server".into(),
        uid.into(),
        own.pid.to_string().into(),
        own.start.into(),
        fifo_path.into(),
    ];
    let command = Command::new(launch.program, &launch.agent.profile.cwd)
        .args(words)
        .args(parts.server(socket))
        .environment(launch.env.clone());
    let Ok(server) = command.start(&log(launch.state, uid)) else { return false };
    let process = server.identity().and_then(proc::pidfd);
    matches!(fifo.wait(LIMIT, process.as_ref().map(|it| it.as_fd())), Ok(None))
}

/// Whether the program knows an option.
fn knows(launch: &Launch<'_>, parts: &Parts, option: &str) -> bool {
    let Some((program, rest)) = parts.program().split_first() else { return false };
    let command = Command::new(program, &launch.agent.profile.cwd)
        .args(rest)
        .arg("--help")
        .environment(launch.env.clone())
        .timeout(HELP_LIMIT);
    command.run().is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains(option))
}
