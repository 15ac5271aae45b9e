//! Agents that nobody has told Drover of: chat agents in panes of a project's session without a row.

use std::borrow::Cow;
use std::path::Path;

use drover_host::mux::{self, Listing, Pane, ServerState};
use drover_host::proc::Snapshot;
use drover_store::agents::{self, Agent, Binding};
use drover_store::projects::{self, Project};

use super::front::{self, Programs};
use super::look::Look;
use super::{names, place as marks};
use crate::ctx::Ctx;
use crate::error::Result;

/// A pane in which a chat agent runs that is not in the database.
#[derive(Debug, Clone)]
pub struct Orphan {
    /// The pane.
    pub pane: Pane,
    /// The server's socket.
    pub socket: String,
    /// The engine that runs in it.
    pub engine: String,
    /// The words it was started with.
    pub command: Vec<String>,
    /// A name that is free for it.
    pub name: String,
}

/// The chat agents in a project's session that have no row; never adopted without being told to.
///
/// The look that was had is asked; a server it did not ask is asked here. One that does not answer
/// is named in a warning: nothing is known of its panes.
pub fn orphans(ctx: &mut Ctx, look: &Look, project: &Project) -> Result<Vec<Orphan>> {
    let Some(place) = projects::place(&ctx.read(), project.pk)? else { return Ok(Vec::new()) };
    let listing = match look.listing(&place.mux, &place.mux_socket) {
        Some(listing) => Cow::Borrowed(listing),
        None => match mux::recorded(ctx.env(), &place.mux, Path::new(&place.mux_socket))?.panes() {
            Ok(listing) => Cow::Owned(listing),
            Err(err) => {
                ctx.warn(format!("the panes of {} are not known: {err}", project.name));
                return Ok(Vec::new());
            }
        },
    };
    if let ServerState::NoAnswer { reason } = &listing.server {
        ctx.warn(format!("the panes of {} are not known: {reason}", project.name));
    }
    let known = agents::all(&ctx.read())?;
    let mark = marks::state_mark(ctx)?;
    let free = strangers(&listing, (&place.mux_socket, &mark), project, &known);
    if free.is_empty() {
        return Ok(Vec::new());
    }
    let (processes, programs) = (Snapshot::take(), Programs::known(ctx)?);
    let mut taken: Vec<String> =
        agents::list(&ctx.read(), project.pk)?.into_iter().map(|it| it.name).collect();
    let mut found = Vec::new();
    for pane in free {
        let Some(front) = front::front(pane, &processes, &programs) else { continue };
        let Some(engine) = front.engine else { continue };
        // What runs where an adopted agent ran is adopted under its name again.
        let before = known.iter().find(|it| {
            let is_there = |it: &Binding| it.pane_id == pane.id.as_str();
            it.is_adopted
                && it.project_pk == project.pk
                && it.binding.as_ref().is_some_and(is_there)
        });
        let free = || names::free(&engine, |it| taken.iter().any(|name| name == it));
        let name = before.map_or_else(free, |it| it.name.clone());
        taken.push(name.clone());
        let (pane, socket) = (pane.clone(), place.mux_socket.clone());
        found.push(Orphan { pane, socket, engine, command: front.words, name });
    }
    Ok(found)
}

/// The living panes of a project's session in which no agent lives or is being launched, of ours or of
/// another state directory's.
fn strangers<'a>(
    listing: &'a Listing,
    (socket, mark): (&str, &str),
    project: &Project,
    known: &[Agent],
) -> Vec<&'a Pane> {
    let is_ours = |pane: &Pane| {
        pane.start_command.contains("agent-launch")
            || pane.state.as_ref().is_some_and(|it| it != mark)
            || known.iter().any(|it| {
                it.lifecycle.is_running()
                    && it
                        .binding
                        .as_ref()
                        .is_some_and(|it| it.mux_socket == socket && it.pane_id == pane.id.as_str())
            })
    };
    let of_project = |it: &&Pane| it.project.as_ref() == Some(&project.uid) && it.death.is_none();
    listing.panes.iter().filter(of_project).filter(|it| !is_ours(it)).collect()
}
