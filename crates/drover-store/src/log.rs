//! The text of the log triggers, made from each table's columns, and the reading of the log.

use std::fmt::Write as _;

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::Result;
use crate::rows::{SAID_BEFORE, row_before};
use crate::schema::{LOGGED, Logged, referred};
use crate::tx::{ReadTx, WriteTx};

/// The columns of a table that its log entries carry: all but `pk` and `uid`.
pub(crate) fn logged_columns(conn: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement =
        conn.prepare("SELECT name FROM pragma_table_info(?1) WHERE name NOT IN('pk','uid')")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// Drops and makes anew the three log triggers of every logged table, and the list of its columns.
///
/// Called at the end of each migration run. The triggers only hand the values of whole rows to
/// `log_entry`; the guard, the clock, the names of columns and the difference exist once, in
/// `log_write`, since every opening pays for the text of every trigger.
pub(crate) fn regenerate_triggers(conn: &Connection) -> Result<()> {
    conn.execute_batch("DELETE FROM log_columns")?;
    let mut insert =
        conn.prepare("INSERT INTO log_columns(entity,at,name,refers) VALUES(?1,?2,?3,?4)")?;
    for table in LOGGED {
        let columns = logged_columns(conn, table.table)?;
        for (at, column) in (0_i64..).zip(&columns) {
            let word = column.strip_suffix("_pk");
            let refers = word.map(referred);
            insert.execute(params![table.entity, at, word.unwrap_or(column), refers])?;
        }
        conn.execute_batch(&triggers(table, &columns))?;
    }
    Ok(())
}

fn triggers(logged: &Logged, columns: &[String]) -> String {
    let Logged { entity, table, scope, on_delete } = logged;
    let scope = scope.as_str();
    let row = columns.join(",");
    let old = columns.iter().map(|it| format!("old.{it}")).collect::<Vec<_>>().join(",");
    let mut text = String::new();
    for event in ["i", "u", "d"] {
        let _ = writeln!(text, "DROP TRIGGER IF EXISTS {entity}_{event};");
    }
    let _ = writeln!(
        text,
        "CREATE TRIGGER {entity}_i AFTER INSERT ON {table} BEGIN INSERT INTO log_entry \
         SELECT '{entity}',uid,NULL,json_array({row}),'{scope}' FROM {table} WHERE pk=new.pk; END;\n\
         CREATE TRIGGER {entity}_u AFTER UPDATE ON {table} BEGIN INSERT INTO log_entry \
         SELECT '{entity}',uid,json_array({old}),json_array({row}),'{scope}' FROM {table} WHERE pk=new.pk; END;\n\
         CREATE TRIGGER {entity}_d BEFORE DELETE ON {table} BEGIN {on_delete} INSERT INTO log_entry \
         SELECT '{entity}',uid,json_array({row}),NULL,'{scope}' FROM {table} WHERE pk=old.pk; END;"
    );
    text
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
    /// The uid of the project that the row belongs, or belonged, to.
    pub project: Option<String>,
}

/// Which ops to read. Every given field narrows the answer.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only ops after this position.
    pub after: Option<i64>,
    /// Only ops of groups whose id begins so.
    pub group: Option<String>,
    /// Only ops by one of these agents or people, if there are any; `ann` finds `user:ann` too.
    pub actors: Vec<String>,
    /// Only ops with one of these intents; `task` stands for `task.claim` and all of that noun.
    pub intents: Vec<String>,
    /// Only ops on one of these kinds of row, or operators' lines of one of these kinds.
    pub entities: Vec<String>,
    /// Only ops on rows of the project with this uid.
    pub project: Option<String>,
    /// Only ops on this row.
    pub uid: Option<String>,
    /// Only ops at or after this time, RFC 3339.
    pub since: Option<String>,
    /// At most so many: the first after `after`, else the last.
    pub limit: Option<u32>,
}

/// The project of an op, told by the log alone: a row's first op carries all its columns, and a
/// row that is gone still has it.
macro_rules! project_of_op {
    () => {
        "CASE o.entity WHEN 'project' THEN o.uid
           WHEN 'edge' THEN (SELECT t.new->>'project' FROM ops t WHERE t.entity='task'
             AND t.uid=substr(o.uid,1,instr(o.uid,'>')-1) ORDER BY t.seq LIMIT 1)
           WHEN 'note' THEN (SELECT t.new->>'project' FROM ops t WHERE t.entity='task' AND t.uid=(
             SELECT b.new->>'task' FROM ops b WHERE b.entity='note' AND b.uid=o.uid ORDER BY b.seq LIMIT 1)
             ORDER BY t.seq LIMIT 1)
           WHEN 'message' THEN (SELECT t.new->>'project' FROM ops t WHERE t.entity='agent' AND t.uid=(
             SELECT b.new->>'agent' FROM ops b WHERE b.entity='message' AND b.uid=o.uid ORDER BY b.seq LIMIT 1)
             ORDER BY t.seq LIMIT 1)
           ELSE (SELECT coalesce(b.new->>'project', b.new->>'project_uid', (SELECT t.new->>'project' FROM ops t
               WHERE t.entity='agent' AND t.uid=b.new->>'agent' ORDER BY t.seq LIMIT 1)) FROM ops b
             WHERE b.entity=o.entity AND b.uid=o.uid ORDER BY b.seq LIMIT 1) END"
    };
}

