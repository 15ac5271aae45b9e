//! The lines above the panes of agents, brought up to date by every call that looks at the panes.

use std::collections::BTreeMap;
use std::path::Path;

use drover_core::agent::label;
use drover_host::mux::{self, PaneId};
use drover_store::agents::Agent;
use drover_store::tasks;

use super::look::Look;
use crate::ctx::Ctx;
use crate::error::Result;

/// Writes the label of every pane whose label is another; one that cannot be written is let be.
pub(crate) fn refresh(ctx: &Ctx, look: &Look, agents: &[Agent]) -> Result<()> {
    let mut held: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (uid, id) in tasks::held_by_live(&ctx.read())? {
        held.entry(uid).or_default().push(id);
    }
    for agent in agents.iter().filter(|it| it.lifecycle.is_running()) {
        let Some(pane) = look.pane(agent).filter(|it| it.death.is_none()) else { continue };
        let tasks = held.get(&agent.uid).map(Vec::as_slice).unwrap_or_default();
        let text = label::label(&agent.name, tasks);
        if pane.label.as_deref() != Some(text.as_str()) {
            write(ctx, agent, &pane.id, &text);
        }
    }
    Ok(())
}

/// Writes the label of one pane.
pub(crate) fn write(ctx: &Ctx, agent: &Agent, pane: &PaneId, text: &str) {
    let Some(binding) = &agent.binding else { return };
    // It is for people to look at: nothing depends on it, and the next look tries again.
    let _ = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))
        .and_then(|mux| mux.label_pane(pane, text));
}
