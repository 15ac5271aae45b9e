//! The tracks of a project: connected groups of open goals and what they need.

use std::collections::{HashMap, HashSet};

use drover_core::task::track::{Track, TrackTask, tracks as tracks_of};
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::{ReadTx, edges, graph};

use crate::error::Result;

/// How many goals of a track are named.
const NAMED_GOALS: usize = 10;

/// A connected group, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownTrack {
    /// Its first goals, by id.
    pub goals: Vec<String>,
    /// How many goals it has.
    pub goal_count: usize,
    /// How many tasks it has, closed ones that a goal needed included.
    pub tasks: usize,
    /// How many of them are ready.
    pub ready: usize,
    /// Whether everything that is not closed in it is parked.
    pub is_parked: bool,
}

/// The tracks of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tracks {
    /// The first of them, by their first goal.
    pub shown: Vec<ShownTrack>,
    /// How many there are.
    pub total: usize,
}

/// The first `most` tracks of a project, by their first goal.
pub(crate) fn tracks(tx: &ReadTx<'_>, project: &Project, most: usize) -> Result<Tracks> {
    let all = computed(tx, project)?;
    let shown = all.iter().take(most).map(|track| {
        let mut goals = Vec::new();
        for pk in track.roots.iter().take(NAMED_GOALS) {
            goals.extend(tasks::by_pk(tx, *pk)?.map(|it| it.id));
        }
        Ok(ShownTrack {
            goals,
            goal_count: track.roots.len(),
            tasks: track.tasks.len(),
            ready: track.ready,
            is_parked: track.parked,
        })
    });
    Ok(Tracks { shown: shown.collect::<Result<_>>()?, total: all.len() })
}

/// The keys of the tasks of the track that a task belongs to.
pub(super) fn members(tx: &ReadTx<'_>, project: &Project, task: &Task) -> Result<Vec<i64>> {
    let found = computed(tx, project)?.into_iter().find(|it| it.tasks.contains(&task.pk));
    Ok(found.map_or_else(Vec::new, |it| it.tasks))
}

/// Every track, its goals and the tracks themselves by id.
fn computed(tx: &ReadTx<'_>, project: &Project) -> Result<Vec<Track>> {
    let rows = graph::standings(tx, project.pk)?;
    let nodes: Vec<TrackTask> =
        rows.iter().map(|it| TrackTask { id: it.pk, state: it.state, ready: it.ready }).collect();
    let mut found = tracks_of(&nodes, &edges::of_project(tx, project.pk)?);
    let goals: HashSet<i64> = found.iter().flat_map(|it| it.roots.iter().copied()).collect();
    let by_id = graph::keys_by_id(tx, project.pk)?.into_iter().filter(|it| goals.contains(it));
    let place: HashMap<i64, usize> = by_id.zip(0..).collect();
    for track in &mut found {
        track.roots.sort_by_key(|it| place.get(it));
    }
    found.sort_by_key(|it| it.roots.first().and_then(|it| place.get(it)));
    Ok(found)
}
