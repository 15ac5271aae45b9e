//! Verbs on graphs of any size: what does not depend on the size, and what walks the whole graph.

use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use drover_testkit::TestEnv;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::graph;
use crate::mcp::Served;
use crate::measure::{Row, interleaved, mebibytes, millis};
use crate::place::place;

const ROUNDS: usize = 40;
/// What a verb may hold in memory at most.
const MOST_MEMORY: usize = 100 << 20;

/// The rows of verbs whose cost must not grow with the graph: on `large` tasks, to a thousand.
pub(crate) fn rows(large: i64) -> Vec<Row> {
    let (small_env, large_env) = (place(), place());
    graph::fill(&small_env.database(), 1000);
    let begun = Instant::now();
    let edges = graph::fill(&large_env.database(), large);
    let built = begun.elapsed();
    let mut small = Calls::new(&small_env);
    let mut big = Calls::new(&large_env);
    let name = |verb: &str| format!("{verb} on {large} tasks, to 1000");
    let mut rows =
        vec![Row::figure(format!("a graph of {large} tasks, {edges} edges, made"), millis(built))];
    for (verb, call) in [
        ("task next", Calls::next as fn(&mut Calls) -> Duration),
        ("task next --claim", Calls::claim),
        ("task close", Calls::close),
        ("task block, against the order", Calls::block),
        ("task show", Calls::show),
        ("task list", Calls::list),
        ("log", Calls::log),
    ] {
        let [one, other] = interleaved(ROUNDS, [&mut || call(&mut small), &mut || call(&mut big)]);
        rows.push(Row::ratio(name(verb), other, one, 2.0));
    }
    rows
}

/// Calls of one server, each with something left to do.
struct Calls {
    served: Served,
    claimed: Vec<String>,
    asked: i64,
    tasks: i64,
}

impl Calls {
    fn new(env: &TestEnv) -> Self {
        let conn = Connection::open(env.database()).expect("the database");
        let tasks =
            conn.query_row("SELECT count(*) FROM tasks", [], |row| row.get(0)).expect("a count");
        Self { served: Served::new(env), claimed: Vec::new(), asked: 0, tasks }
    }

    fn next(&mut self) -> Duration {
        self.served.call("task_next", &json!({})).0
    }

    fn claim(&mut self) -> Duration {
        let (took, answer) = self.served.call("task_next", &json!({ "claim": true }));
        let id = answer.pointer("/data/task/id").and_then(Value::as_str).expect("a task");
        self.claimed.push(id.to_owned());
        took
    }

    fn close(&mut self) -> Duration {
        let id = self.claimed.pop().expect("a claimed task");
        self.served.call("task_close", &json!({ "id": id, "evidence": "seen" })).0
    }

    /// A blocker that stands behind the task it blocks; where that closes a cycle, the refusal.
    fn block(&mut self) -> Duration {
        self.asked += 300;
        let id = self.tasks / 5 + self.asked % (self.tasks / 2);
        let by = format!("t{}", id + 200);
        self.served.ask_for("task_block", &json!({ "id": format!("t{id}"), "by": [by] })).0
    }

    fn show(&mut self) -> Duration {
        let id = format!("t{}", self.tasks / 2);
        self.served.call("task_show", &json!({ "id": id })).0
    }

    fn list(&mut self) -> Duration {
        self.served.call("task_list", &json!({})).0
    }

    fn log(&mut self) -> Duration {
        self.served.call("log", &json!({})).0
    }
}

/// The rows of verbs that walk the whole graph of so many tasks, to one plain read of it.
pub(crate) fn walks(tasks: i64) -> Vec<Row> {
    let env = place();
    let edges = graph::fill(&env.database(), tasks);
    let mut rows = Vec::new();
    let last = format!("t{}", tasks - 1);
    for (verb, words, limit) in [
        ("state", vec!["state"], 3.5),
        ("task why", vec!["task", "why", &last], 1.0),
        ("task plan", vec!["task", "plan", "--workers", "8"], 6.5),
    ] {
        let mut most = 0;
        let [read, walk] = interleaved(
            7,
            [&mut || plain_read(&env), &mut || {
                let (took, peak) = run(&env, &words);
                most = most.max(peak);
                took
            }],
        );
        let what = format!("{verb} on {tasks} tasks, {edges} edges, to a plain read");
        rows.push(Row::ratio(what, walk, read, limit));
        rows.push(Row::share(
            format!("{verb}: memory, of 100 MiB"),
            mebibytes(most),
            most,
            MOST_MEMORY,
        ));
    }
    rows
}

/// The whole graph by two statements, into vectors.
fn plain_read(env: &TestEnv) -> Duration {
    let begun = Instant::now();
    let conn = Connection::open(env.database()).expect("the database");
    let tasks: Vec<(i64, String, String, f64)> = conn
        .prepare(
            "SELECT t.pk, d.handle, t.title, d.roi FROM tasks t JOIN task_derived d ON d.task_pk=t.pk WHERE t.status<>'CLOSED'",
        )
        .and_then(|mut it| {
            it.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?.collect()
        })
        .expect("the tasks");
    let edges: Vec<(i64, i64)> = conn
        .prepare("SELECT blocker_pk, blocked_pk FROM edges")
        .and_then(|mut it| it.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .expect("the edges");
    assert!(tasks.len() < edges.len());
    begun.elapsed()
}

/// How long a call takes, and the most memory that it held.
fn run(env: &TestEnv, words: &[&str]) -> (Duration, usize) {
    let mut command = env.command(env.binary());
    command.args(words).args(["-p", "bench", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("its output");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).map(|_| text.len())
    });
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        if let Some(ended) = child.try_wait().expect("its end") {
            break ended;
        }
        peak = peak.max(memory(&status));
        std::thread::sleep(Duration::from_micros(300));
    };
    let took = begun.elapsed();
    assert!(ended.success(), "{words:?}");
    assert!(reader.join().expect("a reader").expect("its output") > 0);
    (took, peak)
}

/// The most memory that a living process held so far.
fn memory(status: &str) -> usize {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or_default();
    let kibibytes = line.trim().trim_end_matches("kB").trim().parse::<usize>().unwrap_or(0);
    kibibytes << 10
}
