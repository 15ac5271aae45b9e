//! Roles: who may use which verb, and on what. A rail against mistakes, not a wall.
//!
//! The table says it by verb, and every call passes it. What depends on rows is asked by the verb
//! itself, with the caller in hand: a person and those who lead a project have none of it to fear.

mod caller;
mod refused;
mod table;

use drover_core::agent::Role;

use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::{ActorError, Result};

pub(crate) use caller::{Caller, leads};
pub(crate) use refused::{RECORD, is_refusal, record};
pub use table::{TABLE, Who, Within};

/// Whether a role may use a verb, at least on some things.
pub fn may(role: Role, verb: &str) -> bool {
    who(verb).map_or(role.leads(), |it| it.includes(role))
}

/// Who may use a verb; `None` for one that is not in the table.
pub fn who(verb: &str) -> Option<Who> {
    TABLE.iter().find(|it| it.0 == verb).map(|it| it.1)
}

/// The role of whoever acts: a person is an operator.
pub fn role(ctx: &Ctx) -> Role {
    ctx.actor().role()
}

/// Refuses a look at every project to a caller whose role binds it to one.
pub(crate) fn every_project(ctx: &Ctx) -> Result<()> {
    let Some(caller) = Caller::of(ctx) else { return Ok(()) };
    caller.keep(&ctx.read(), (Within::Project, false), "this is about all of them")
}

/// Refuses a verb that is not for the one who calls it.
pub(crate) fn admit(ctx: &Ctx, verb: &str) -> Result<()> {
    let Actor::Agent(agent) = ctx.actor() else { return Ok(()) };
    if may(ctx.actor().role(), verb) {
        return Ok(());
    }
    match Caller::of(ctx) {
        Some(caller) => Err(caller.refusal(&ctx.read(), None)?),
        None => {
            Err(ActorError::PeopleOnly { verb: verb.to_owned(), agent: agent.name.clone() }.into())
        }
    }
}
