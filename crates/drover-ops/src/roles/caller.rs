//! A caller whose role is bound to its own things, and what it is refused.

use drover_core::agent::Role;
use drover_store::ReadTx;
use drover_store::agents::{self, Agent};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Task};

use super::table::Within;
use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::{ActorError, Forbidden, OpError, Result};
use crate::words::quote;

/// An acting worker or reviewer, with the verb it used.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) role: Role,
    pub(crate) agent: Agent,
    verb: String,
}

impl Caller {
    /// The caller, if its role binds it.
    pub(crate) fn of(ctx: &Ctx) -> Option<Self> {
        let Actor::Agent(agent) = ctx.actor() else { return None };
        let role = ctx.actor().role();
        (!role.leads()).then(|| Self {
            role,
            agent: (**agent).clone(),
            verb: ctx.verb().to_owned(),
        })
    }

    /// Refuses what is not within what this role may use the verb on.
    pub(crate) fn keep(
        &self,
        tx: &ReadTx<'_>,
        (within, is_within): (Within, bool),
        what: &str,
    ) -> Result<()> {
        if is_within { Ok(()) } else { Err(self.refusal(tx, Some((within, what)))?) }
    }

    /// Refuses another project than its own.
    pub(crate) fn keep_to(&self, tx: &ReadTx<'_>, project: &Project) -> Result<()> {
        let is_own = project.pk == self.agent.project_pk;
        self.keep(tx, (Within::Project, is_own), &format!("{} is another", project.name))
    }

    /// Whether it holds the task.
    pub(crate) fn holds(&self, task: &Task) -> bool {
        task.claimed_uid.as_ref() == Some(&self.agent.uid)
    }

    /// Refuses a task that it does not hold.
    pub(crate) fn keep_to_held(&self, tx: &ReadTx<'_>, task: &Task) -> Result<()> {
        let what = match &task.claimed_by {
            Some(holder) => format!("{} is held by {holder}", task.id),
            None => format!("nobody holds {}", task.id),
        };
        self.keep(tx, (Within::Held, self.holds(task)), &what)
    }

    /// What it is refused, with the way to ask for it.
    pub(crate) fn refusal(
        &self,
        tx: &ReadTx<'_>,
        limit: Option<(Within, &str)>,
    ) -> Result<OpError> {
        let limit = limit.map(|(within, what)| (within.as_str(), what.to_owned()));
        Ok(ActorError::RoleForbids(Box::new(Forbidden {
            role: self.role,
            verb: self.verb.clone(),
            agent: self.agent.name.clone(),
            limit,
            ways: self.ways(tx)?,
        }))
        .into())
    }

    /// How it can ask for what it may not do itself.
    fn ways(&self, tx: &ReadTx<'_>) -> Result<Vec<(&'static str, String)>> {
        let project = projects::by_pk(tx, self.agent.project_pk)?;
        let project = project.map_or_else(String::new, |it| it.name);
        let mut ways = Vec::new();
        let leader = agents::list(tx, self.agent.project_pk)?
            .into_iter()
            .find(|it| leads(it) && it.lifecycle.is_running());
        if let Some(leader) = leader {
            let to = quote(&format!("{project}/{}", leader.name));
            ways.push(("ask who leads the project", format!("drover agent send {to} \"<text>\"")));
        }
        let held = tasks::held_by(tx, &self.agent.uid)?.into_iter().next();
        ways.push(match held {
            Some(task) => (
                "say on your task what you need",
                format!("drover task note {} \"<text>\"", quote(&format!("{project}/{}", task.id))),
            ),
            None => ("propose it", format!("drover task add \"<text>\" -p {}", quote(&project))),
        });
        Ok(ways)
    }
}

/// Whether an agent leads its project.
pub(crate) fn leads(agent: &Agent) -> bool {
    Role::parse(&agent.profile.role).is_some_and(Role::leads)
}
