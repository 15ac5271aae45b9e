//! Tracks: connected groups of open goals and what they need, each one worker's ground.

use std::collections::HashMap;

use super::dag::Graph;
use super::state::State;

/// A task as tracks see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackTask {
    /// The task.
    pub id: i64,
    /// Its state.
    pub state: State,
    /// Whether it is ready to be claimed.
    pub ready: bool,
}

/// A connected group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// Its goals: tasks that are not closed and block none that is not.
    pub roots: Vec<i64>,
    /// Every task of it, closed ones that a goal needed included.
    pub tasks: Vec<i64>,
    /// How many of them are ready.
    pub ready: usize,
    /// Whether everything that is not closed in it is parked.
    pub parked: bool,
}

impl Track {
    /// Whether goals that share a need were put together.
    pub fn is_merged(&self) -> bool {
        self.roots.len() > 1
    }
}

/// The tracks of a project; `edges` are `(blocker, blocked)`. Roots, tasks and tracks stand in the
/// order of `tasks`, tracks by their first root.
///
/// Two goals share a need exactly when they are connected inside what all goals need together, so
/// one walk back from all goals and one pass over the edges are enough.
pub fn tracks(tasks: &[TrackTask], edges: &[(i64, i64)]) -> Vec<Track> {
    let graph = Graph::new(tasks.iter().map(|task| task.id), edges.iter().copied());
    let is_open = |position: usize| tasks.get(position).is_some_and(|it| !it.state.is_closed());
    let goals: Vec<usize> = (0..tasks.len())
        .filter(|&position| {
            is_open(position) && !graph.successors(position).iter().any(|next| is_open(*next))
        })
        .collect();
    let group_of = groups(&graph, &goals);
    let mut track_of: HashMap<usize, usize> = HashMap::new();
    let mut tracks: Vec<Track> = Vec::new();
    for &goal in &goals {
        let Some(group) = group_of.get(goal).copied().flatten() else { continue };
        let index = *track_of.entry(group).or_insert_with(|| {
            tracks.push(Track { roots: Vec::new(), tasks: Vec::new(), ready: 0, parked: true });
            tracks.len() - 1
        });
        if let (Some(track), Some(task)) = (tracks.get_mut(index), tasks.get(goal)) {
            track.roots.push(task.id);
        }
    }
    for (task, group) in tasks.iter().zip(group_of) {
        let track = group.and_then(|group| track_of.get(&group));
        if let Some(track) = track.and_then(|index| tracks.get_mut(*index)) {
            track.tasks.push(task.id);
            track.ready += usize::from(task.ready);
            track.parked &= task.state.is_closed() || task.state == State::Parked;
        }
    }
    tracks
}

/// The connected group of each node that some goal needs: nodes are taken goal by goal, backwards
/// and then forwards again, within what is needed.
fn groups(graph: &Graph, goals: &[usize]) -> Vec<Option<usize>> {
    let mut needed = vec![false; graph.len()];
    let mut stack = goals.to_vec();
    while let Some(position) = stack.pop() {
        if let Some(slot) = needed.get_mut(position).filter(|slot| !**slot) {
            *slot = true;
            stack.extend(graph.predecessors(position));
        }
    }
    let mut group_of = vec![None; graph.len()];
    for &goal in goals {
        stack.push(goal);
        while let Some(position) = stack.pop() {
            let is_needed = needed.get(position).copied().unwrap_or(false);
            if let Some(slot) = group_of.get_mut(position).filter(|it| is_needed && it.is_none()) {
                *slot = Some(goal);
                stack.extend(graph.predecessors(position));
                stack.extend(graph.successors(position));
            }
        }
    }
    group_of
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn task(id: i64, state: State) -> TrackTask {
        TrackTask { id, state, ready: state == State::Todo }
    }

    fn todo(ids: impl IntoIterator<Item = i64>) -> Vec<TrackTask> {
        ids.into_iter().map(|id| task(id, State::Todo)).collect()
    }

    fn roots(tracks: &[Track]) -> Vec<Vec<i64>> {
        tracks.iter().map(|track| track.roots.clone()).collect()
    }

    #[test]
    fn goals_that_share_a_need_are_one_track() {
        let tracks = tracks(&todo(1..=5), &[(1, 2), (1, 3), (4, 5)]);
        assert_eq!(roots(&tracks), [vec![2, 3], vec![5]]);
        assert_eq!(tracks[0].tasks, [1, 2, 3]);
        assert!(tracks[0].is_merged() && !tracks[1].is_merged());
    }

    #[test]
    fn a_closed_need_belongs_to_the_track_and_joins_goals() {
        let tasks = [task(1, State::Done), task(2, State::Todo), task(3, State::Parked)];
        let tracks = tracks(&tasks, &[(1, 2), (1, 3)]);
        assert_eq!(roots(&tracks), [vec![2, 3]]);
        assert_eq!((tracks[0].tasks.len(), tracks[0].ready, tracks[0].parked), (3, 1, false));
    }

    #[test]
    fn a_track_is_parked_when_all_that_is_open_in_it_is() {
        let tasks = [task(1, State::Done), task(2, State::Parked), task(3, State::Triage)];
        let tracks = tracks(&tasks, &[(1, 2)]);
        assert_eq!(tracks.iter().map(|track| track.parked).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn an_open_task_behind_which_everything_is_closed_is_a_goal() {
        let tasks = [task(1, State::Todo), task(2, State::Rejected)];
        let tracks = tracks(&tasks, &[(1, 2)]);
        assert_eq!((tracks[0].roots.clone(), tracks[0].tasks.clone()), (vec![1], vec![1]));
    }

    /// The definition, walked goal by goal.
    fn by_definition(tasks: &[TrackTask], edges: &[(i64, i64)]) -> BTreeSet<BTreeSet<i64>> {
        let open = |id: i64| tasks.iter().any(|it| it.id == id && !it.state.is_closed());
        let goals = tasks
            .iter()
            .map(|it| it.id)
            .filter(|id| open(*id) && !edges.iter().any(|(from, to)| from == id && open(*to)));
        let mut sets: Vec<BTreeSet<i64>> = Vec::new();
        for goal in goals {
            let mut reached = BTreeSet::from([goal]);
            while let Some((from, _)) =
                edges.iter().find(|(from, to)| reached.contains(to) && !reached.contains(from))
            {
                reached.insert(*from);
            }
            let (joined, apart) =
                sets.into_iter().partition(|set: &BTreeSet<i64>| !set.is_disjoint(&reached));
            sets = apart;
            sets.push(joined.into_iter().flatten().chain(reached).collect());
        }
        sets.into_iter().collect()
    }

    proptest! {
        #[test]
        fn tracks_are_what_their_definition_says(
            states in proptest::collection::vec(0_usize..9, 10),
            edges in proptest::collection::vec((0_i64..10, 0_i64..10), 0..12),
        ) {
            let edges: Vec<(i64, i64)> = edges.into_iter().filter(|(from, to)| from < to).collect();
            let tasks: Vec<TrackTask> = (0..)
                .zip(&states)
                .map(|(id, state)| task(id, State::ALL[*state]))
                .collect();
            let found: BTreeSet<BTreeSet<i64>> = tracks(&tasks, &edges)
                .into_iter()
                .map(|track| track.tasks.into_iter().collect())
                .collect();
            prop_assert_eq!(found, by_definition(&tasks, &edges));
        }
    }
}
