//! The cold start: `task next` in a new process, over an empty process and over one opening.

use std::process::{Command, ExitCode};

use drover_testkit::TestEnv;

use crate::measure::{Row, interleaved, millis};
use crate::node;
use crate::place::{fill, place, time};

const ROUNDS: usize = 60;

/// The floor: open the database as every verb must, read one row, end.
pub(crate) fn floor(database: &str) -> ExitCode {
    let opened = rusqlite::Connection::open(database).and_then(|conn| {
        conn.execute_batch("PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL;")?;
        conn.query_row("SELECT count(*) FROM identity", [], |row| row.get::<_, i64>(0))
    });
    if opened.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The rows of the cold start.
pub(crate) fn rows(tasks: usize) -> Vec<Row> {
    let env = place();
    fill(&env, tasks);
    // Held open by another process, as it is on a busy machine: the last one to close has more to do.
    let _tail = env.drover_in_background(&["log", "--tail", "-p", "bench"]);
    let [empty, floor, next] = measured(&env);
    let above = next.saturating_sub(empty);
    let mut rows = vec![
        Row::figure("an empty process", millis(empty)),
        Row::figure("an empty process and one opening", millis(floor)),
        Row::figure(format!("task next on {tasks} tasks, above empty"), millis(above)),
        Row::ratio(format!("task next on {tasks} tasks, to the floor"), next, floor, 3.0),
    ];
    rows.extend(node::row(&env, &mut || time(&mut task_next(&env))));
    rows
}

fn task_next(env: &TestEnv) -> Command {
    let mut command = env.command(env.binary());
    command.args(["task", "next", "-p", "bench", "--json"]);
    command
}

fn measured(env: &TestEnv) -> [std::time::Duration; 3] {
    let own = std::env::current_exe().expect("the path of this program");
    let command = |program: &std::path::Path, words: &[&str]| -> Command {
        let mut command = env.command(program);
        command.args(words);
        command
    };
    let database = env.database();
    let database = database.to_str().expect("a plain path");
    interleaved(
        ROUNDS,
        [
            &mut || time(&mut command(&own, &["--empty"])),
            &mut || time(&mut command(&own, &["--floor", database])),
            &mut || time(&mut task_next(env)),
        ],
    )
}