/// SQL for the uid of the project of the op `o`.
pub(crate) const PROJECT: &str = project_of_op!();

const COLUMNS: &str = concat!(
    "o.seq, o.grp, o.actor, o.intent, o.entity, o.uid, o.op, o.old, o.new, o.scope, o.at, ",
    project_of_op!()
);

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
        project: row.get(11)?,
    })
}

/// The ops that a filter lets through, oldest first.
pub fn read(tx: &ReadTx<'_>, filter: &Filter) -> Result<Vec<Op>> {
    let order = if filter.after.is_some() { "ASC" } else { "DESC" };
    let (index, group, row) = narrowed(filter);
    let mut statement = tx.conn().prepare_cached(&format!(
        "SELECT {COLUMNS} FROM ops o {index} WHERE o.seq > coalesce(?1, 0)
         AND {group} AND {row} AND (?3 IS NULL OR EXISTS(
           SELECT 1 FROM json_each(?3) w WHERE o.actor IN(w.value,'user:'||w.value)))
         AND (?4 IS NULL OR EXISTS(SELECT 1 FROM json_each(?4) w WHERE o.intent=w.value
           OR substr(o.intent,1,length(w.value)+1) IN(w.value||':',w.value||'.')))
         AND (?5 IS NULL OR EXISTS(SELECT 1 FROM json_each(?5) w WHERE o.entity=w.value
           OR (o.entity='log_line' AND coalesce(o.new,o.old)->>'kind'=w.value)))
         AND (?7 IS NULL OR o.at>=?7) AND (?9 IS NULL OR {}=?9)
         ORDER BY o.seq {order} LIMIT ?8",
        project_of_op!()
    ))?;
    let limit = filter.limit.map_or(-1, i64::from);
    let rows = statement.query_map(
        params![
            filter.after,
            filter.group,
            list(&filter.actors),
            list(&filter.intents),
            list(&filter.entities),
            filter.uid,
            filter.since,
            limit,
            filter.project
        ],
        op_of,
    )?;
    let mut ops = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    tell_whole(tx, &mut ops)?;
    if filter.after.is_none() {
        ops.reverse();
    }
    Ok(ops)
}

/// The index that a group, or a row by its kind and uid, is read from, and the conditions on both.
fn narrowed(filter: &Filter) -> (&'static str, &'static str, &'static str) {
    match (&filter.group, &filter.uid) {
        (Some(_), None) => ("INDEXED BY ops_group", GROUP, "?6 IS NULL"),
        (Some(_), Some(_)) => ("INDEXED BY ops_group", GROUP, "o.uid=?6"),
        (None, Some(_)) if !filter.entities.is_empty() => (
            "INDEXED BY ops_row",
            "?2 IS NULL",
            "o.entity IN (SELECT value FROM json_each(?5)) AND o.uid=?6",
        ),
        (None, Some(_)) => ("", "?2 IS NULL", "o.uid=?6"),
        (None, None) => ("", "?2 IS NULL", "?6 IS NULL"),
    }
}

/// Ids of groups are of letters, digits and hyphens, all of which stand before `~`.
const GROUP: &str = "o.grp>=?2 AND o.grp<?2||'~'";

/// Words as SQL takes them; none where all are meant.
fn list(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| serde_json::Value::from(words.to_vec()).to_string())
}

/// Gives deletions back what compaction took out of them because the log tells it before.
fn tell_whole(tx: &ReadTx<'_>, ops: &mut [Op]) -> Result<()> {
    for op in ops.iter_mut().filter(|it| it.new.is_none()) {
        if op.old.as_deref() != Some(SAID_BEFORE) {
            continue;
        }
        if let Some(row) = row_before(tx, (&op.entity, &op.uid), op.seq)? {
            op.old = Some(serde_json::Value::Object(row).to_string());
        }
    }
    Ok(())
}

/// The op that gave a task to its last holder.
pub fn last_claim(tx: &ReadTx<'_>, task_uid: &str) -> Result<Option<Op>> {
    let mut statement = tx.conn().prepare_cached(&format!(
        "SELECT {COLUMNS} FROM ops o WHERE o.entity='task' AND o.uid=?1 AND o.new->>'claimed_by' IS NOT NULL
         AND o.old->>'claimed_by' IS NULL ORDER BY o.seq DESC LIMIT 1"
    ))?;
    Ok(statement.query_row([task_uid], op_of).optional()?)
}

