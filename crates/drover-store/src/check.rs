//! Whether the database is whole: what `doctor` asks.

use crate::error::Result;
use crate::tx::ReadTx;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Which check found it, as `integrity`.
    pub check: &'static str,
    /// What it found.
    pub detail: String,
}

/// Every defect that SQLite's own checks, the kept counts and the log show; empty is whole.
pub fn defects(tx: &ReadTx<'_>) -> Result<Vec<Defect>> {
    let mut found = Vec::new();
    for (check, sql) in CHECKS {
        let mut statement = tx.conn().prepare(sql)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        for detail in rows {
            found.push(Defect { check, detail: detail? });
        }
    }
    Ok(found)
}

/// Each check returns one line a defect.
const CHECKS: &[(&str, &str)] = &[
    ("integrity", "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check<>'ok'"),
    ("references", "SELECT 'a row of '||\"table\"||' refers to a missing row of '||parent FROM pragma_foreign_key_check"),
    ("writer", "SELECT 'a writer is left: '||actor||' '||intent FROM writer"),
    (
        "counts",
        "SELECT 'task '||d.handle||' counts '||d.open_blockers||' open blockers and has '||count(b.pk)
         FROM task_derived d LEFT JOIN edges e ON e.blocked_pk=d.task_pk
         LEFT JOIN tasks b ON b.pk=e.blocker_pk AND NOT(b.status='CLOSED' AND b.substate='done')
         GROUP BY d.task_pk HAVING d.open_blockers<>count(b.pk)",
    ),
    (
        "derived",
        "SELECT 'task '||t.name||' has derived values that do not follow from it' FROM tasks t
         LEFT JOIN task_derived d ON d.task_pk=t.pk
         WHERE d.task_pk IS NULL OR d.handle<>t.name OR d.roi<>t.impact/t.effort_days
           OR d.startable<>(t.status='OPEN' AND t.substate='todo') OR d.closed<>(t.status='CLOSED')",
    ),
    (
        "states",
        "SELECT 'the project '||p.name||' counts '||coalesce(c.count,0)||' tasks as '||status||'/'||substate||' and has '
           ||coalesce(n.count,0)
         FROM (SELECT project_pk, status, substate, count(*) AS count FROM tasks GROUP BY 1, 2, 3) n
         FULL JOIN task_counts c USING(project_pk, status, substate) JOIN projects p ON p.pk=project_pk
         WHERE coalesce(n.count,0)<>coalesce(c.count,0)",
    ),
    (
        "order",
        "SELECT 'task '||a.handle||' blocks '||b.handle||' and does not stand before it' FROM edges e
         JOIN task_derived a ON a.task_pk=e.blocker_pk JOIN task_derived b ON b.task_pk=e.blocked_pk
         WHERE a.topo>=b.topo AND NOT EXISTS(SELECT 1 FROM edges_unordered u WHERE u.edge_pk=e.pk)",
    ),
    (
        "log",
        "SELECT 'task '||t.name||' is not in the log as it stands' FROM tasks t WHERE NOT EXISTS(
           SELECT 1 FROM ops o WHERE o.entity='task' AND o.uid=t.uid)
         OR t.status<>(SELECT o.new->>'status' FROM ops o WHERE o.entity='task' AND o.uid=t.uid AND o.op='put'
           AND o.new->>'status' IS NOT NULL ORDER BY o.seq DESC LIMIT 1)",
    ),
];

/// How large the log and its tables are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Bytes of the database's pages.
    pub bytes: i64,
    /// Ops in the log.
    pub ops: i64,
    /// Bytes of schema text, which every opening pays for.
    pub schema_bytes: i64,
}

/// How large the log and its tables are.
pub fn sizes(tx: &ReadTx<'_>) -> Result<Sizes> {
    let sql = "SELECT (SELECT page_count FROM pragma_page_count)*(SELECT page_size FROM pragma_page_size),
        (SELECT count(*) FROM ops), (SELECT coalesce(sum(length(sql)),0) FROM sqlite_schema)";
    Ok(tx.conn().query_row(sql, [], |row| {
        Ok(Sizes { bytes: row.get(0)?, ops: row.get(1)?, schema_bytes: row.get(2)? })
    })?)
}

/// How SQLite handles the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handling {
    /// `wal`.
    pub journal: String,
    /// Whether references are held.
    pub holds_references: bool,
}

/// How SQLite handles the file.
pub fn handling(tx: &ReadTx<'_>) -> Result<Handling> {
    let sql = "SELECT (SELECT journal_mode FROM pragma_journal_mode), (SELECT foreign_keys FROM pragma_foreign_keys)";
    Ok(tx.conn().query_row(sql, [], |row| {
        Ok(Handling { journal: row.get(0)?, holds_references: row.get(1)? })
    })?)
}

/// What goes on in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// The project.
    pub name: String,
    /// Its tasks.
    pub tasks: i64,
    /// Those that are not closed.
    pub open: i64,
    /// Its agents that are not closed, and its workspaces.
    pub holds: i64,
    /// When a task of it changed last, or else it was made; RFC 3339.
    pub at: String,
}

/// What goes on in each project that is not archived, the one that rested longest first.
pub fn activity(tx: &ReadTx<'_>) -> Result<Vec<Activity>> {
    let mut statement = tx.conn().prepare(
        "SELECT p.name, (SELECT count(*) FROM tasks t WHERE t.project_pk=p.pk),
           (SELECT count(*) FROM tasks t WHERE t.project_pk=p.pk AND t.status<>'CLOSED'),
           (SELECT count(*) FROM agents a WHERE a.project_pk=p.pk AND a.lifecycle<>'closed')
             + (SELECT count(*) FROM workspaces w WHERE w.project_pk=p.pk),
           coalesce((SELECT max(d.updated_at) FROM task_derived d WHERE d.project_pk=p.pk), p.created_at) AS at
         FROM projects p WHERE p.state<>'archived' ORDER BY at, p.name",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Activity {
            name: row.get(0)?,
            tasks: row.get(1)?,
            open: row.get(2)?,
            holds: row.get(3)?,
            at: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
