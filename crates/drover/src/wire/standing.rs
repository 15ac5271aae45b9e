//! Tracks, workspaces and what happened lately, as `state` shows them.

use drover_ops::log::Item;
use drover_ops::tasks::{ShownTrack, Tracks};
use schemars::JsonSchema;
use serde::Serialize;

/// The first tracks of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TracksView {
    /// The tracks.
    items: Vec<TrackView>,
    /// How many there are here.
    count: usize,
    /// How many there are.
    total: usize,
}

/// A connected group of open goals and what they need.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TrackView {
    /// Its first goals, by id.
    goals: Vec<String>,
    /// How many goals it has; with more than one, they share a need.
    goal_count: usize,
    /// How many tasks it has, closed ones that a goal needed included; `task list --track` lists them.
    tasks: usize,
    /// How many of them are ready.
    ready: usize,
    /// Whether everything that is not closed in it is parked.
    parked: bool,
}

impl From<&Tracks> for TracksView {
    fn from(tracks: &Tracks) -> Self {
        let view = |it: &ShownTrack| TrackView {
            goals: it.goals.clone(),
            goal_count: it.goal_count,
            tasks: it.tasks,
            ready: it.ready,
            parked: it.is_parked,
        };
        let items: Vec<TrackView> = tracks.shown.iter().map(view).collect();
        Self { count: items.len(), items, total: tracks.total }
    }
}

/// A change that was made lately, without its columns.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecentView {
    /// Its position in this machine's log.
    seq: i64,
    /// When.
    at: String,
    /// The change group it belongs to.
    group: String,
    /// Who acted.
    actor: String,
    /// Which verb acted, as `task.claim`.
    intent: String,
    /// The kind of row.
    entity: String,
    /// What the row is called.
    subject: String,
    /// The change in one line.
    words: String,
}

impl From<&Item> for RecentView {
    fn from(item: &Item) -> Self {
        let op = &item.op;
        Self {
            seq: op.seq,
            at: op.at.clone(),
            group: op.group.clone(),
            actor: op.actor.clone(),
            intent: op.intent.clone(),
            entity: op.entity.clone(),
            subject: item.subject.clone(),
            words: item.words.clone(),
        }
    }
}
