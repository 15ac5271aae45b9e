//! One pass of handing ready tasks to idle agents: the same board gives the same hand-out.

use std::collections::HashMap;

use crate::task::{OwnedPath, any_overlap};
use crate::word::word_enum;

/// An agent that is reported idle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleAgent {
    /// Its name.
    pub name: String,
    /// Whether a person is attached to its pane.
    pub attached: bool,
}

/// A task that could be claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyTask {
    /// The task.
    pub id: i64,
    /// The key of its track, if it belongs to one.
    pub track: Option<i64>,
    /// What it owns.
    pub owns: Vec<OwnedPath>,
    /// A blocker that is done and whose work is not on the trunk yet.
    pub unlanded_blocker: Option<i64>,
}

/// A task that somebody is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningTask {
    /// The task.
    pub id: i64,
    /// The key of its track, if it belongs to one.
    pub track: Option<i64>,
    /// What it owns.
    pub owns: Vec<OwnedPath>,
}

/// How much may run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How many tasks of the project.
    pub wip: usize,
    /// How many tasks of one track; none for any number. One worker a track keeps related work in
    /// one head; a plan that is a single track then runs one task at a time.
    pub per_track: Option<usize>,
    /// Whether agents that a person is attached to get work too.
    pub use_attached: bool,
}

/// Everything a pass looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Idle agents, in the order in which they get work.
    pub idle: Vec<IdleAgent>,
    /// Ready tasks, the best first.
    pub ready: Vec<ReadyTask>,
    /// Tasks that somebody is on.
    pub running: Vec<RunningTask>,
    /// How much may run at once.
    pub policy: Policy,
}

/// A task for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The task.
    pub task: i64,
    /// The agent's name.
    pub agent: String,
}

word_enum! {
    /// Why a task or an agent is left out of a pass.
    pub enum Reason("skip reason") {
        /// A blocker is done and its work is not on the trunk.
        BlockerNotLanded = "blocker_not_landed",
        /// A running task owns the same ground.
        OwnsOverlap = "owns_overlap",
        /// As many tasks of its track run as may.
        TrackBusy = "track_busy",
        /// As many tasks of the project run as may.
        WipLimit = "wip_limit",
        /// Every idle agent has got a task.
        NoIdleAgent = "no_idle_agent",
        /// A person is attached to the agent.
        Attached = "attached",
    }
}

/// What was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// A ready task that nobody got.
    Task {
        /// The task.
        task: i64,
        /// Why.
        reason: Reason,
        /// The task that stands in its way, where one does.
        because_of: Option<i64>,
    },
    /// An idle agent that was not considered.
    Agent {
        /// Its name.
        agent: String,
        /// Why.
        reason: Reason,
    },
}

/// What a pass decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandOut {
    /// Who gets what, the best task first.
    pub assignments: Vec<Assignment>,
    /// What was left out, agents first, then tasks in their order.
    pub skips: Vec<Skip>,
}

/// Hands ready tasks to idle agents, each task to the first agent that is free.
pub fn hand_out(board: &Board) -> HandOut {
    let mut result = HandOut::default();
    let mut free = Vec::new();
    for agent in &board.idle {
        if agent.attached && !board.policy.use_attached {
            let (agent, reason) = (agent.name.clone(), Reason::Attached);
            result.skips.push(Skip::Agent { agent, reason });
        } else {
            free.push(agent);
        }
    }
    let mut free = free.into_iter().peekable();
    let mut busy = Busy::new(board);
    for task in &board.ready {
        let skip = match busy.objection(task, board.policy) {
            Some(objection) => Some(objection),
            None if free.peek().is_none() => Some((Reason::NoIdleAgent, None)),
            None => None,
        };
        if let Some((reason, because_of)) = skip {
            result.skips.push(Skip::Task { task: task.id, reason, because_of });
        } else if let Some(agent) = free.next() {
            busy.begin(task.id, task.track, &task.owns);
            result.assignments.push(Assignment { task: task.id, agent: agent.name.clone() });
        }
    }
    result
}

