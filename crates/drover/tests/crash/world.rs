//! All that a verb can leave behind, put so that two runs of it can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use drover_testkit::TestEnv;
use regex::{Captures, Regex};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// Tables whose rows tell how the end was reached, not what it is.
const HISTORY: [&str; 3] = ["ops", "clock", "call_keys"];

/// What is there, a line each.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct World {
    /// Files, panes, refs, checkouts, open findings of `doctor`.
    pub(super) things: Vec<String>,
    /// Rows.
    pub(super) rows: Vec<String>,
}

impl World {
    /// Looks at everything.
    pub(super) fn of(env: &TestEnv) -> Self {
        let mut things = files(env);
        things.extend(backups(&env.state().join("backups")));
        things.extend(panes(env));
        things.extend(repository(env));
        things.extend(findings(env));
        let rows = rows(&env.database());
        let root = env.root().to_str().unwrap();
        let alike = |lines: Vec<String>| {
            let mut lines: Vec<String> =
                lines.iter().map(|it| alike(&it.replace(root, "<root>"))).collect();
            lines.sort();
            lines
        };
        Self { things: alike(things), rows: alike(rows) }
    }
}

/// The line without what differs from run to run: times, uids, digests, ids of panes.
fn alike(line: &str) -> String {
    static DIFFERS: LazyLock<Regex> = LazyLock::new(|| {
        let parts = [
            r"(?<time>\d{4}-\d\d-\d\dT[\d:.]+Z|\d{8}T\d{9})",
            r"(?<uid>[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})",
            r"(?<hex>\b[0-9a-f]{7,64}\b)",
            r"(?<id>[%@$]\d+)",
        ];
        Regex::new(&parts.join("|")).unwrap()
    });
    let name = |found: &Captures<'_>| {
        let kind = ["time", "uid", "hex", "id"].into_iter().find(|it| found.name(it).is_some());
        format!("<{}>", kind.unwrap())
    };
    DIFFERS.replace_all(line, name).into_owned()
}

/// Every file of the state directory and of the directory for temporary files.
///
/// Locks are files for ever. Logs of commands that were run are kept for their time whoever ran
/// them, and the database's companions come and go.
fn files(env: &TestEnv) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![env.state(), env.root().join("tmp")];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(env.root()).unwrap().to_str().unwrap().to_owned();
            let is_passing = ["state/locks", "state/logs", "state/backups"]
                .iter()
                .any(|it| name.starts_with(it))
                || ["state/drover.db-wal", "state/drover.db-shm"].contains(&name.as_str());
            if is_passing {
                continue;
            }
            let metadata = path.symlink_metadata().unwrap();
            // What is kept is kept whole.
            let is_kept = metadata.is_file() && name.starts_with("state/trash/");
            let size = if is_kept { format!(", {} bytes", metadata.len()) } else { String::new() };
            found.push(format!("file {name}{size}"));
            if metadata.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

/// The copies made before a migration: one cut off later is as good as the next, so they count once.
fn backups(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = alike(path.file_name().unwrap().to_str().unwrap());
        let conn = Connection::open(&path).unwrap();
        let version: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        let check: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        found.insert(format!("backup {name}: version {version}, {check}"));
    }
    found
}

/// Panes, and buffers, which hold messages on their way.
fn panes(env: &TestEnv) -> Vec<String> {
    let format = "pane in #{session_name}: #{pane_dead} #{@drover_uid} #{pane_start_command}";
    let panes = env.tmux(&["list-panes", "-a", "-F", format]).stdout;
    let buffers = env.tmux(&["list-buffers", "-F", "buffer #{buffer_name}"]).stdout;
    panes.lines().chain(buffers.lines()).map(str::to_owned).collect()
}

