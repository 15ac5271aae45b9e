//! Where an agent's text is typed: its pane, which is checked to be its own at every look.

use std::path::Path;

use drover_core::agent::reap::{self, Reap};
use drover_core::agent::{
    BootProbe, ExitInfo, PaneListing, PaneOwner, PaneProbe, Probe, ProcessProbe,
};
use drover_host::mux::{self, Capture, Listing, Mux, Pane, PaneId, ServerState};
use drover_host::proc;
use drover_store::agents::{Agent, Binding, Process};

use crate::ctx::Ctx;
use crate::error::{OpError, Result};

/// The lines of a screen that its rules look at.
const LINES: u32 = 40;

/// An agent's pane.
pub(super) struct Place {
    pub(super) mux: Box<dyn Mux>,
    pub(super) pane: PaneId,
    uid: String,
    binding: Binding,
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
        let Some(binding) = agent.binding.clone() else { return Ok(None) };
        let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
        let pane = PaneId::parse(&binding.pane_id).map_err(|err| OpError::Mux(err.into()))?;
        Ok(Some(Self { mux, pane, uid: agent.uid.clone(), binding }))
    }

    /// Looks whether it is still the pane that the agent was bound to.
    pub(super) fn look(&self) -> Result<Seen> {
        let listing = self.mux.panes()?;
        let pane = listing.pane(&self.pane);
        Ok(match (reap::verdict(&self.probe(&listing)), pane) {
            (Reap::Alive, Some(pane)) => Seen::Pane(Box::new(pane.clone())),
            (Reap::Alive, None) => Seen::Gone("its pane is gone".to_owned()),
            (Reap::Gone { proof, exit, .. }, _) => Seen::Gone(ending(proof, exit)),
            (Reap::Unknown { reason }, _) => Seen::Silent(reason),
        })
    }

    /// The last lines of its screen.
    pub(super) fn screen(&self) -> Result<String> {
        Ok(self.mux.capture(&self.pane, Capture::Last(LINES))?)
    }

    /// Whether somebody has the pane in front of them.
    pub(super) fn is_attached(&self) -> Result<bool> {
        Ok(!self.mux.attached_clients(&self.pane)?.is_empty())
    }

    fn probe(&self, listing: &Listing) -> Probe {
        let server = identity(&self.binding.server);
        let pane = match &listing.server {
            ServerState::Running(found) if *found == server => {
                PaneProbe::Answered(self.listed(listing))
            }
            _ if !proc::is_alive(&server) => PaneProbe::ServerDead,
            ServerState::NoAnswer { reason } => PaneProbe::NoAnswer { reason: reason.clone() },
            ServerState::NoServer | ServerState::Running(_) => PaneProbe::NoAnswer {
                reason: "another server answers on its socket, or none".to_owned(),
            },
        };
        let process = identity(&self.binding.pane);
        let is_alive = proc::is_alive(&process);
        Probe {
            boot: BootProbe::Same,
            pane,
            process: if is_alive { ProcessProbe::Alive } else { ProcessProbe::Gone },
        }
    }

    fn listed(&self, listing: &Listing) -> PaneListing {
        let Some(pane) = listing.pane(&self.pane) else { return PaneListing::NotListed };
        let owner = match pane.uid.as_deref() {
            Some(uid) if uid == self.uid => PaneOwner::Ours,
            Some(_) => PaneOwner::Stranger,
            None => {
                PaneOwner::Unmarked { same_process: i64::from(pane.pid) == self.binding.pane.pid }
            }
        };
        let dead = pane.death.map(|it| ExitInfo { status: it.status, signal: it.signal, at: None });
        PaneListing::Listed { owner, dead }
    }
}

fn identity(process: &Process) -> proc::Identity {
    proc::Identity { pid: u32::try_from(process.pid).unwrap_or(0), start: process.started.clone() }
}

/// How a program ended, in words.
pub(super) fn ending(proof: &str, exit: ExitInfo) -> String {
    match (exit.signal, exit.status) {
        (Some(signal), _) => format!("{proof}, by signal {signal}"),
        (None, Some(status)) => format!("{proof}, with exit status {status}"),
        (None, None) => proof.to_owned(),
    }
}
