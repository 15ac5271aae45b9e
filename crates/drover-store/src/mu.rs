//! Reading a database of mu: what its tables say, as they say it.

use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::connection;
use crate::error::StoreError;

/// The one version of mu's schema that is read.
pub const VERSION: i64 = 11;

/// The tables that are read, with the columns that are read of each.
const NEEDED: &[(&str, &[&str])] = &[
    ("schema_version", &["version"]),
    ("machine_identity", &["machine_id", "hostname"]),
    ("workstreams", &["id", "name", "created_at"]),
    ("agents", &["id", "workstream_id", "name"]),
    (
        "tasks",
        &[
            "id",
            "workstream_id",
            "local_id",
            "title",
            "status",
            "substate",
            "impact",
            "effort_days",
            "owner_id",
            "created_at",
        ],
    ),
    ("task_edges", &["from_task_id", "to_task_id", "created_at"]),
    ("task_notes", &["id", "task_id", "author", "content", "created_at"]),
    ("ops", &["seq", "actor", "entity", "key", "payload", "created_at"]),
    ("vcs_workspaces", &["agent_id", "workstream_id", "path"]),
];

/// Why a file is not read as a database of mu.
#[derive(Debug, thiserror::Error)]
pub enum MuError {
    /// It is something else.
    #[error("{} is no database of mu: {what}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it lacks, or is.
        what: String,
    },
    /// Another version of mu wrote it.
    #[error("{} has version {found} of mu's schema, and version {VERSION} is the one that is read", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// It is damaged.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        what: String,
    },
}

/// A workstream.
#[derive(Debug, Clone)]
pub struct Workstream {
    /// Its key.
    pub id: i64,
    /// Its name.
    pub name: String,
}

/// A task; what mu's columns do not promise is an option.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its key.
    pub id: i64,
    /// The key of its workstream.
    pub workstream: i64,
    /// Its id.
    pub local_id: String,
    /// What is to be done.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Its substate.
    pub substate: String,
    /// Its impact, where that is a whole number.
    pub impact: Option<i64>,
    /// Its effort, where that is a number.
    pub effort_days: Option<f64>,
    /// The name of the agent that owns it.
    pub owner: Option<String>,
    /// When it was made, as mu wrote it.
    pub created_at: String,
}

/// An edge: the keys of the task that blocks and of the one that is blocked.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// The task that blocks.
    pub blocker: i64,
    /// The task that is blocked.
    pub blocked: i64,
}

/// A note.
#[derive(Debug, Clone)]
pub struct Note {
    /// The key of its task.
    pub task: i64,
    /// Who wrote it, where that is known.
    pub author: Option<String>,
    /// What it says.
    pub content: String,
    /// When, as mu wrote it.
    pub created_at: String,
}

/// A line of the log that an operator wrote.
#[derive(Debug, Clone)]
pub struct Line {
    /// The name of its workstream; empty for a line about the machine.
    pub workstream: String,
    /// Its kind.
    pub kind: String,
    /// Who wrote it, where that is known.
    pub author: Option<String>,
    /// What it says.
    pub text: String,
    /// When, as mu wrote it.
    pub created_at: String,
}

/// A checkout of an agent.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The agent.
    pub agent: String,
    /// The workstream.
    pub workstream: String,
    /// Where it is.
    pub path: String,
}

/// Everything a database of mu holds that means something here.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// The machine that wrote it.
    pub machine: String,
    /// What people call that machine.
    pub hostname: String,
    /// Workstreams, by name.
    pub workstreams: Vec<Workstream>,
    /// Tasks, oldest first.
    pub tasks: Vec<Task>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Notes, oldest first.
    pub notes: Vec<Note>,
    /// Lines that operators wrote, oldest first.
    pub lines: Vec<Line>,
    /// The checkouts of its agents.
    pub checkouts: Vec<Checkout>,
    /// Every table with the number of its rows, by name.
    pub tables: Vec<(String, usize)>,
}

type Result<T> = std::result::Result<T, MuError>;

