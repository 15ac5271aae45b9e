//! What a launch of pi adds: our extension, its socket, and what the profile says in pi's own flags.

use std::path::PathBuf;

use drover_host::control::{self, ControlError, extension};
use drover_host::state_dir::Folder;
use drover_store::agents::Agent;

use super::conversation;
use super::launch::{Additions, Launch};
use crate::error::{OpError, Result, at_file};
use crate::words;

/// The words and variables for pi.
pub(super) fn additions(launch: &Launch<'_>) -> Result<Additions> {
    let (agent, profile) = (launch.agent, &launch.agent.profile);
    let folder = launch.state.join(Folder::Extension.name());
    let extension = extension::install(&folder).map_err(at_file(&folder))?;
    let socket = socket(launch.state, agent);
    control::make_folder(&socket).map_err(unusable)?;
    let mut arguments = vec!["-e".to_owned(), extension.to_string_lossy().into_owned()];
    let mut add = |flag: &str, value: &str| arguments.extend([flag.to_owned(), value.to_owned()]);
    // The same id again goes on with the conversation, and with the model that it had.
    if let Some(id) = agent.conversation_id.as_deref().filter(|_| conversation::is_ours(agent)) {
        add("--session-id", id);
    }
    add("--name", &agent.name);
    if let Some(model) = &profile.model {
        add("--model", model);
    }
    if let Some(thinking) = &profile.thinking {
        add("--thinking", thinking);
    }
    if launch.trusts_directory {
        arguments.push("--approve".to_owned());
    }
    let skills: Vec<String> = serde_json::from_str(&profile.skills).unwrap_or_default();
    arguments.extend(skills.into_iter().flat_map(|it| ["--skill".to_owned(), it]));
    let variables = vec![
        ("DROVER_CONTROL".to_owned(), socket.into()),
        ("DROVER_BINARY".to_owned(), launch.program.into()),
        ("DROVER_ROLE".to_owned(), profile.role.clone().into()),
    ];
    Ok(Additions { arguments, variables, ..Additions::default() })
}

/// Whether pi has a flag for what this one of ours says. It asks for no permission by itself, so that
/// running unattended needs none.
pub(super) fn passes_on(flag: &str) -> bool {
    ["--model", "--thinking", "--skill", "--unattended"].contains(&flag)
}

/// Where the socket of an agent is.
pub(crate) fn socket(state: &std::path::Path, agent: &Agent) -> PathBuf {
    control::socket_path(state, &agent.uid)
}

/// Why a pi that somebody else has started cannot be spoken to; none if it can.
pub(super) fn why_not_served(state: &std::path::Path, agent: &Agent) -> Option<String> {
    let socket = socket(state, agent);
    let is_served = std::os::unix::net::UnixStream::connect(&socket).is_ok();
    (!is_served).then(|| "it was started without our extension and its socket".to_owned())
}

/// The line that starts pi by hand with our extension and the agent's socket.
pub(super) fn by_hand(state: &std::path::Path, agent: &Agent) -> Result<String> {
    let folder = state.join(Folder::Extension.name());
    let extension = extension::install(&folder).map_err(at_file(&folder))?;
    let socket = socket(state, agent);
    control::make_folder(&socket).map_err(unusable)?;
    Ok(format!(
        "DROVER_CONTROL={} DROVER_AGENT_UID={} pi -e {} --continue",
        words::quote(&socket.to_string_lossy()),
        agent.uid,
        words::quote(&extension.to_string_lossy())
    ))
}

/// Takes away the socket that a pi which was killed has left.
pub(super) fn forget(state: &std::path::Path, agent: &Agent) {
    // Mostly pi has done so itself.
    let _ = std::fs::remove_file(socket(state, agent));
}

fn unusable(err: ControlError) -> OpError {
    match err {
        ControlError::Unsent { path, source } => OpError::File { path, source },
        other => OpError::Usage(other.to_string()),
    }
}
