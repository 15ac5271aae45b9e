//! One look at all servers that agents live on, and what it says of each agent.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use drover_core::agent::{
    BootProbe, ExitInfo, PaneListing, PaneOwner, PaneProbe, Probe, ProcessProbe,
};
use drover_host::env::Env;
use drover_host::mux::{self, Listing, MuxError, Pane, PaneDeath, ServerState};
use drover_host::proc::{self, Identity};
use drover_store::agents::{Agent, Binding, Process};
use jiff::Timestamp;

/// What the servers of some agents said, each asked once and at the same time.
#[derive(Debug)]
pub struct Look {
    servers: BTreeMap<(String, String), Result<Listing, MuxError>>,
    /// The agents it was about, by uid and process: an answer says nothing of later ones.
    known: BTreeSet<(String, String)>,
    /// Which processes were asked about so far, and whether they lived: each is asked once.
    living: RefCell<BTreeMap<Identity, bool>>,
}

impl Look {
    /// Asks every server that the agents' rows name, in two seconds at most.
    pub fn at(env: &Env, agents: &[Agent]) -> Self {
        let places: BTreeSet<(String, String)> =
            agents.iter().filter_map(|it| it.binding.as_ref()).map(key).collect();
        let servers = std::thread::scope(|scope| {
            let asked: Vec<_> = places
                .into_iter()
                .map(|place| {
                    let (backend, socket) = place.clone();
                    (place, scope.spawn(move || ask(env, &backend, &socket)))
                })
                .collect();
            let panicked = |place: &(String, String)| MuxError::NoAnswer {
                socket: place.1.clone().into(),
                reason: "asking it failed".to_owned(),
            };
            asked
                .into_iter()
                .map(|(place, thread)| {
                    let answer = thread.join().unwrap_or_else(|_| Err(panicked(&place)));
                    (place, answer)
                })
                .collect()
        });
        let known = agents.iter().filter_map(known).collect();
        Self { servers, known, living: RefCell::default() }
    }

    /// What the look says of an agent; none if it is not bound to a pane.
    pub fn probe(&self, agent: &Agent) -> Option<Probe> {
        if !agent.lifecycle.is_running() {
            return None;
        }
        let binding = agent.binding.as_ref()?;
        Some(Probe {
            boot: boot(&binding.pane),
            pane: self.pane_probe(agent, binding),
            process: self.process(&binding.pane),
        })
    }

    fn process(&self, process: &Process) -> ProcessProbe {
        if self.is_alive(identity(process)) { ProcessProbe::Alive } else { ProcessProbe::Gone }
    }

    fn is_alive(&self, process: Identity) -> bool {
        let mut living = self.living.borrow_mut();
        *living.entry(process).or_insert_with_key(proc::is_alive)
    }

    /// Why nothing can be said of an agent's pane, if its server lives and does not answer.
    pub fn silence(&self, agent: &Agent) -> Option<String> {
        let probe = self.pane_probe(agent, agent.binding.as_ref()?);
        match probe {
            PaneProbe::NoAnswer { reason } => Some(reason),
            PaneProbe::ServerDead | PaneProbe::Answered(_) => None,
        }
    }

    /// The agent's pane, dead or alive, if its own server lists it with the agent's process or
    /// launcher and under no other's mark. One in which a person has started something else is theirs.
    pub fn pane(&self, agent: &Agent) -> Option<&Pane> {
        let binding = agent.binding.as_ref()?;
        let pane = self.listed(binding)?;
        let launcher = format!("agent-launch {} ", agent.uid);
        // An adopted program may run in a shell that stays: its own life and our mark speak for it.
        let is_adopted = agent.is_adopted
            && pane.uid.as_ref() == Some(&agent.uid)
            && self.is_alive(identity(&binding.pane));
        let runs_ours = is_adopted
            || i64::from(pane.pid) == binding.pane.pid
            || pane.start_command.contains(&launcher);
        let has_no_other_mark = pane.uid.as_ref().is_none_or(|it| *it == agent.uid);
        (runs_ours && has_no_other_mark).then_some(pane)
    }

