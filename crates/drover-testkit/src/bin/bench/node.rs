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
pub(crate) fn row(env: &TestEnv, next: Duration) -> Option<Row> {
    let Some(modules) =
        std::env::var_os("DROVER_BENCH_NODE").map(PathBuf::from).filter(|it| it.is_dir())
    else {
        println!("skipped: no Node with better-sqlite3 and commander here");
        return None;
    };
    let script = modules.join("next.cjs");
    std::fs::write(&script, PROGRAM).expect("a script");
    let database = env.database();
    let [node] = interleaved(
        15,
        [&mut || {
            let mut command = env.command("node");
            command.arg(&script).arg("next").arg(&database);
            time(&mut command)
        }],
    );
    // At least ten times faster: at most a tenth of its time.
    Some(Row::ratio("task next, to the same on Node", next, node, 0.1))
}
