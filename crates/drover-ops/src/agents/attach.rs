//! `agent attach`: showing an agent's pane to the person at this terminal.

use std::path::Path;

use drover_host::mux;
use drover_host::process::Command;
use drover_store::projects::Project;

use super::list::{check_answers, show};
use super::look::Look;
use super::{launch, observe::Observed};
use crate::ctx::Ctx;
use crate::error::{AgentError, Result};

/// How a pane is shown.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// Where.
    pub project: Project,
    /// The agent.
    pub observed: Observed,
    command: Command,
}

/// The command that shows an agent's pane: from inside its server it switches, else it attaches.
pub fn attach(ctx: &mut Ctx, name: &str) -> Result<Attachment> {
    let (project, observed) = show(ctx, name)?;
    let agent = &observed.agent;
    check_answers(&Look::at(ctx.env(), std::slice::from_ref(agent)), agent)?;
    let (Some(ids), Some(binding), true) =
        (launch::pane_ids(agent)?, &agent.binding, observed.pane.is_some())
    else {
        let why = observed.decided.evidence.clone();
        return Err(AgentError::NoPane { name: agent.name.clone(), why }.into());
    };
    let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
    let command = mux.attach_command(&ids);
    Ok(Attachment { project, observed, command })
}

impl Attachment {
    /// Why no pane can be drawn on this terminal, if the environment says so.
    pub fn obstacle(ctx: &Ctx) -> Option<String> {
        match ctx.env().text("TERM") {
            None => Some("TERM is not set, so nothing can be drawn on this terminal".to_owned()),
            Some("dumb") => Some("TERM is dumb: nothing can be drawn on this terminal".to_owned()),
            Some(_) => None,
        }
    }

    /// The command as a line that can be pasted.
    pub fn command_line(&self) -> String {
        self.command.command_line()
    }

    /// Shows the pane on this terminal until the person leaves it; says whether that went well.
    pub fn run(&self) -> Result<bool> {
        Ok(self.command.run_on_terminal()?.is_success())
    }
}
