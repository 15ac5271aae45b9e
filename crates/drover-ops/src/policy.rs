//! Policy: what a project allows, from its rows, else from `config.toml`, else the default.

use std::time::Duration;

use drover_core::duration::Limit;
use drover_core::usage::Budget;
use drover_store::projects::{self, Project};

use crate::ctx::Ctx;
use crate::error::Result;
use crate::policy_keys::list;

/// The policy of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How often dispatch tries a task that was lost.
    pub attempts: i64,
    /// How much its agents may use; `None` is as much as they do.
    pub budget: Option<Budget>,
    /// Ignored files that a new workspace gets from its source.
    pub bring: Vec<String>,
    /// How many delegates work at once.
    pub delegates: usize,
    /// At most one agent on each track.
    pub is_exclusive_by_track: bool,
    /// How long an agent may be idle with a task, or as a helper, until it is pointed out.
    pub idle_after: Limit,
    /// How long the setup hook of a new workspace may take; `None` is for ever.
    pub setup_timeout: Option<Duration>,
    /// Whether agents trust what a repository brings for them, in workspaces that Drover made.
    pub trusts_workspaces: bool,
    /// The command that proves a task done when it names none itself.
    pub verify: Option<String>,
    /// How long such a command may take; `None` is for ever.
    pub verify_timeout: Option<Duration>,
    /// How many tasks may be in progress at once; `None` is the number of workers.
    pub wip: Option<usize>,
}

impl Policy {
    /// The policy that holds for a project.
    pub fn of(ctx: &Ctx, project: &Project) -> Result<Self> {
        let rows = projects::policy(&ctx.read(), project.pk)?;
        let config = ctx.config()?;
        let value = |key: &str| {
            let row = rows.iter().find(|it| it.0 == key).map(|it| it.1.as_str());
            row.or_else(|| config.policy.get(key).map(String::as_str)).filter(|it| !it.is_empty())
        };
        let timeout = |key: &str| match value(key).and_then(|it| Limit::parse(it).ok()) {
            Some(Limit::For(time)) => Some(time),
            Some(Limit::Never) => None,
            Some(Limit::AtOnce) | None => Some(Duration::from_mins(10)),
        };
        Ok(Self {
            attempts: value("attempts").and_then(|it| it.parse().ok()).unwrap_or(3),
            budget: value("budget").and_then(Budget::parse),
            bring: value("bring").map(list).unwrap_or_default(),
            delegates: value("delegates").and_then(|it| it.parse().ok()).unwrap_or(4),
            is_exclusive_by_track: value("tracks") == Some("exclusive"),
            idle_after: value("idle_after")
                .and_then(|it| Limit::parse(it).ok())
                .unwrap_or(Limit::For(Duration::from_mins(5))),
            setup_timeout: timeout("setup_timeout"),
            trusts_workspaces: value("trust_workspaces") == Some("yes"),
            verify: value("verify").map(str::to_owned),
            verify_timeout: timeout("verify_timeout"),
            wip: value("wip").and_then(|it| it.parse().ok()),
        })
    }
}
