//! Who acts: an agent by its token or its pane's mark, else a person.

use drover_host::env::Env;
use drover_host::proc;
use drover_store::ReadTx;
use drover_store::agents::{self, Agent};

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
    /// An agent, proven by its token or by the mark of its pane.
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

    /// The uid of an acting agent.
    pub fn agent_uid(&self) -> Option<&str> {
        match self {
            Self::Person { .. } | Self::Part(_) => None,
            Self::Agent(agent) => Some(&agent.uid),
        }
    }
}

/// Who acts: token, then the pane's own mark, then `--actor`, then the person.
pub fn find(tx: &ReadTx<'_>, env: &Env, flag: Option<&str>) -> Result<Actor> {
    if let Some(token) = env.token() {
        let found = agents::by_token_hash(tx, &sha256_hex(token.as_bytes()))?;
        let agent = found.ok_or(ActorError::UnknownToken)?;
        if !runs_below(tx, &agent)? {
            return Err(ActorError::ForeignToken { agent: agent.name }.into());
        }
        if flag.is_some() {
            return Err(ActorError::ActorAndToken.into());
        }
        return Ok(Actor::Agent(Box::new(agent)));
    }
    if let Some(agent) = agent_of_pane(tx, env)?
        && runs_below(tx, &agent)?
    {
        return Ok(Actor::Agent(Box::new(agent)));
    }
    let name = flag.map_or_else(|| env.user(), |it| it.trim_start_matches("user:").to_owned());
    if name.trim().is_empty() {
        return Err(OpError::Usage("--actor is blank".to_owned()));
    }
    Ok(Actor::Person { name })
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

/// Whether this process descends from the agent's pane process, with no other agent's pane nearer.
fn runs_below(tx: &ReadTx<'_>, agent: &Agent) -> Result<bool> {
    let live = agents::live(tx)?;
    let owner = |identity: &proc::Identity| {
        live.iter().find(|it| {
            it.binding.as_ref().is_some_and(|it| {
                it.pane.pid == i64::from(identity.pid) && it.pane.started == identity.start
            })
        })
    };
    let mine = proc::own_identity();
    let nearest = mine
        .iter()
        .cloned()
        .chain(proc::ancestors(std::process::id()))
        .find_map(|it| owner(&it).cloned());
    Ok(nearest.is_some_and(|it| it.uid == agent.uid))
}
