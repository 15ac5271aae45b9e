//! Who acts: an agent by its token or by the pane this process runs in, else a person.

use drover_core::agent::Role;
use drover_host::env::Env;
use drover_host::proc;
use drover_store::ReadTx;
use drover_store::agents::{self, Agent, Binding, Process};

use crate::digest::sha256_hex;
use crate::error::{ActorError, OpError, Result};

/// Who acts in this call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Person {
        /// The login name, or what `--actor` says.
        name: String,
    },
    /// An agent, proven by its token or by descent from its pane's process.
    Agent(Box<Agent>),
    /// A part of Drover itself, as `reaper`.
    Part(&'static str),
}

impl Actor {
    /// The word in the log: an agent's name, or `user:<name>`.
    pub fn word(&self) -> String {
        match self {
            Self::Person { name } => format!("user:{name}"),
            Self::Agent(agent) => agent.name.clone(),
            Self::Part(part) => (*part).to_owned(),
        }
    }

    /// Who holds what this actor claims, as it is stored: `<word>@<machine>`.
    pub fn holder(&self, machine: &str) -> String {
        format!("{}@{machine}", self.word())
    }

    /// What the actor is in the project: a person is an operator.
    ///
    /// A word that is no role gives the least of them.
    pub fn role(&self) -> Role {
        match self {
            Self::Person { .. } | Self::Part(_) => Role::Operator,
            Self::Agent(agent) => Role::parse(&agent.profile.role).unwrap_or(Role::Reviewer),
        }
    }

    /// The uid of an acting agent.
    pub fn agent_uid(&self) -> Option<&str> {
        match self {
            Self::Person { .. } | Self::Part(_) => None,
            Self::Agent(agent) => Some(&agent.uid),
        }
    }
}

/// Who acts: token, then the agent this process descends from, then `--actor`, then the person.
///
/// Descent is asked of the kernel, so an agent that drops its variables is still itself.
pub fn find(tx: &ReadTx<'_>, env: &Env, flag: Option<&str>) -> Result<Actor> {
    if let Some(token) = env.token() {
        let found = agents::by_token_hash(tx, &sha256_hex(token.as_bytes()))?;
        let agent = found.ok_or(ActorError::UnknownToken)?;
        if nearest(tx)?.is_none_or(|it| it.uid != agent.uid) {
            check_seen(&agent)?;
            return Err(ActorError::ForeignToken { agent: agent.name }.into());
        }
        if flag.is_some() {
            return Err(ActorError::ActorAndToken.into());
        }
        return Ok(Actor::Agent(Box::new(agent)));
    }
    if let Some(agent) = nearest(tx)? {
        if flag.is_some() {
            return Err(ActorError::ActorInPane { agent: agent.name }.into());
        }
        return Ok(Actor::Agent(Box::new(agent)));
    }
    if let Some(uid) = env.agent_uid()
        && let Some(agent) = agents::by_uid(tx, uid)?.filter(|it| it.lifecycle.is_running())
    {
        check_seen(&agent)?;
    }
    let name = flag.map_or_else(|| env.user(), |it| it.trim_start_matches("user:").to_owned());
    if name.trim().is_empty() {
        return Err(OpError::Usage("--actor is blank".to_owned()));
    }
    Ok(Actor::Person { name })
}

/// Refuses a caller that sees neither the process of the agent it was started below nor the
/// multiplexer's server: a sandbox hides them.
///
/// In there all other agents look dead as well, so nothing can be said or done about any.
fn check_seen(agent: &Agent) -> Result<()> {
    let Some(Binding { pane, server, .. }) = &agent.binding else { return Ok(()) };
    let is_seen = |it: &Process| {
        let pid = u32::try_from(it.pid).unwrap_or(0);
        proc::is_alive(&proc::Identity { pid, start: it.started.clone() })
    };
    if is_seen(pane) || is_seen(server) {
        return Ok(());
    }
    let what = format!("a look at the process of {}", agent.name);
    Err(ActorError::SandboxDenies { what }.into())
}

/// The agent whose pane this process says it runs in; one column of rows, no multiplexer call.
pub(crate) fn agent_of_pane(tx: &ReadTx<'_>, env: &Env) -> Result<Option<Agent>> {
    let (Some(pane), Some(socket)) = (env.tmux_pane(), env.surrounding_tmux_socket()) else {
        return Ok(None);
    };
    let socket = socket.to_string_lossy();
    let of_pane = |it: &Agent| {
        it.binding.as_ref().is_some_and(|it| it.pane_id == pane && it.mux_socket == socket)
    };
    Ok(agents::live(tx)?.into_iter().find(of_pane))
}

/// The live agent in whose pane this process runs; of panes within panes, the nearest.
fn nearest(tx: &ReadTx<'_>) -> Result<Option<Agent>> {
    let panes = agents::live_panes(tx)?;
    if panes.is_empty() {
        return Ok(None);
    }
    let agent_of = |identity: proc::Identity| {
        let is_it =
            |it: &Process| it.pid == i64::from(identity.pid) && it.started == identity.start;
        panes.iter().find(|it| is_it(&it.1)).map(|it| it.0)
    };
    let own = proc::own_identity();
    let found = own.into_iter().chain(proc::ancestors(std::process::id())).find_map(agent_of);
    Ok(found.map(|pk| agents::by_pk(tx, pk)).transpose()?.flatten())
}