    /// All panes of the server an agent lives on, if that very server answered.
    pub fn server(&self, agent: &Agent) -> Option<&Listing> {
        self.answer(agent.binding.as_ref()?)
    }

    /// What a server answered, if it was asked and did.
    pub(crate) fn listing(&self, mux: &str, socket: &str) -> Option<&Listing> {
        self.servers.get(&(mux.to_owned(), socket.to_owned()))?.as_ref().ok()
    }

    fn answer(&self, binding: &Binding) -> Option<&Listing> {
        let listing = self.servers.get(&key(binding))?.as_ref().ok()?;
        (listing.server == ServerState::Running(identity(&binding.server))).then_some(listing)
    }

    fn listed(&self, binding: &Binding) -> Option<&Pane> {
        let panes = &self.answer(binding)?.panes;
        panes.iter().find(|it| it.id.as_str() == binding.pane_id)
    }

    fn pane_probe(&self, agent: &Agent, binding: &Binding) -> PaneProbe {
        if !self.is_alive(identity(&binding.server)) {
            return PaneProbe::ServerDead;
        }
        let no_answer = |reason: &str| PaneProbe::NoAnswer { reason: reason.to_owned() };
        if known(agent).is_none_or(|it| !self.known.contains(&it)) {
            return no_answer("it was started while its server answered");
        }
        match self.servers.get(&key(binding)) {
            None => no_answer("it was not asked"),
            Some(Err(err)) => no_answer(&err.to_string()),
            Some(Ok(listing)) => match &listing.server {
                ServerState::NoAnswer { reason } => no_answer(reason),
                ServerState::NoServer => no_answer("it runs, and its socket is gone"),
                ServerState::Running(other) if *other != identity(&binding.server) => {
                    no_answer("it runs, and another server has its socket")
                }
                ServerState::Running(_) => PaneProbe::Answered(match self.listed(binding) {
                    None => PaneListing::NotListed,
                    Some(pane) => PaneListing::Listed {
                        owner: owner(agent, binding, pane),
                        dead: pane.death.as_ref().map(exit_info),
                    },
                }),
            },
        }
    }
}

fn ask(env: &Env, backend: &str, socket: &str) -> Result<Listing, MuxError> {
    mux::recorded(env, backend, Path::new(socket))?.panes()
}

fn known(agent: &Agent) -> Option<(String, String)> {
    let pane = &agent.binding.as_ref()?.pane;
    Some((agent.uid.clone(), format!("{}/{}", pane.pid, pane.started)))
}

fn key(binding: &Binding) -> (String, String) {
    (binding.mux.clone(), binding.mux_socket.clone())
}

/// A recorded process as the host knows it.
pub(crate) fn identity(process: &Process) -> Identity {
    Identity { pid: u32::try_from(process.pid).unwrap_or(0), start: process.started.clone() }
}

/// Whether a recorded process still lives.
pub(crate) fn is_alive(process: &Process) -> bool {
    proc::is_alive(&identity(process))
}

fn owner(agent: &Agent, binding: &Binding, pane: &Pane) -> PaneOwner {
    match &pane.uid {
        Some(uid) if *uid == agent.uid => PaneOwner::Ours,
        Some(_) => PaneOwner::Stranger,
        None => PaneOwner::Unmarked { same_process: i64::from(pane.pid) == binding.pane.pid },
    }
}

fn boot(process: &Process) -> BootProbe {
    let (then, now) = (process.started.split(':').next().unwrap_or_default(), proc::boot_id());
    let is_known = |it: &str| !it.is_empty() && it.bytes().any(|digit| digit != b'0');
    match (is_known(then), is_known(now)) {
        (true, true) if then == now => BootProbe::Same,
        (true, true) => BootProbe::Changed,
        _ => BootProbe::Unknown,
    }
}

fn exit_info(death: &PaneDeath) -> ExitInfo {
    ExitInfo {
        status: death.status,
        signal: death.signal,
        at: death.at.and_then(|it| Timestamp::from_second(it).ok()),
    }
}