/// The ops of exactly one group, in the order they happened.
pub fn of_group(tx: &ReadTx<'_>, group: &str) -> Result<Vec<Op>> {
    let mut statement = tx
        .conn()
        .prepare_cached(&format!("SELECT {COLUMNS} FROM ops o WHERE o.grp=?1 ORDER BY o.seq"))?;
    let rows = statement.query_map([group], op_of)?;
    let mut ops = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    tell_whole(tx, &mut ops)?;
    Ok(ops)
}

/// The groups whose id begins with `prefix`, at most five, newest first.
pub fn groups_named(tx: &ReadTx<'_>, prefix: &str) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT grp FROM ops WHERE grp>=?1 AND grp<?1||'~' GROUP BY grp ORDER BY max(seq) DESC LIMIT 5",
    )?;
    let rows = statement.query_map([prefix], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The position of the newest op, 0 when there is none.
pub fn last_seq(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.conn().query_row("SELECT coalesce(max(seq),0) FROM ops", [], |row| row.get(0))?)
}

/// What one action did, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// Which verbs acted, as `task.claim`.
    pub intents: Vec<String>,
    /// Who acted.
    pub actor: String,
    /// How many row changes it holds, local ones too.
    pub ops: i64,
    /// When it was over, RFC 3339.
    pub at: String,
}

/// The newest groups that touched portable rows (of a project), newest first.
///
/// The log is walked backwards until enough are found, so the cost is that of what is returned.
pub fn recent_groups(tx: &ReadTx<'_>, project: Option<&str>, count: usize) -> Result<Vec<Group>> {
    let mut statement = tx.conn().prepare_cached(concat!(
        "SELECT o.grp FROM ops o WHERE o.scope='portable' AND (?1 IS NULL OR ",
        project_of_op!(),
        "=?1) ORDER BY o.seq DESC"
    ))?;
    let mut rows = statement.query([project])?;
    let mut found: Vec<String> = Vec::new();
    while found.len() < count
        && let Some(row) = rows.next()?
    {
        let id: String = row.get(0)?;
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found.iter().filter_map(|id| group(tx, id).transpose()).collect()
}

/// What one action did, in short.
pub fn group(tx: &ReadTx<'_>, id: &str) -> Result<Option<Group>> {
    let sql = "SELECT json_group_array(DISTINCT intent), max(actor), count(*), max(at) FROM ops WHERE grp=?1";
    let (intents, actor, ops, at): (String, Option<String>, i64, Option<String>) = tx
        .conn()
        .prepare_cached(sql)?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    Ok(actor.zip(at).map(|(actor, at)| Group {
        id: id.to_owned(),
        intents: serde_json::from_str(&intents).unwrap_or_default(),
        actor,
        ops,
        at,
    }))
}

/// The name that a row has, or had last, told by the log.
pub fn name_of(tx: &ReadTx<'_>, entity: &str, uid: &str) -> Result<Option<String>> {
    let sql = "SELECT coalesce(new->>'name', old->>'name') FROM ops WHERE entity=?1 AND uid=?2
        AND coalesce(new->>'name', old->>'name') IS NOT NULL ORDER BY seq DESC LIMIT 1";
    Ok(tx.conn().prepare_cached(sql)?.query_row([entity, uid], |row| row.get(0)).optional()?)
}

/// The uid of the project that had this name last, told by the log: also of one that is gone.
pub fn project_named(tx: &ReadTx<'_>, name: &str) -> Result<Option<String>> {
    let sql =
        "SELECT uid FROM ops WHERE entity='project' AND new->>'name'=?1 ORDER BY seq DESC LIMIT 1";
    Ok(tx.conn().prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()?)
}

/// A field of a row as it was first written, told by the log; `task` of a note, for example.
pub fn first_field(
    tx: &ReadTx<'_>,
    entity: &str,
    uid: &str,
    field: &str,
) -> Result<Option<String>> {
    let sql =
        "SELECT CAST(new->>?3 AS TEXT) FROM ops WHERE entity=?1 AND uid=?2 ORDER BY seq LIMIT 1";
    let found = tx.conn().prepare_cached(sql)?.query_row([entity, uid, field], |row| row.get(0));
    Ok(found.optional()?.flatten())
}

/// Up to which op somebody has read, by the name of the reading.
pub fn cursor(tx: &ReadTx<'_>, name: &str) -> Result<Option<i64>> {
    let sql = "SELECT seq FROM cursors WHERE name=?1";
    Ok(tx.conn().prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()?)
}

/// Remembers up to which op somebody has read.
pub fn set_cursor(tx: &WriteTx<'_>, name: &str, seq: i64) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO cursors(name,seq,at) VALUES(?1,?2,?3)
         ON CONFLICT(name) DO UPDATE SET seq=excluded.seq, at=excluded.at",
        params![name, seq, tx.at_text()],
    )?;
    Ok(())
}