/// Reads a private copy of a database of mu; `original` is the file that errors name.
pub fn read(copy: &Path, original: &Path) -> Result<Contents> {
    let file = File { original };
    if std::fs::metadata(copy).is_ok_and(|it| it.len() == 0) {
        return Err(file.foreign("it is empty"));
    }
    let conn = connection::foreign(copy).map_err(|err| file.failed(err))?;
    let contents = file.check(&conn).and_then(|()| contents(&conn));
    contents.map_err(|err| match err {
        Failed::Mu(err) => err,
        Failed::Sqlite(err) => file.failed(connection::spoken(original, err)),
    })
}

/// What stops the reading.
enum Failed {
    Mu(MuError),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Failed {
    fn from(err: rusqlite::Error) -> Self {
        Self::Sqlite(err)
    }
}

impl From<MuError> for Failed {
    fn from(err: MuError) -> Self {
        Self::Mu(err)
    }
}

/// The file that is blamed.
struct File<'a> {
    original: &'a Path,
}

impl File<'_> {
    fn foreign(&self, what: impl Into<String>) -> MuError {
        MuError::Foreign { path: self.original.to_owned(), what: what.into() }
    }

    fn damaged(&self, what: impl Into<String>) -> MuError {
        MuError::Damaged { path: self.original.to_owned(), what: what.into() }
    }

    fn failed(&self, err: StoreError) -> MuError {
        match err {
            StoreError::Foreign { what, .. } => self.foreign(what),
            StoreError::Corrupt { what, .. } => self.damaged(what),
            other => self.damaged(other.to_string()),
        }
    }

    /// Refuses what is not whole, not of mu, or of another version of it.
    fn check(&self, conn: &Connection) -> std::result::Result<(), Failed> {
        let mut columns = conn.prepare(
            "SELECT i.name FROM sqlite_schema s JOIN pragma_table_info(s.name) i WHERE s.type='table' AND s.name=?1",
        )?;
        for (table, needed) in NEEDED {
            let found = columns.query_map([table], |row| row.get::<_, String>(0))?;
            let found: Vec<String> = found.collect::<rusqlite::Result<_>>()?;
            if found.is_empty() {
                return Err(self.foreign(format!("it has no table {table}")).into());
            }
            if let Some(column) = needed.iter().find(|it| !found.iter().any(|has| has == *it)) {
                let what = format!("its table {table} has no column {column}");
                return Err(self.foreign(what).into());
            }
            if *table == "schema_version" {
                self.check_version(conn)?;
            }
        }
        let what: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if what == "ok" { Ok(()) } else { Err(self.damaged(what).into()) }
    }

    fn check_version(&self, conn: &Connection) -> std::result::Result<(), Failed> {
        let sql = "SELECT version FROM schema_version ORDER BY id LIMIT 1";
        let version = conn.query_row(sql, [], |row| Ok(whole(row, 0))).optional()?.flatten();
        match version {
            Some(VERSION) => Ok(()),
            Some(found) => Err(MuError::Version { path: self.original.to_owned(), found }.into()),
            None => Err(self.foreign("it does not say its version").into()),
        }
    }
}

fn contents(conn: &Connection) -> std::result::Result<Contents, Failed> {
    let machine = conn
        .query_row("SELECT machine_id, hostname FROM machine_identity LIMIT 1", [], |row| {
            Ok((text(row, 0), text(row, 1)))
        })
        .optional()?;
    let (machine, hostname) = machine.unwrap_or_default();
    Ok(Contents {
        machine: machine.unwrap_or_default(),
        hostname: hostname.unwrap_or_default(),
        workstreams: all(conn, "SELECT id, name FROM workstreams ORDER BY name", |row| {
            Workstream { id: key(row, 0), name: text(row, 1).unwrap_or_default() }
        })?,
        tasks: all(conn, TASKS, task_of)?,
        edges: all(
            conn,
            "SELECT from_task_id, to_task_id FROM task_edges ORDER BY from_task_id, to_task_id",
            |row| Edge { blocker: key(row, 0), blocked: key(row, 1) },
        )?,
        notes: all(
            conn,
            "SELECT task_id, author, content, created_at FROM task_notes ORDER BY id",
            |row| Note {
                task: key(row, 0),
                author: text(row, 1),
                content: text(row, 2).unwrap_or_default(),
                created_at: text(row, 3).unwrap_or_default(),
            },
        )?,
        lines: all(conn, LINES, |row| Line {
            workstream: text(row, 0).unwrap_or_default(),
            kind: text(row, 1).unwrap_or_default(),
            author: text(row, 2),
            text: text(row, 3).unwrap_or_default(),
            created_at: text(row, 4).unwrap_or_default(),
        })?,
        checkouts: all(conn, CHECKOUTS, |row| Checkout {
            agent: text(row, 0).unwrap_or_default(),
            workstream: text(row, 1).unwrap_or_default(),
            path: text(row, 2).unwrap_or_default(),
        })?,
        tables: tables(conn)?,
    })
}