/// What runs, with what this pass has handed out already.
struct Busy<'board> {
    running: usize,
    ground: Vec<(i64, &'board [OwnedPath])>,
    /// For each track how many of its tasks run, and one of them.
    tracks: HashMap<i64, (usize, i64)>,
}

impl<'board> Busy<'board> {
    fn new(board: &'board Board) -> Self {
        let mut busy = Self { running: 0, ground: Vec::new(), tracks: HashMap::new() };
        for task in &board.running {
            busy.begin(task.id, task.track, &task.owns);
        }
        busy
    }

    fn begin(&mut self, task: i64, track: Option<i64>, owns: &'board [OwnedPath]) {
        self.running += 1;
        if !owns.is_empty() {
            self.ground.push((task, owns));
        }
        if let Some(track) = track {
            self.tracks.entry(track).or_insert((0, task)).0 += 1;
        }
    }

    fn objection(&self, task: &ReadyTask, policy: Policy) -> Option<(Reason, Option<i64>)> {
        if let Some(blocker) = task.unlanded_blocker {
            return Some((Reason::BlockerNotLanded, Some(blocker)));
        }
        let overlapping = self.ground.iter().find(|(_, owns)| any_overlap(owns, &task.owns));
        if let Some((other, _)) = overlapping {
            return Some((Reason::OwnsOverlap, Some(*other)));
        }
        let on_track = task.track.and_then(|track| self.tracks.get(&track));
        if let (Some((count, other)), Some(limit)) = (on_track, policy.per_track)
            && *count >= limit
        {
            return Some((Reason::TrackBusy, Some(*other)));
        }
        (self.running >= policy.wip).then_some((Reason::WipLimit, None))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ready(id: i64, track: i64, owns: &[&str]) -> ReadyTask {
        let owns = owns.iter().map(|path| OwnedPath::parse(path).unwrap()).collect();
        ReadyTask { id, track: Some(track), owns, unlanded_blocker: None }
    }

    fn board(agents: usize, ready: Vec<ReadyTask>) -> Board {
        let idle = (1..=agents)
            .map(|number| IdleAgent { name: format!("w{number}"), attached: false })
            .collect();
        let policy = Policy { wip: 10, per_track: None, use_attached: false };
        Board { idle, ready, running: Vec::new(), policy }
    }

    fn given(result: &HandOut) -> Vec<(i64, &str)> {
        result.assignments.iter().map(|it| (it.task, it.agent.as_str())).collect()
    }

    fn skipped(result: &HandOut) -> Vec<(i64, Reason, Option<i64>)> {
        let task = |skip: &Skip| match skip {
            Skip::Task { task, reason, because_of } => Some((*task, *reason, *because_of)),
            Skip::Agent { .. } => None,
        };
        result.skips.iter().filter_map(task).collect()
    }

    #[test]
    fn the_best_tasks_go_to_the_first_agents_and_the_rest_say_why_not() {
        let result =
            hand_out(&board(2, vec![ready(3, 1, &[]), ready(1, 2, &[]), ready(2, 3, &[])]));
        assert_eq!(given(&result), [(3, "w1"), (1, "w2")]);
        assert_eq!(skipped(&result), [(2, Reason::NoIdleAgent, None)]);
    }

    #[test]
    fn a_task_whose_blocker_has_not_landed_waits_and_holds_nobody_up() {
        let mut waiting = ready(1, 1, &[]);
        waiting.unlanded_blocker = Some(9);
        let result = hand_out(&board(1, vec![waiting, ready(2, 2, &[])]));
        assert_eq!(given(&result), [(2, "w1")]);
        assert_eq!(skipped(&result), [(1, Reason::BlockerNotLanded, Some(9))]);
    }

    #[test]
    fn tasks_on_the_same_ground_never_run_at_once() {
        let mut board = board(3, vec![ready(1, 1, &["src/"]), ready(2, 2, &["src/a.rs", "doc"])]);
        let result = hand_out(&board);
        assert_eq!(given(&result), [(1, "w1")]);
        assert_eq!(skipped(&result), [(2, Reason::OwnsOverlap, Some(1))]);
        let owns = vec![OwnedPath::parse("doc/").unwrap()];
        board.running = vec![RunningTask { id: 7, track: None, owns }];
        board.ready.remove(0);
        assert_eq!(skipped(&hand_out(&board)), [(2, Reason::OwnsOverlap, Some(7))]);
    }

    #[test]
    fn a_track_takes_as_many_workers_as_its_limit_says() {
        let mut board = board(3, vec![ready(1, 1, &[]), ready(2, 1, &[]), ready(3, 2, &[])]);
        board.policy.per_track = Some(1);
        let result = hand_out(&board);
        assert_eq!(given(&result), [(1, "w1"), (3, "w2")]);
        assert_eq!(skipped(&result), [(2, Reason::TrackBusy, Some(1))]);
        board.policy.per_track = None;
        assert_eq!(given(&hand_out(&board)).len(), 3);
    }

    #[test]
    fn work_in_progress_counts_what_runs_already() {
        let mut board = board(3, vec![ready(1, 1, &[]), ready(2, 2, &[])]);
        board.running = vec![RunningTask { id: 7, track: None, owns: Vec::new() }];
        board.policy.wip = 2;
        let result = hand_out(&board);
        assert_eq!(given(&result), [(1, "w1")]);
        assert_eq!(skipped(&result), [(2, Reason::WipLimit, None)]);
    }

    #[test]
    fn an_agent_with_a_person_attached_is_left_alone_unless_asked_for() {
        let mut board = board(2, vec![ready(1, 1, &[])]);
        board.idle[0].attached = true;
        let result = hand_out(&board);
        assert_eq!(given(&result), [(1, "w2")]);
        assert_eq!(
            result.skips,
            [Skip::Agent { agent: "w1".to_owned(), reason: Reason::Attached }]
        );
        board.policy.use_attached = true;
        assert_eq!(given(&hand_out(&board)), [(1, "w1")]);
    }

    fn tasks() -> impl Strategy<Value = Vec<ReadyTask>> {
        let paths = ["a", "a/b", "c/", "c/d", "e"];
        let owns = proptest::sample::subsequence(paths.to_vec(), 0..3);
        proptest::collection::vec((0_i64..4, owns, any::<bool>()), 0..12).prop_map(|drawn| {
            let task = |(id, (track, owns, landed)): (i64, (i64, Vec<&str>, bool))| ReadyTask {
                unlanded_blocker: (!landed).then_some(99),
                ..ready(id, track, &owns)
            };
            (0..).zip(drawn).map(task).collect()
        })
    }

    proptest! {
        #[test]
        fn every_task_is_handed_out_or_skipped_and_no_limit_is_passed(
            ready in tasks(), agents in 0_usize..6, wip in 0_usize..6, limit in proptest::option::of(1_usize..3),
        ) {
            let mut board = board(agents, ready);
            board.policy = Policy { wip, per_track: limit, use_attached: false };
            let result = hand_out(&board);
            prop_assert_eq!(result.assignments.len() + result.skips.len(), board.ready.len());
            prop_assert!(result.assignments.len() <= agents.min(wip));
            let chosen: Vec<&ReadyTask> = board.ready.iter()
                .filter(|task| result.assignments.iter().any(|it| it.task == task.id))
                .collect();
            for (index, one) in chosen.iter().enumerate() {
                prop_assert!(one.unlanded_blocker.is_none());
                prop_assert!(chosen.iter().skip(index + 1).all(|two| !any_overlap(&one.owns, &two.owns)));
                let same_track = chosen.iter().filter(|two| two.track == one.track).count();
                prop_assert!(limit.is_none_or(|limit| same_track <= limit));
            }
        }
    }
}
