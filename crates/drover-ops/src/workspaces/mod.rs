//! Verbs on workspaces: each agent's own checkout and branch, from its making to its landing and removal.

mod checks;
mod find;
mod furnish;
mod land;
mod landed;
mod list;
mod look;
mod orphans;
mod place;
mod prepare;
mod ready;
mod refresh;
mod release;
mod rescue;
mod settle;
mod show;
mod site;
mod stale;
mod under_way;

pub use drover_host::workspace::Kind;
pub use land::{Land, Landed, land};
pub use list::{Forecast, List, Listed, list};
pub use orphans::{Orphan, OrphanKind, orphans};
pub use place::trunk;
pub(crate) use place::{fast_forward, recorded, text};
pub use prepare::{Prepare, base, prepare, undo_prepare};
pub(crate) use ready::{FailedTry, not_finished, not_ready, set_aside};
pub use refresh::{Refresh, Refreshed, refresh};
pub(crate) use release::refusal;
pub use release::{Free, Freed, How, Released, free, obstacles, release};
pub(crate) use settle::settle;
pub use show::{Commits, Difference, Located, commits, diff, path};
pub(crate) use site::Site;
pub(crate) use stale::weigh;
pub use stale::{OnStale, STALE, Staleness, staleness};
