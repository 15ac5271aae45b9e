//! A project of any size, written into the database at once and not verb by verb.
//!
//! Triggers and indexes are set aside meanwhile and made again from their own text, so that a
//! million tasks take a minute and are the same rows that the verbs would have made.

use std::path::Path;

use rusqlite::{Connection, Transaction, params};

/// How far behind its blocker a task stands at most.
const REACH: i64 = 5000;
const AT: &str = "2026-01-02T03:04:05.678Z";

/// The tasks and edges of a graph, by number.
struct Graph {
    tasks: i64,
    edges: Vec<(i64, i64)>,
}

impl Graph {
    /// Every tenth task has no blocker, and each blocks three that stand behind it.
    fn new(tasks: i64) -> Self {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            i64::try_from(seed >> 1).unwrap_or(0)
        };
        let mut edges = Vec::new();
        for blocker in 0..tasks {
            let mut own: Vec<i64> = (0..3)
                .map(|_| blocker + 1 + random() % REACH)
                .map(|it| if it % 10 == 0 { it + 1 } else { it })
                .filter(|it| *it < tasks)
                .collect();
            own.sort_unstable();
            own.dedup();
            edges.extend(own.into_iter().map(|blocked| (blocker, blocked)));
        }
        Self { tasks, edges }
    }

    /// The first tenth is done, and a hundred tasks are at work.
    fn state(&self, task: i64) -> (&'static str, &'static str) {
        let done = self.tasks / 10;
        match task {
            it if it < done => ("CLOSED", "done"),
            it if it < done + 100 => ("IN_PROGRESS", "active"),
            it if it % 97 == 0 => ("OPEN", "parked"),
            _ => ("OPEN", "todo"),
        }
    }

    /// How many blockers of each task are not done.
    fn open_blockers(&self) -> Vec<i64> {
        let mut counts = vec![0; usize::try_from(self.tasks).expect("a count")];
        for (blocker, blocked) in &self.edges {
            let slot = usize::try_from(*blocked).ok().and_then(|it| counts.get_mut(it));
            if let Some(slot) = slot.filter(|_| self.state(*blocker).1 != "done") {
                *slot += 1;
            }
        }
        counts
    }
}

/// Fills the project `bench` of a database, which is empty; returns how many edges there are.
pub(crate) fn fill(database: &Path, tasks: i64) -> usize {
    let graph = Graph::new(tasks);
    let mut conn = Connection::open(database).expect("the database");
    conn.execute_batch(
        "PRAGMA foreign_keys=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-400000;",
    )
    .expect("settings");
    let tx = conn.transaction().expect("a transaction");
    let aside = set_aside(&tx);
    rows(&tx, &graph).expect("the rows");
    for sql in aside {
        tx.execute_batch(&sql).expect("what was set aside");
    }
    tx.commit().expect("the commit");
    conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("a checkpoint");
    graph.edges.len()
}

/// Drops the triggers and the indexes that can be dropped, and returns their text.
fn set_aside(tx: &Transaction<'_>) -> Vec<String> {
    let mut statement = tx
        .prepare(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND (type='trigger'
               OR (type='index' AND tbl_name IN('tasks','task_derived','edges','notes','ops'))) ORDER BY type, rowid",
        )
        .expect("the schema");
    let found: Vec<(String, String, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .and_then(Iterator::collect)
        .expect("the schema");
    for (kind, name, _) in &found {
        tx.execute_batch(&format!("DROP {kind} {name}")).expect("a drop");
    }
    found.into_iter().map(|it| it.2).collect()
}

fn uid(kind: u32, number: i64) -> String {
    format!("01900000-{kind:04x}-7000-8000-{number:012x}")
}

fn rows(tx: &Transaction<'_>, graph: &Graph) -> rusqlite::Result<()> {
    let (project, project_uid): (i64, String) =
        tx.query_row("SELECT pk, uid FROM projects WHERE name='bench'", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let machine: String =
        tx.query_row("SELECT machine_uid||'.'||incarnation FROM identity", [], |row| row.get(0))?;
    let mut hlc: i64 = tx.query_row("SELECT hlc FROM clock", [], |row| row.get(0))?;
    let mut task = tx.prepare(
        "INSERT INTO tasks(pk,uid,created_at,project_pk,name,name_hlc,title,status,substate,impact,effort_days,owns,labels,
           claimed_by,attempt) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,'[]','[]',?12,0)",
    )?;
    let mut derived = tx.prepare(
        "INSERT INTO task_derived(task_pk,project_pk,handle,open_blockers,startable,closed,roi,effort_days,updated_at,topo)
         VALUES(?1,?2,?3,?4,?5='todo',?5='done',?6*1.0/?7,?7,?8,?1*1048576)",
    )?;
    let mut op = tx.prepare(
        "INSERT INTO ops(hlc,machine,grp,actor,intent,entity,uid,op,old,new,scope,at)
         VALUES(?1,?2,?3,'user:ann','task.import','task',?4,'put',NULL,
           json_object('created_at',?5,'project',?6,'name',?7,'title',?8,'status',?9,'substate',?10,'impact',?11),'portable',?5)",
    )?;
    for (number, open_blockers) in (0..).zip(graph.open_blockers()) {
        hlc += 1;
        let pk = number + 1;
        let (status, substate) = graph.state(number);
        let (id, title) = (format!("t{number}"), format!("Task number {number} of the graph"));
        let impact = 1 + number % 100;
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let effort = 0.5 + (number % 7) as f64;
        let holder = (status == "IN_PROGRESS").then_some("user:ann@bench");
        let row = uid(1, number);
        task.execute(params![
            pk, row, AT, project, id, hlc, title, status, substate, impact, effort, holder
        ])?;
        let values = params![pk, project, id, open_blockers, substate, impact, effort, AT];
        derived.execute(values)?;
        let group = uid(2, number / 100);
        op.execute(params![
            hlc,
            machine,
            group,
            row,
            AT,
            project_uid,
            id,
            title,
            status,
            substate,
            impact
        ])?;
    }
    tx.execute("UPDATE clock SET hlc=?1", [hlc])?;
    tx.execute_batch(
        "INSERT INTO task_counts SELECT project_pk, status, substate, count(*) FROM tasks GROUP BY 1, 2, 3",
    )?;
    between(tx, graph)
}

/// The edges, and a note on every tenth task.
fn between(tx: &Transaction<'_>, graph: &Graph) -> rusqlite::Result<()> {
    let mut edge =
        tx.prepare("INSERT INTO edges(uid,created_at,blocker_pk,blocked_pk) VALUES(?1,?2,?3,?4)")?;
    for (blocker, blocked) in &graph.edges {
        let both = format!("{}>{}", uid(1, *blocker), uid(1, *blocked));
        edge.execute(params![both, AT, blocker + 1, blocked + 1])?;
    }
    let mut note = tx.prepare(
        "INSERT INTO notes(uid,created_at,task_pk,author,text) VALUES(?1,?2,?3,'user:ann',?4)",
    )?;
    for number in (0..graph.tasks).step_by(10) {
        note.execute(params![
            uid(3, number),
            AT,
            number + 1,
            format!("What was decided on {number}.")
        ])?;
    }
    Ok(())
}
