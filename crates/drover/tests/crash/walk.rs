//! One verb, ended at its n-th step for every n, and repeated.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use drover_testkit::{CommandOutput, Recorded, TestEnv};

use super::world::World;

/// How many homes are walked in at once; most of a verb's time is spent waiting for other programs.
const THREADS: u64 = 4;
/// The exit code of a process that `SIGABRT` has ended.
const ABORTED: i32 = 128 + 6;
const KEY: &str = "walk";

/// A verb and where it is run.
pub(super) struct Walk {
    pub(super) verb: &'static str,
    /// Makes a home in which the verb has something to do.
    pub(super) make: fn() -> TestEnv,
    pub(super) words: &'static [&'static str],
    /// Whether a repeat may end by saying that it cannot know.
    pub(super) end: End,
}

/// How a repeat may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// As the verb that nothing disturbed, change for change in the log.
    SameLog,
    /// As the verb that nothing disturbed; what was taken back first stands in the log.
    Same,
    /// So, or with exit code 6 because the world cannot be asked.
    SameOrUncertain,
}

impl Walk {
    /// Walks to the end, and says how many steps the verb has.
    pub(super) fn run(&self) -> u64 {
        let undisturbed = (self.make)();
        self.call(&undisturbed, None).ok();
        self.check_repeat(&undisturbed, "undisturbed");
        let expected = (World::of(&undisturbed), log(&undisturbed));
        drop(undisturbed);
        let (next, last) = (AtomicU64::new(1), AtomicU64::new(u64::MAX));
        let uncertain = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    loop {
                        let step = next.fetch_add(1, Ordering::Relaxed);
                        if step >= last.load(Ordering::Relaxed) {
                            return;
                        }
                        match self.end_at(step, &expected) {
                            Reached::Step => {}
                            Reached::Uncertain => *uncertain.lock().unwrap() += 1,
                            Reached::TheEnd => {
                                last.fetch_min(step, Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
        });
        let steps = last.into_inner() - 1;
        let uncertain = uncertain.into_inner().unwrap();
        println!("{}: {steps} steps, {uncertain} with an uncertain end", self.verb);
        steps
    }

    fn call(&self, env: &TestEnv, step: Option<u64>) -> CommandOutput {
        let words: Vec<&str> = self.words.iter().copied().chain(["--json", "--key", KEY]).collect();
        let call = env.drover_call(&words);
        match step {
            Some(step) => call.variable("DROVER_CRASH_AT", step.to_string()).run(),
            None => call.run(),
        }
    }

    /// Ends the verb at a step, in a home of its own, and repeats it.
    fn end_at(&self, step: u64, (expected, log_of_one): &(World, Vec<String>)) -> Reached {
        let env = (self.make)();
        let at = format!("{} ended at step {step}", self.verb);
        let first = self.call(&env, Some(step));
        if first.exit != ABORTED {
            first.ok();
            return Reached::TheEnd;
        }
        check_sound(&env, &at);
        let again = self.call(&env, None);
        let is_uncertain = again.exit == 6 && self.end == End::SameOrUncertain;
        if is_uncertain {
            assert_eq!(again.json()["outcome"], "uncertain", "{at}: {again}");
        } else {
            assert_eq!(again.exit, 0, "{at}: {again}");
        }
        self.check_repeat(&env, &at);
        let found = World::of(&env);
        assert_alike(&found.things, &expected.things, &at);
        let submits = submits(&env);
        if is_uncertain {
            assert!(submits <= 1, "{at}: it arrived {submits} times");
            return Reached::Uncertain;
        }
        assert_alike(&found.rows, &expected.rows, &at);
        if self.end == End::SameLog {
            assert_alike(&log(&env), log_of_one, &at);
        }
        assert!(
            self.end != End::SameOrUncertain || submits == 1,
            "{at}: it arrived {submits} times"
        );
        Reached::Step
    }

    /// The key is answered now: once more does nothing.
    fn check_repeat(&self, env: &TestEnv, at: &str) {
        let before = log(env);
        let third = self.call(env, None);
        assert_eq!(third.json()["deduplicated"], true, "{at}: {third}");
        assert_eq!(log(env), before, "{at}");
    }
}

/// Where an attempt got to.
enum Reached {
    Step,
    Uncertain,
    TheEnd,
}

/// The database is whole, and nothing is broken.
fn check_sound(env: &TestEnv, at: &str) {
    let output = env.drover(&["doctor", "--json"]);
    let checks = output.json()["data"]["checks"]["items"].as_array().unwrap().clone();
    let failed: Vec<_> = checks.iter().filter(|it| it["severity"] == "fail").collect();
    assert!(output.exit == 0 && failed.is_empty(), "{at}: {failed:?}");
}

fn assert_alike(found: &[String], expected: &[String], at: &str) {
    let more: Vec<_> = found.iter().filter(|it| !expected.contains(it)).collect();
    let fewer: Vec<_> = expected.iter().filter(|it| !found.contains(it)).collect();
    assert!(found == expected, "{at}: there is also {more:#?}, and not {fewer:#?}");
}

/// The log, without what differs from run to run.
fn log(env: &TestEnv) -> Vec<String> {
    let conn = rusqlite::Connection::open(env.database()).unwrap();
    let sql = "SELECT actor||' '||intent||' '||entity||' '||op FROM ops ORDER BY seq";
    let mut statement = conn.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// How often the scripted agent was told something.
fn submits(env: &TestEnv) -> usize {
    let recorded = Recorded::read(env.root().join("w1.record"));
    assert!(recorded.of("paste").len() <= 1, "{:?}", recorded.kinds());
    recorded.of("submit").len()
}
