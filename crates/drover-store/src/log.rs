//! The text of the log triggers, made from each table's columns, and the reading of the log.

use std::fmt::Write as _;

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::Result;
use crate::schema::{LOGGED, Logged, referred};
use crate::tx::ReadTx;

/// The columns of a table that its log entries carry: all but `pk` and `uid`.
pub(crate) fn logged_columns(conn: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement =
        conn.prepare("SELECT name FROM pragma_table_info(?1) WHERE name NOT IN('pk','uid')")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// Drops and makes anew the three log triggers of every logged table.
///
/// Called at the end of each migration run. The triggers only hand whole rows to `log_entry`; the
/// guard, the clock and the difference exist once, in `log_write`.
pub(crate) fn regenerate_triggers(conn: &Connection) -> Result<()> {
    for table in LOGGED {
        let columns = logged_columns(conn, table.table)?;
        conn.execute_batch(&triggers(table, &columns))?;
    }
    Ok(())
}

fn triggers(logged: &Logged, columns: &[String]) -> String {
    let Logged { entity, table, scope, on_delete } = logged;
    let scope = scope.as_str();
    let (old, new, list) =
        (row_object("old", columns), row_object("new", columns), columns.join(","));
    let mut text = String::new();
    for event in ["i", "u", "d"] {
        let _ = writeln!(text, "DROP TRIGGER IF EXISTS {entity}_{event};");
    }
    let _ = writeln!(
        text,
        "CREATE TRIGGER {entity}_i AFTER INSERT ON {table} BEGIN \
         INSERT INTO log_entry VALUES('{entity}',new.uid,'put',NULL,{new},'{scope}'); END;\n\
         CREATE TRIGGER {entity}_u AFTER UPDATE OF {list} ON {table} BEGIN \
         INSERT INTO log_entry VALUES('{entity}',new.uid,'put',{old},{new},'{scope}'); END;\n\
         CREATE TRIGGER {entity}_d BEFORE DELETE ON {table} BEGIN {on_delete} \
         INSERT INTO log_entry VALUES('{entity}',old.uid,'del',{old},NULL,'{scope}'); END;"
    );
    text
}

fn row_object(side: &str, columns: &[String]) -> String {
    let fields = columns.iter().map(|column| match column.strip_suffix("_pk") {
        Some(word) => {
            format!("'{word}',(SELECT uid FROM {} WHERE pk={side}.{column})", referred(word))
        }
        None => format!("'{column}',{side}.{column}"),
    });
    format!("json_object({})", fields.collect::<Vec<_>>().join(","))
}

/// One logged row change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Op {
    /// Position in this machine's log; a cursor, never an identity.
    pub seq: i64,
    /// The change group it belongs to: what one action did.
    pub group: String,
    /// Who acted.
    pub actor: String,
    /// Which verb acted, as `task.claim`.
    pub intent: String,
    /// What kind of row changed.
    pub entity: String,
    /// Which row changed.
    pub uid: String,
    /// `put` or `del`.
    pub op: String,
    /// The changed columns before, as a JSON object; `None` for a new row.
    pub old: Option<String>,
    /// The changed columns after, as a JSON object; `None` for a deleted row.
    pub new: Option<String>,
    /// `portable` or `local`.
    pub scope: String,
    /// When, RFC 3339.
    pub at: String,
}

/// Which ops to read. Every given field narrows the answer.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only ops after this position.
    pub after: Option<i64>,
    /// Only ops of groups whose id begins so.
    pub group: Option<String>,
    /// Only ops by this actor.
    pub actor: Option<String>,
    /// Only ops with this intent.
    pub intent: Option<String>,
    /// Only ops on this kind of row.
    pub entity: Option<String>,
    /// Only ops on this row.
    pub uid: Option<String>,
    /// Only ops at or after this time, RFC 3339.
    pub since: Option<String>,
    /// At most so many: the first after `after`, else the last.
    pub limit: Option<u32>,
}

const COLUMNS: &str = "seq, grp, actor, intent, entity, uid, op, old, new, scope, at";

fn op_of(row: &Row<'_>) -> rusqlite::Result<Op> {
    Ok(Op {
        seq: row.get(0)?,
        group: row.get(1)?,
        actor: row.get(2)?,
        intent: row.get(3)?,
        entity: row.get(4)?,
        uid: row.get(5)?,
        op: row.get(6)?,
        old: row.get(7)?,
        new: row.get(8)?,
        scope: row.get(9)?,
        at: row.get(10)?,
    })
}

/// The ops that a filter lets through, oldest first.
pub fn read(tx: &ReadTx<'_>, filter: &Filter) -> Result<Vec<Op>> {
    let order = if filter.after.is_some() { "ASC" } else { "DESC" };
    let mut statement = tx.conn().prepare_cached(&format!(
        "SELECT {COLUMNS} FROM ops WHERE seq > coalesce(?1, 0) AND (?2 IS NULL OR substr(grp,1,length(?2))=?2)
         AND (?3 IS NULL OR actor=?3) AND (?4 IS NULL OR intent=?4) AND (?5 IS NULL OR entity=?5)
         AND (?6 IS NULL OR uid=?6) AND (?7 IS NULL OR at>=?7) ORDER BY seq {order} LIMIT ?8"
    ))?;
    let limit = filter.limit.map_or(-1, i64::from);
    let rows = statement.query_map(
        params![
            filter.after,
            filter.group,
            filter.actor,
            filter.intent,
            filter.entity,
            filter.uid,
            filter.since,
            limit
        ],
        op_of,
    )?;
    let mut ops = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    if filter.after.is_none() {
        ops.reverse();
    }
    Ok(ops)
}

/// The op that gave a task to its last holder.
pub fn last_claim(tx: &ReadTx<'_>, task_uid: &str) -> Result<Option<Op>> {
    let mut statement = tx.conn().prepare_cached(&format!(
        "SELECT {COLUMNS} FROM ops WHERE entity='task' AND uid=?1 AND new->>'claimed_by' IS NOT NULL
         AND old->>'claimed_by' IS NULL
         ORDER BY seq DESC LIMIT 1"
    ))?;
    Ok(statement.query_row([task_uid], op_of).optional()?)
}

/// The ops of exactly one group, in the order they happened.
pub fn of_group(tx: &ReadTx<'_>, group: &str) -> Result<Vec<Op>> {
    let mut statement = tx
        .conn()
        .prepare_cached(&format!("SELECT {COLUMNS} FROM ops WHERE grp=?1 ORDER BY seq"))?;
    let rows = statement.query_map([group], op_of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The groups whose id begins with `prefix`, at most two, newest first.
pub fn groups_named(tx: &ReadTx<'_>, prefix: &str) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT grp FROM ops WHERE substr(grp,1,length(?1))=?1 GROUP BY grp ORDER BY max(seq) DESC LIMIT 2",
    )?;
    let rows = statement.query_map([prefix], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The position of the newest op, 0 when there is none.
pub fn last_seq(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.conn().query_row("SELECT coalesce(max(seq),0) FROM ops", [], |row| row.get(0))?)
}
