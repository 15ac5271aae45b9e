//! Graphs written straight into the database, because one call a task would take minutes.

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::tasks::NewTask;
use drover_store::{Durability, Opening, Store, WriteTx, Writer, edges, projects, tasks};
use drover_testkit::TestEnv;

/// A task to be written; it is `t<its position>`.
#[derive(Debug, Clone)]
pub(crate) struct Sketch {
    pub(crate) state: State,
    pub(crate) effort_days: f64,
    pub(crate) owns: Vec<&'static str>,
    /// Positions of blockers, each lower than its own.
    pub(crate) blockers: Vec<usize>,
}

impl Sketch {
    /// A task to be done that waits for these.
    pub(crate) fn todo(blockers: &[usize]) -> Self {
        Self { state: State::Todo, effort_days: 1.0, owns: Vec::new(), blockers: blockers.to_vec() }
    }
}

/// The id of the task at a position.
pub(crate) fn id(position: usize) -> String {
    format!("t{position}")
}

/// Numbers that look random and are the same in every run.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }
}

/// Makes a project that holds these tasks.
pub(crate) fn fill(env: &TestEnv, project: &str, sketches: &[Sketch]) {
    env.drover(&["project", "init", project]).ok();
    write(env, |tx| {
        let project = projects::find(tx, project).unwrap().unwrap();
        let mut keys = Vec::new();
        for (position, sketch) in sketches.iter().enumerate() {
            let id = id(position);
            let title = Text::new(&format!("Task {position}"));
            let owns = format!("{:?}", sketch.owns);
            let new = NewTask {
                id: &id,
                title: &title,
                state: sketch.state,
                impact: 50,
                effort_days: sketch.effort_days,
                owns: &owns,
                labels: "[]",
                verify: None,
                source: None,
            };
            let key = tasks::insert(tx, project.pk, &new).unwrap();
            for blocker in &sketch.blockers {
                edges::insert(tx, keys[*blocker], key).unwrap();
            }
            keys.push(key);
        }
    });
}

/// One write transaction of the test's own.
pub(crate) fn write<T>(env: &TestEnv, change: impl FnOnce(&WriteTx<'_>) -> T) -> T {
    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    let mut store = Store::open(&Opening {
        directory: &env.state(),
        machine_name: "here",
        at,
        durability: Durability::Process,
        later: &[],
    })
    .unwrap();
    let (actor, intent, group) = ("user:tester", "task.import", "g-fill");
    let writer =
        Writer { actor: actor.to_owned(), intent: intent.to_owned(), group: group.to_owned(), at };
    assert!(store.begin(&writer).unwrap());
    let changed = change(&store.write().unwrap());
    store.commit().unwrap();
    changed
}