/// Checkouts, and refs with the commits they lead to.
fn repository(env: &TestEnv) -> Vec<String> {
    let directory = env.root().join(crate::workspace::REPOSITORY);
    if !directory.is_dir() {
        return Vec::new();
    }
    let git = |words: &[&str]| env.call("git", words).directory(&directory).run().ok().stdout;
    let worktrees = git(&["worktree", "list", "--porcelain"]);
    let worktrees = worktrees.lines().filter(|it| !it.is_empty());
    let mut found: Vec<String> = worktrees.map(|it| format!("checkout {it}")).collect();
    for name in git(&["for-each-ref", "--format=%(refname)"]).lines() {
        let log = git(&["log", "--format=%s", name]);
        // Commits of one second come in any order.
        let subjects: BTreeMap<&str, usize> = log.lines().fold(BTreeMap::new(), |mut all, it| {
            *all.entry(it).or_default() += 1;
            all
        });
        let kept = git(&["ls-tree", "-r", "--long", name]);
        found.push(format!("ref {name}: {subjects:?} with {kept:?}"));
    }
    found
}

/// What `doctor` has to say beyond that all is well.
fn findings(env: &TestEnv) -> Vec<String> {
    let data = env.drover(&["doctor", "--json"]).json()["data"].take();
    let checks =
        data["checks"]["items"].as_array().unwrap().iter().filter(|it| it["severity"] != "ok");
    checks.map(|it| format!("finding {it}")).collect()
}

/// Every row of every table, and that the log knows the same rows.
fn rows(database: &Path) -> Vec<String> {
    let conn = Connection::open(database).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'";
    let mut statement = conn.prepare(tables).unwrap();
    let tables = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut found = vec![format!("schema {}", number(&conn, "PRAGMA user_version"))];
    for table in tables.map(Result::unwrap).filter(|it| !HISTORY.contains(&it.as_str())) {
        found.extend(rows_of(&conn, &table));
    }
    let unanswered = "SELECT count(*) FROM call_keys WHERE state<>'done'";
    found.push(format!("calls without an answer: {}", number(&conn, unanswered)));
    found.extend(only_in_log(&conn));
    found
}

fn number(conn: &Connection, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn rows_of(conn: &Connection, table: &str) -> Vec<String> {
    let mut statement = conn.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let is_passing = |name: &str| {
        // A repeat of a close sees how the processes ended that the first had ended itself.
        ["pk", "_hlc", "pid", "_started", "duration_ms", "exit_signal"]
            .iter()
            .any(|it| name.ends_with(it))
    };
    let rows = statement.query_map([], |row| {
        let mut line = table.to_owned();
        for (place, name) in names.iter().enumerate().filter(|it| !is_passing(it.1)) {
            let value = match row.get_ref(place)? {
                ValueRef::Null => continue,
                ValueRef::Integer(value) => value.to_string(),
                ValueRef::Real(value) => value.to_string(),
                ValueRef::Text(value) | ValueRef::Blob(value) => {
                    String::from_utf8_lossy(value).into_owned()
                }
            };
            line.extend([" ", name, "=", &value]);
        }
        Ok(line)
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// Rows that the log ends with and no table has, or the other way round.
fn only_in_log(conn: &Connection) -> Vec<String> {
    let tables = [
        ("project", "projects"),
        ("project_repo", "project_repos"),
        ("project_place", "project_places"),
        ("policy_value", "policy_values"),
        ("task", "tasks"),
        ("edge", "edges"),
        ("note", "notes"),
        ("evidence", "evidence"),
        ("agent", "agents"),
        ("workspace", "workspaces"),
        ("message", "messages"),
        ("rescue", "rescues"),
        ("delegate", "delegates"),
    ];
    let mut found = Vec::new();
    for (entity, table) in tables {
        let logged = format!(
            "SELECT uid FROM ops o WHERE entity='{entity}' AND op='put'
             AND seq=(SELECT max(seq) FROM ops WHERE entity=o.entity AND uid=o.uid)"
        );
        let here = format!("SELECT uid FROM {table}");
        let more = number(conn, &format!("SELECT count(*) FROM ({logged} EXCEPT {here})"));
        let fewer = number(conn, &format!("SELECT count(*) FROM ({here} EXCEPT {logged})"));
        if (more, fewer) != (0, 0) {
            found.push(format!("the log has {more} {entity} rows more, the table {fewer}"));
        }
    }
    found
}
