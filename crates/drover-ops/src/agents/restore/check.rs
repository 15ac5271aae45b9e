//! Whether an agent that has ended can be brought back into its conversation, before anything is changed.

use std::path::Path;
use std::time::Duration;

use drover_core::agent::Lifecycle;
use drover_host::proc;
use drover_store::agents::{self, Agent};
use drover_store::projects::{self, Project};

use crate::agents::list;
use crate::agents::look::{Look, identity};
use crate::ctx::Ctx;
use crate::directory;
use crate::engines;
use crate::error::{AgentError, Result};

/// How long a program whose pane is gone may take to end: it was hung up, and tidies up.
const HANGUP: Duration = Duration::from_secs(5);

/// Refuses an agent that has not ended, has no conversation to go on with, or lacks its directory.
pub(super) fn check(ctx: &Ctx, look: &Look, project: &Project, agent: &Agent) -> Result<()> {
    if agent.is_adopted {
        let (name, project) = (agent.name.clone(), project.name.clone());
        return Err(AgentError::Adopted { name, project }.into());
    }
    list::check_answers(look, agent)?;
    check_ended(look, project, agent)?;
    check_conversation(ctx, project, agent)?;
    directory::checked(Path::new(&agent.profile.cwd)).map(|_| ())
}

fn check_ended(look: &Look, project: &Project, agent: &Agent) -> Result<()> {
    let place = match agent.lifecycle {
        Lifecycle::Exited | Lifecycle::Failed => match survivor(agent) {
            Some(place) => place,
            None => return Ok(()),
        },
        Lifecycle::Planned
        | Lifecycle::Launching
        | Lifecycle::Running
        | Lifecycle::Silent
        | Lifecycle::Nudged
        | Lifecycle::Restoring
        | Lifecycle::Closed => match (&agent.binding, look.pane(agent)) {
            (Some(binding), Some(pane)) => {
                format!("it runs in the pane {} of {}", pane.id, binding.mux_socket)
            }
            _ => format!("it is {}", agent.lifecycle),
        },
    };
    let (name, project) = (agent.name.clone(), project.name.clone());
    Err(AgentError::StillRunning { name, project, place }.into())
}

/// Its program, where it has outlived its pane.
fn survivor(agent: &Agent) -> Option<String> {
    let pane = &agent.binding.as_ref()?.pane;
    let has_ended = proc::ends_within(&identity(pane), HANGUP);
    (!has_ended).then(|| format!("its process {} lives on without its pane", pane.pid))
}

fn check_conversation(ctx: &Ctx, project: &Project, agent: &Agent) -> Result<()> {
    let (name, engine) = (agent.name.clone(), agent.profile.engine.clone());
    if let Some(why) = engines::why_not_resumed(agent) {
        let project = project.name.clone();
        return Err(AgentError::CannotResume { name, project, engine, why }.into());
    }
    let tx = ctx.read();
    let Some(conversation) = agent.conversation_id.clone() else {
        let earlier = agents::conversations(&tx, agent.pk)?.into_iter().map(|it| it.id).collect();
        let project = project.name.clone();
        return Err(AgentError::NoConversation { name, project, earlier }.into());
    };
    let others = agents::in_conversation(&tx, &conversation)?;
    let Some(other) = others.into_iter().find(|it| it.pk != agent.pk) else { return Ok(()) };
    let place = projects::by_pk(&tx, other.project_pk)?.map(|it| it.name).unwrap_or_default();
    let other = format!("{place}/{}", other.name);
    Err(AgentError::ConversationInUse { name, conversation, other }.into())
}

/// What is said where a conversation was never written down, or its file is gone: it begins anew.
pub(super) fn lost_file(ctx: &Ctx, agent: &Agent) -> Result<Option<String>> {
    let known = agents::conversations(&ctx.read(), agent.pk)?;
    let its = known.into_iter().find(|it| Some(&it.id) == agent.conversation_id.as_ref());
    let Some(file) = its.and_then(|it| it.file) else { return Ok(None) };
    let is_gone = !Path::new(&file).exists();
    Ok(is_gone.then(|| format!("its conversation is not at {file}, so that it begins anew")))
}
