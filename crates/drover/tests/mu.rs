//! `drover project import --mu`, on databases built from mu's own tables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use drover_testkit::TestEnv;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::env;

/// mu's tables at version 11 of its schema.
const SCHEMA: &str = "
CREATE TABLE schema_version(id INTEGER PRIMARY KEY CHECK(id=1), version INTEGER NOT NULL);
CREATE TABLE machine_identity(id INTEGER PRIMARY KEY CHECK(id=1), machine_id TEXT NOT NULL, hostname TEXT,
  created_at TEXT, last_wall INTEGER DEFAULT 0, last_counter INTEGER DEFAULT 0);
CREATE TABLE workstreams(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE agents(id INTEGER PRIMARY KEY AUTOINCREMENT,
  workstream_id INTEGER NOT NULL REFERENCES workstreams(id) ON DELETE CASCADE, name TEXT NOT NULL,
  cli TEXT NOT NULL DEFAULT 'pi', pane_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK(status IN('spawning','busy','needs_input','needs_permission','free','unreachable','terminated')),
  role TEXT NOT NULL DEFAULT 'full-access' CHECK(role IN('full-access','read-only')), tab TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE(workstream_id, name));
CREATE TABLE task_substates(status TEXT NOT NULL, substate TEXT NOT NULL, is_default INTEGER NOT NULL,
  PRIMARY KEY(status, substate));
CREATE UNIQUE INDEX task_substates_default ON task_substates(status) WHERE is_default=1;
CREATE TABLE tasks(id INTEGER PRIMARY KEY AUTOINCREMENT,
  workstream_id INTEGER NOT NULL REFERENCES workstreams(id) ON DELETE CASCADE, local_id TEXT NOT NULL,
  title TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'OPEN', substate TEXT NOT NULL,
  impact INTEGER NOT NULL CHECK(impact BETWEEN 1 AND 100), effort_days REAL NOT NULL CHECK(effort_days>0),
  owner_id INTEGER REFERENCES agents(id) ON DELETE SET NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  UNIQUE(workstream_id, local_id),
  FOREIGN KEY(status, substate) REFERENCES task_substates(status, substate) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE task_edges(from_task_id INTEGER NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
  to_task_id INTEGER NOT NULL REFERENCES tasks(id) ON DELETE CASCADE, created_at TEXT NOT NULL,
  PRIMARY KEY(from_task_id, to_task_id), CHECK(from_task_id<>to_task_id));
CREATE TABLE task_notes(id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id INTEGER NOT NULL REFERENCES tasks(id) ON DELETE CASCADE, author TEXT, content TEXT NOT NULL,
  created_at TEXT NOT NULL);
CREATE TABLE ops(seq INTEGER PRIMARY KEY AUTOINCREMENT, hlc TEXT NOT NULL, machine_id TEXT NOT NULL,
  group_id TEXT NOT NULL, actor TEXT, intent TEXT, entity TEXT NOT NULL, key TEXT NOT NULL,
  op TEXT NOT NULL CHECK(op IN('put','del')), payload TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE(machine_id, hlc));
CREATE TABLE sync_peers(machine_id TEXT PRIMARY KEY, last_applied_seq INTEGER DEFAULT 0, last_seen_at TEXT);
CREATE TABLE vcs_workspaces(id INTEGER PRIMARY KEY, agent_id INTEGER UNIQUE REFERENCES agents(id) ON DELETE CASCADE,
  workstream_id INTEGER NOT NULL REFERENCES workstreams(id) ON DELETE CASCADE,
  backend TEXT NOT NULL CHECK(backend IN('jj','sl','git','none')), path TEXT UNIQUE NOT NULL, parent_ref TEXT,
  created_at TEXT NOT NULL);
CREATE VIEW ready AS SELECT * FROM tasks t WHERE status='OPEN' AND substate NOT IN('parked','triage')
  AND NOT EXISTS(SELECT 1 FROM task_edges e JOIN tasks b ON b.id=e.from_task_id WHERE e.to_task_id=t.id AND b.status<>'CLOSED');
INSERT INTO schema_version VALUES(1, 11);
INSERT INTO machine_identity VALUES(1, '6c4f5a70-0000-4000-8000-000000000001', 'laptop', '2026-01-01T00:00:00.000Z', 0, 0);
INSERT INTO task_substates VALUES('OPEN','todo',1),('OPEN','parked',0),('OPEN','triage',0),('IN_PROGRESS','active',1),
  ('CLOSED','done',1),('CLOSED','rejected',0),('CLOSED','wontfix',0),('CLOSED','duplicate',0),('CLOSED','superseded',0);
";

/// Two workstreams at work, the empty one of helpers, and something in every table.
const ROWS: &str = "
INSERT INTO workstreams VALUES(1,'demo','2026-01-02T00:00:00.000Z'),(2,'side','2026-01-03T00:00:00.000Z'),
  (3,'scratch','2026-01-04T00:00:00.000Z');
INSERT INTO agents VALUES(1,1,'worker-1','pi','%1','spawning','full-access',NULL,'2026-01-02T00:00:01.000Z','2026-01-02T00:00:01.000Z'),
  (2,2,'worker-2','pi','%2','spawning','read-only','t','2026-01-03T00:00:01.000Z','2026-01-03T00:00:01.000Z');
INSERT INTO tasks VALUES
  (1,1,'design','Design it','CLOSED','done',90,0.5,1,'2026-01-02T01:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (2,1,'build','Build it','IN_PROGRESS','active',80,2.0,1,'2026-01-02T02:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (3,1,'ship','Ship it','OPEN','todo',70,1.0,NULL,'2026-01-02T03:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (4,1,'idea','An idea','OPEN','triage',10,3.0,NULL,'2026-01-02T04:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (5,1,'later','Later','OPEN','parked',20,1.0,NULL,'2026-01-02T05:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (6,1,'old','The old way','CLOSED','wontfix',20,1.0,NULL,'2026-01-02T06:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (7,1,'after','After the old way','OPEN','todo',20,1.0,NULL,'2026-01-02T07:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (8,1,'twin','A twin','CLOSED','duplicate',20,1.0,NULL,'2026-01-02T08:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (9,1,'no','No','CLOSED','rejected',20,1.0,NULL,'2026-01-02T09:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (10,1,'gone','Gone','CLOSED','superseded',20,1.0,NULL,'2026-01-02T10:00:00.000Z','2026-01-05T00:00:00.000Z'),
  (11,2,'design','The other design','OPEN','todo',50,1.0,NULL,'0001-01-01T00:00:00.000Z','2026-01-05T00:00:00.000Z');
INSERT INTO task_edges VALUES(1,2,'2026-01-02T02:00:00.000Z'),(2,3,'2026-01-02T03:00:00.000Z'),
  (1,3,'2026-01-02T03:00:00.000Z'),(6,7,'2026-01-02T07:00:00.000Z');
INSERT INTO task_notes VALUES(1,1,'worker-1','CLOSE: seen','2026-01-02T11:00:00.000Z'),
  (2,1,'worker-1','CLOSE: seen','2026-01-02T11:00:00.000Z'),(3,2,NULL,'half way\n\u{2014} there','2026-01-02T12:00:00.000Z'),
  (4,11,'ann','a secret: token=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB','2026-01-03T12:00:00.000Z');
INSERT INTO ops(hlc,machine_id,group_id,actor,intent,entity,key,op,payload,created_at) VALUES
  ('1','m','g1','ann','workstream.init','workstream','demo','put','{}','2026-01-02T00:00:00.000Z'),
  ('2','m','g2','ann','task.add','task','demo/design','put','{}','2026-01-02T01:00:00.000Z'),
  ('3','m','g3','ann','task.delete','task','demo/was','del','{}','2026-01-02T01:30:00.000Z'),
  ('4','m','g4',NULL,'agent.spawn','event','demo','put','spawned worker-1','2026-01-02T02:00:00.000Z'),
  ('5','m','g5','ann',NULL,'message','demo','put','freeze at noon','2026-01-02T03:00:00.000Z'),
  ('6','m','g6','watcher',NULL,'deploys','side','put','{\"seen\":7}','2026-01-02T04:00:00.000Z'),
  ('7','m','g7','ann',NULL,'message','','put','about the machine','2026-01-02T05:00:00.000Z');
INSERT INTO sync_peers VALUES('m2',4,'2026-01-02T00:00:00.000Z');
INSERT INTO vcs_workspaces VALUES(1,1,1,'git','/srv/checkouts/demo/worker-1','abc','2026-01-02T00:00:00.000Z');
";

/// A database of mu, still open as mu would have it, its newest rows in the write-ahead log alone.
fn database(env: &TestEnv, rows: &str) -> (PathBuf, Connection) {
    let path = env.root().join("mu's state").join("mu.db");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    conn.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    conn.execute_batch("PRAGMA foreign_keys=OFF").unwrap();
    conn.execute_batch(SCHEMA).unwrap();
    conn.execute_batch(rows).unwrap();
    (path, conn)
}

/// Every file of mu's directory with what it holds, but for the index of the write-ahead log, which is no data.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap().map(Result::unwrap);
    let names = entries.map(|it| it.file_name().into_string().unwrap());
    let names = names.filter(|it| !it.ends_with("-shm"));
    names.map(|name| (name.clone(), std::fs::read(path.with_file_name(&name)).unwrap())).collect()
}

fn words<'a>(path: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["project", "import", "--json", "--mu", path.to_str().unwrap()];
    words.into_iter().chain(more.iter().copied()).collect()
}

fn import(env: &TestEnv, path: &Path, more: &[&str]) -> Value {
    env.drover(&words(path, more)).ok().json()
}

fn table<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let tables = answer["data"]["tables"]["items"].as_array().unwrap();
    tables.iter().find(|it| it["table"] == name).unwrap_or_else(|| panic!("{name}: {tables:?}"))
}

/// The rows of each table, counted in the file, are all imported, here already, or left with a reason.
fn check_account(conn: &Connection, answer: &Value) -> usize {
    let mut statement = conn
        .prepare("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        .unwrap();
    let names: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut together = 0;
    for name in &names {
        let sql = format!("SELECT count(*) FROM \"{name}\"");
        let count: i64 = conn.query_row(&sql, [], |row| row.get(0)).unwrap();
        let told = table(answer, name);
        let left = told["left"].as_array().unwrap().iter();
        let left: i64 = left.map(|it| it["rows"].as_i64().unwrap()).sum();
        let of = |key: &str| told[key].as_i64().unwrap();
        assert_eq!((count, count), (of("rows"), of("imported") + of("present") + left), "{told}");
        together += usize::try_from(count).unwrap();
    }
    assert_eq!(answer["data"]["tables"]["count"], names.len());
    together
}

fn items(env: &TestEnv, words: &[&str]) -> Vec<Value> {
    let data = env.drover(&[words, &["--json"]].concat()).ok().data();
    data["items"].as_array().unwrap().clone()
}

/// What mu has in its rows and what stands here now, side by side.
fn check_rows(env: &TestEnv, conn: &Connection) {
    let mut statement = conn
        .prepare("SELECT w.name, t.local_id, t.title, t.status, t.substate, t.impact, t.effort_days, t.created_at
            FROM tasks t JOIN workstreams w ON w.id=t.workstream_id ORDER BY 1, 2")
        .unwrap();
    let theirs = statement.query_map([], |row| {
        Ok(json!([
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
            row.get::<_, String>(3)?,
            row.get::<_, String>(4)?,
            row.get::<_, i64>(5)?,
            row.get::<_, f64>(6)?,
            row.get::<_, String>(7)?,
        ]))
    });
    let theirs: Vec<Value> = theirs.unwrap().map(Result::unwrap).collect();
    let mut ours = Vec::new();
    for project in ["demo", "side"] {
        for it in items(env, &["task", "list", "--sort", "id", "-p", project]) {
            ours.push(json!([
                project,
                it["id"],
                it["title"],
                it["status"],
                it["substate"],
                it["impact"],
                it["effort_days"],
                it["created_at"],
            ]));
        }
    }
    assert_eq!(ours, theirs);
    let shown = env.drover(&["task", "show", "ship", "-p", "demo", "--json"]).ok().data();
    let blockers = &shown["blockers"];
    let of = |kind: &str| blockers[kind]["items"][0]["id"].clone();
    assert_eq!((of("gating"), of("satisfied")), (json!("build"), json!("design")), "{blockers}");
    let notes = items(env, &["task", "notes", "build", "-p", "demo"]);
    let said = (&notes[0]["author"], &notes[0]["text"], &notes[0]["created_at"]);
    let (author, text, at) =
        (json!("mu"), json!("half way\n\u{2014} there"), json!("2026-01-02T12:00:00.000Z"));
    assert_eq!(said, (&author, &text, &at), "{notes:?}");
    assert_eq!(items(env, &["task", "notes", "design", "-p", "demo"]).len(), 2);
    let secret = items(env, &["task", "notes", "design", "-p", "side"]);
    assert!(!secret[0]["text"].as_str().unwrap().contains("ghp_"), "{secret:?}");
}

#[test]
fn must_show_03_5() {
    let env = env();
    let (path, conn) = database(&env, ROWS);
    let before = files(&path);
    assert!(before["mu.db-wal"].len() > 4096, "the rows are in the write-ahead log");
    let preview = import(&env, &path, &["--dry-run"]);
    assert!(env.drover(&["project", "list", "--json"]).ok().data()["count"] == 0);
    let answer = import(&env, &path, &[]);
    assert_eq!((&answer["outcome"], &answer["data"]), (&json!("imported"), &preview["data"]));
    assert_eq!(answer["warnings"], json!(["redacted: 1"]));
    let rows = check_account(&conn, &answer);
    check_rows(&env, &conn);
    assert!(files(&path) == before, "the files are as they were");
    let demo = &answer["data"]["projects"]["items"][0];
    let held = json!({ "id": "build", "last_claimed_by": "worker-1@laptop" });
    assert_eq!(demo["in_progress"]["items"], json!([held]));
    // In mu any closed blocker lets a task start; here only one that is done.
    let waits = json!({ "id": "after", "blocked_by": ["old"] });
    assert_eq!(demo["waiting"]["items"], json!([waits]));
    assert_eq!(answer["data"]["checkouts"]["items"][0]["path"], "/srv/checkouts/demo/worker-1");
    let line = items(&env, &["log", "-p", "demo", "--kind", "message"]);
    assert!(line[0]["words"].as_str().unwrap().contains("freeze at noon"), "{line:?}");
    let again = import(&env, &path, &[]);
    assert_eq!(again["outcome"], "unchanged");
    check_account(&conn, &again);
    let imported = again["data"]["tables"]["items"].as_array().unwrap().iter();
    assert!(imported.clone().all(|it| it["imported"] == 0), "{again}");
    let healthy = env.drover(&["doctor", "--json"]).ok().data();
    assert_eq!(healthy["failed"], 0);
    println!(
        "must_show_03_5: {rows} rows of {} tables accounted for, {} files untouched",
        answer["data"]["tables"]["count"],
        before.len()
    );
}

#[test]
fn the_import_is_one_group_that_undo_takes_back() {
    let env = env();
    let (path, _conn) = database(&env, ROWS);
    import(&env, &path, &[]);
    let group = items(&env, &["undo", "-n", "1"])[0]["group"].as_str().unwrap().to_owned();
    env.drover(&["undo", &group, "--yes"]).ok();
    assert_eq!(env.drover(&["project", "list", "--json"]).ok().data()["count"], 0);
    assert_eq!(import(&env, &path, &[])["outcome"], "imported");
}

#[test]
fn one_workstream_is_taken_under_another_name_and_the_rest_is_left_with_the_reason() {
    let env = env();
    let (path, conn) = database(&env, ROWS);
    let answer = import(&env, &path, &["--only", "side", "--rename", "side=shop"]);
    check_account(&conn, &answer);
    assert_eq!(answer["data"]["projects"]["count"], 1);
    assert_eq!(items(&env, &["task", "list", "-p", "shop"]).len(), 1);
    let left = &table(&answer, "tasks")["left"][0];
    assert_eq!(left, &json!({ "rows": 10, "why": "of workstreams that were not asked for" }));
    let refused = env.drover(&words(&path, &["--only", "none"])).refused(3, "workstream_unknown");
    assert_eq!(refused["data"]["workstreams"], json!(["demo", "scratch", "side"]));
    env.drover(&words(&path, &["--only", "side", "--rename", "demo=x"])).refused(2, "usage");
    env.drover(&words(&path, &["--rename", "demo=Not A Name"])).refused(2, "invalid_name");
    env.drover(&words(&path, &["--rename", "demo=side"])).refused(2, "invalid_name");
    env.drover(&words(&path, &["--rename", "demo"])).refused(2, "usage");
    env.drover(&words(&path, &["--only", "side,"])).refused(2, "usage");
}

#[test]
fn what_was_changed_here_since_stays_and_is_listed() {
    let env = env();
    let (path, conn) = database(&env, ROWS);
    import(&env, &path, &[]);
    env.drover(&["task", "release", "build", "-p", "demo"]).ok();
    env.drover(&["task", "rename", "ship", "send", "-p", "demo"]).ok();
    conn.execute("UPDATE tasks SET title='Send it' WHERE id=3", []).unwrap();
    conn.execute(
        "INSERT INTO tasks VALUES(12,1,'new','New','OPEN','todo',50,1.0,NULL,?1,?1)",
        params!["2026-02-01T00:00:00.000Z"],
    )
    .unwrap();
    conn.execute("INSERT INTO task_edges VALUES(3,12,'2026-02-01T00:00:00.000Z')", []).unwrap();
    let answer = import(&env, &path, &[]);
    let demo = &answer["data"]["projects"]["items"][0];
    assert_eq!((&demo["added"]["items"], &demo["edges"]), (&json!(["new"]), &json!(1)));
    let fields: Vec<(&Value, &Value)> = demo["differs"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["id"], &it["field"]))
        .collect();
    assert_eq!(fields, [(&json!("build"), &json!("state")), (&json!("send"), &json!("title"))]);
    let state = env.drover(&["task", "show", "build", "-p", "demo", "--json"]).ok().data();
    assert_eq!(state["task"]["status"], "OPEN");
}

#[test]
fn ids_that_other_tasks_have_and_cycles_import_nothing() {
    let env = env();
    let (path, conn) = database(&env, ROWS);
    env.drover(&["project", "init", "demo"]).ok();
    env.drover(&["task", "add", "Mine", "--id", "ship", "-p", "demo"]).ok();
    let refused = env.drover(&words(&path, &[])).refused(4, "task_exists");
    assert_eq!(refused["data"]["ids"], json!(["ship"]));
    assert_eq!(items(&env, &["project", "list"]).len(), 1);
    conn.execute("INSERT INTO task_edges VALUES(3,1,'x')", []).unwrap();
    let refused = env.drover(&words(&path, &["--rename", "demo=web"])).refused(3, "cycle");
    let cycle = refused["data"]["path"].as_array().unwrap();
    assert_eq!(cycle.first(), cycle.last());
    assert_eq!(items(&env, &["project", "list"]).len(), 1);
}

#[test]
fn values_that_no_task_can_have_are_named_and_dangling_rows_are_left() {
    let env = env();
    let (path, conn) = database(&env, ROWS);
    conn.execute_batch(
        "PRAGMA ignore_check_constraints=ON;
         UPDATE tasks SET impact='many', effort_days=9e999, status='STRANGE', created_at='9999-99-99' WHERE id=3;
         UPDATE tasks SET local_id='UP Case!', title='' WHERE id=4;
         UPDATE tasks SET title=CAST(x'ff00' AS TEXT), created_at='9999-12-31T23:59:59.999Z' WHERE id=5;
         INSERT INTO task_edges VALUES(1,11,'x'),(1,99,'x'),(98,99,'x');
         INSERT INTO task_notes VALUES(9,77,'ann','lost','x');
         INSERT INTO tasks VALUES(20,55,'lost','Lost','OPEN','todo',1,1,NULL,'x','x');
         CREATE TABLE extra(a); INSERT INTO extra VALUES(1),(2);",
    )
    .unwrap();
    let answer = import(&env, &path, &[]);
    check_account(&conn, &answer);
    let changed = &answer["data"]["projects"]["items"][0]["changed"];
    assert_eq!(changed["count"], 6, "{changed}");
    let ship = env.drover(&["task", "show", "ship", "-p", "demo", "--json"]).ok().data();
    assert_eq!(
        (&ship["task"]["substate"], &ship["task"]["impact"], &ship["task"]["effort_days"]),
        (&json!("triage"), &json!(50), &json!(1.0))
    );
    let made = env.drover(&["task", "show", "up_case", "-p", "demo", "--json"]).ok().data();
    assert_eq!(made["task"]["title"], "UP Case!");
    assert_eq!(table(&answer, "extra")["left"][0]["rows"], 2);
    assert_eq!(import(&env, &path, &[])["outcome"], "unchanged");
    env.drover(&["doctor"]).ok();
}

#[test]
fn what_is_no_database_of_mu_is_refused_and_named() {
    let env = env();
    let (path, conn) = database(&env, ROWS);
    let refuse = |path: &Path, exit: i32, outcome: &str| {
        let answer = env.drover(&words(path, &[])).refused(exit, outcome);
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(answer["error"].as_str().unwrap().contains(name), "{answer}");
    };
    let other = |name: &str, bytes: &[u8]| {
        let path = env.root().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    refuse(&other("empty.db", b""), 3, "source_foreign");
    refuse(
        &other("text.db", b"not a database at all, however long it may be"),
        3,
        "source_foreign",
    );
    refuse(&env.root().join("missing.db"), 5, "file_failed");
    refuse(path.parent().unwrap(), 5, "file_failed");
    env.drover(&["project", "init", "web"]).ok();
    refuse(&env.database(), 3, "source_foreign");
    conn.execute_batch("UPDATE schema_version SET version=12; PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    refuse(&path, 4, "source_version");
    conn.execute_batch("UPDATE schema_version SET version=11; PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0x5a);
    refuse(&other("damaged.db", &bytes), 5, "source_damaged");
    refuse(&other("short.db", &bytes[..10_000]), 5, "source_damaged");
    conn.execute_batch("DROP TABLE task_notes; CREATE VIEW task_notes AS SELECT 1 AS id").unwrap();
    refuse(&path, 3, "source_foreign");
    let fifo = env.root().join("fifo.db");
    env.call("mkfifo", &[&fifo]).run().ok();
    refuse(&fifo, 5, "file_failed");
    assert_eq!(items(&env, &["project", "list"]).len(), 1);
}