const TASKS: &str = "SELECT t.id, t.workstream_id, t.local_id, t.title, t.status, t.substate, t.impact, t.effort_days,
    a.name, t.created_at FROM tasks t LEFT JOIN agents a ON a.id=t.owner_id ORDER BY t.id";

/// What mu logs of rows and of itself is told by its entity; all else was written by an operator.
const LINES: &str = "SELECT key, entity, actor, payload, created_at FROM ops
    WHERE op='put' AND entity NOT IN('workstream','task','edge','note','agent','workspace','event','broadcast')
    ORDER BY seq";

const CHECKOUTS: &str =
    "SELECT a.name, w.name, v.path FROM vcs_workspaces v LEFT JOIN agents a ON a.id=v.agent_id
    LEFT JOIN workstreams w ON w.id=v.workstream_id ORDER BY v.path";

fn task_of(row: &Row<'_>) -> Task {
    Task {
        id: key(row, 0),
        workstream: key(row, 1),
        local_id: text(row, 2).unwrap_or_default(),
        title: text(row, 3).unwrap_or_default(),
        status: text(row, 4).unwrap_or_default(),
        substate: text(row, 5).unwrap_or_default(),
        impact: whole(row, 6),
        effort_days: real(row, 7),
        owner: text(row, 8),
        created_at: text(row, 9).unwrap_or_default(),
    }
}

fn tables(conn: &Connection) -> rusqlite::Result<Vec<(String, usize)>> {
    let names = all(
        conn,
        "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT GLOB 'sqlite_*' ORDER BY name",
        |row| text(row, 0).unwrap_or_default(),
    )?;
    names
        .into_iter()
        .map(|name| {
            let sql = format!("SELECT count(*) FROM \"{}\"", name.replace('"', "\"\""));
            let count: i64 = conn.query_row(&sql, [], |row| row.get(0))?;
            Ok((name, usize::try_from(count).unwrap_or(0)))
        })
        .collect()
}

fn all<T>(conn: &Connection, sql: &str, of: impl Fn(&Row<'_>) -> T) -> rusqlite::Result<Vec<T>> {
    conn.prepare(sql)?.query_map([], |row| Ok(of(row)))?.collect()
}

/// The text of a column whose type nobody promised; bytes that are no UTF-8 become U+FFFD.
fn text(row: &Row<'_>, at: usize) -> Option<String> {
    match row.get_ref(at).unwrap_or(ValueRef::Null) {
        ValueRef::Null => None,
        ValueRef::Integer(it) => Some(it.to_string()),
        ValueRef::Real(it) => Some(it.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

fn whole(row: &Row<'_>, at: usize) -> Option<i64> {
    match row.get_ref(at).ok()? {
        ValueRef::Integer(it) => Some(it),
        _ => None,
    }
}

/// A key that refers to nothing where the column holds none.
fn key(row: &Row<'_>, at: usize) -> i64 {
    whole(row, at).unwrap_or(i64::MIN)
}

fn real(row: &Row<'_>, at: usize) -> Option<f64> {
    match row.get_ref(at).ok()? {
        ValueRef::Real(it) => Some(it),
        #[expect(clippy::cast_precision_loss, reason = "days of work are small numbers")]
        ValueRef::Integer(it) => Some(it as f64),
        _ => None,
    }
}
