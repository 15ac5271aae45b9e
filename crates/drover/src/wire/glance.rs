//! What is told of a workspace in passing: how far it is behind, and what it would conflict with.

use drover_ops::workspaces::{Forecast, Glanced, Staleness};
use schemars::JsonSchema;
use serde::Serialize;

/// A conflict that would come up.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ForecastView {
    /// The other branch.
    with: String,
    /// The paths.
    files: Vec<String>,
}

/// How far a workspace is behind.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StalenessView {
    /// Whose workspace it is.
    agent: String,
    /// How many commits it lacks.
    behind: u64,
    /// The branch that has them.
    branch: String,
    /// Whether it should be refreshed before more is built on it.
    stale: bool,
}

impl From<&Staleness> for StalenessView {
    fn from(found: &Staleness) -> Self {
        Self {
            agent: found.agent.clone(),
            behind: found.behind,
            branch: found.of.clone(),
            stale: found.is_stale(),
        }
    }
}

/// A workspace at a glance.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GlancedView {
    /// Whose it is.
    agent: String,
    /// `git`, `jj` or `copy`.
    kind: String,
    /// Its branch.
    branch: String,
    /// Where it is, or was.
    path: String,
    /// Whether its directory is where it should be; a branch that was kept has none.
    there: bool,
    /// How many commits it has that the integration branch lacks.
    ahead: Option<u64>,
    /// How many commits it lacks of the branch that it lacks most of.
    behind: Option<u64>,
    /// Whether it should be refreshed before more is built on it.
    stale: bool,
    /// The branches that its work would conflict with now.
    conflicts: Vec<ForecastView>,
}

impl From<&Glanced> for GlancedView {
    fn from(seen: &Glanced) -> Self {
        Self {
            agent: seen.agent.clone(),
            kind: seen.kind.clone(),
            branch: seen.branch.clone(),
            path: seen.path.clone(),
            there: seen.is_there,
            ahead: seen.ahead,
            behind: seen.behind.as_ref().map(|it| it.behind),
            stale: seen.behind.as_ref().is_some_and(Staleness::is_stale),
            conflicts: seen.conflicts.iter().map(ForecastView::from).collect(),
        }
    }
}

impl From<&Forecast> for ForecastView {
    fn from(found: &Forecast) -> Self {
        Self { with: found.with.clone(), files: found.files.clone() }
    }
}
