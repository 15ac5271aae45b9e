//! What agents used: read from their engines' files when somebody asks, kept beside the rows, and summed.

mod held;
mod refresh;

pub use drover_core::usage::{Spent, Tokens};
use drover_store::agents::Agent;
use drover_store::projects::Project;
use drover_store::tasks::Task;
use drover_store::usage::{self, Sum};

use crate::ctx::Ctx;
use crate::error::Result;

pub(crate) use refresh::refresh;

/// What was used, and of which models.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Usage {
    /// All of it.
    pub spent: Spent,
    /// Part by part, by model; the one that used most tokens first.
    pub models: Vec<(Option<String>, Spent)>,
}

impl Usage {
    /// Whether anything was used.
    pub fn is_some(&self) -> bool {
        self.spent.tokens.total() > 0
    }
}

/// What an agent used; looks into its files first.
pub fn of_agent_now(ctx: &mut Ctx, agent: &Agent) -> Result<Usage> {
    refresh(ctx, std::slice::from_ref(agent));
    of_agent(ctx, agent)
}

/// What an agent used, as far as its files were read.
pub fn of_agent(ctx: &Ctx, agent: &Agent) -> Result<Usage> {
    weighed(ctx, usage::of_agent(&ctx.read(), agent.pk)?)
}

/// What all agents of a project used, as far as their files were read.
pub fn of_project(ctx: &Ctx, project: &Project) -> Result<Usage> {
    weighed(ctx, usage::of_project(&ctx.read(), project.pk)?)
}

/// What agents used while they held a task; looks into their files first.
pub fn of_task(ctx: &mut Ctx, task: &Task) -> Result<Usage> {
    let held = held::spans(&ctx.read(), task)?;
    refresh(ctx, &held::agents(&held));
    let mut sums = Vec::new();
    for span in &held {
        let to = span.to.as_deref();
        sums.extend(usage::of_agent_between(&ctx.read(), span.agent.pk, &span.from, to)?);
    }
    weighed(ctx, sums)
}

fn weighed(ctx: &Ctx, sums: Vec<Sum>) -> Result<Usage> {
    let config = ctx.config()?;
    let mut models: Vec<(Option<String>, Spent)> = Vec::new();
    for sum in sums {
        let price = sum.model.as_deref().and_then(|it| config.price(it));
        let spent = Spent::of(sum.tokens, sum.micros, price);
        match models.iter_mut().find(|it| it.0 == sum.model) {
            Some(known) => known.1 = known.1 + spent,
            None => models.push((sum.model, spent)),
        }
    }
    models.sort_by_key(|it| (std::cmp::Reverse(it.1.tokens.total()), it.0.clone()));
    Ok(Usage { spent: models.iter().map(|it| it.1).sum(), models })
}
