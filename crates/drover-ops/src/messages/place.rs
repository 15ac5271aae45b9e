//! Where an agent's text is typed: its pane, which is checked to be its own at every look.

use std::path::Path;

use drover_core::agent::reap::{self, Reap};
use drover_core::agent::{ExitInfo, screen};
use drover_host::env::Env;
use drover_host::mux::{self, Capture, Mux, Pane, PaneId};
use drover_store::agents::Agent;

use crate::agents::Look;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};

/// An agent's pane.
pub(super) struct Place {
    pub(super) mux: Box<dyn Mux>,
    pub(super) pane: PaneId,
    env: Env,
    agent: Agent,
}

/// What one look at it saw.
pub(super) enum Seen {
    /// It is there, it is the agent's, and its program runs.
    Pane(Box<Pane>),
    /// It is provably gone, or its program is.
    Gone(String),
    /// Nothing was learned.
    Silent(String),
}

impl Place {
    /// The pane of an agent; none before it is bound.
    pub(super) fn of(ctx: &Ctx, agent: &Agent) -> Result<Option<Self>> {
        let Some(binding) = &agent.binding else { return Ok(None) };
        let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
        let pane = PaneId::parse(&binding.pane_id).map_err(|err| OpError::Mux(err.into()))?;
        Ok(Some(Self { mux, pane, env: ctx.env().clone(), agent: agent.clone() }))
    }

    /// Looks whether it is still the pane that the agent was bound to.
    pub(super) fn look(&self) -> Seen {
        let look = Look::at(&self.env, std::slice::from_ref(&self.agent));
        match look.probe(&self.agent).as_ref().map(reap::verdict) {
            Some(Reap::Gone { proof, exit, .. }) => Seen::Gone(ending(proof, exit)),
            Some(Reap::Unknown { reason }) => Seen::Silent(reason),
            Some(Reap::Alive) => match look.pane(&self.agent) {
                Some(pane) => Seen::Pane(Box::new(pane.clone())),
                None => Seen::Silent("its pane has another process".to_owned()),
            },
            None => Seen::Silent("it is not bound to a pane".to_owned()),
        }
    }

    /// The last lines of its screen.
    pub(super) fn screen(&self) -> Result<String> {
        Ok(self
            .mux
            .capture(&self.pane, Capture::Last(u32::try_from(screen::LINES).unwrap_or(u32::MAX)))?)
    }

    /// Whether somebody has the pane in front of them.
    pub(super) fn is_attached(&self) -> Result<bool> {
        Ok(!self.mux.attached_clients(&self.pane)?.is_empty())
    }
}

/// How a program ended, in words.
fn ending(proof: &str, exit: ExitInfo) -> String {
    match (exit.signal, exit.status) {
        (Some(signal), _) => format!("{proof}, by signal {signal}"),
        (None, Some(status)) => format!("{proof}, with exit status {status}"),
        (None, None) => proof.to_owned(),
    }
}
