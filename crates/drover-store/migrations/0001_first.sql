-- The first schema: projects, tasks, agents, workspaces, messages, and the log that every one of their rows is written to.

CREATE TABLE identity(
  one INTEGER PRIMARY KEY CHECK(one=1), machine_uid TEXT NOT NULL, machine_name TEXT NOT NULL,
  incarnation INTEGER NOT NULL, home_mark TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
CREATE TABLE clock(one INTEGER PRIMARY KEY CHECK(one=1), hlc INTEGER NOT NULL) STRICT;
CREATE TABLE writer(
  one INTEGER PRIMARY KEY CHECK(one=1), actor TEXT NOT NULL, intent TEXT NOT NULL, grp TEXT NOT NULL,
  machine TEXT NOT NULL, now_hlc INTEGER NOT NULL, at TEXT NOT NULL,
  mode TEXT NOT NULL CHECK(mode IN('log','apply','compact'))) STRICT;
CREATE TABLE ops(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, hlc INTEGER NOT NULL, machine TEXT NOT NULL, grp TEXT NOT NULL,
  actor TEXT NOT NULL, intent TEXT NOT NULL, entity TEXT NOT NULL, uid TEXT NOT NULL,
  op TEXT NOT NULL CHECK(op IN('put','del')), old TEXT, new TEXT,
  scope TEXT NOT NULL CHECK(scope IN('portable','local')), at TEXT NOT NULL, UNIQUE(machine, hlc)) STRICT;
CREATE INDEX ops_row ON ops(entity, uid);
CREATE INDEX ops_group ON ops(grp);
CREATE INDEX ops_undo ON ops(intent) WHERE intent GLOB 'undo:*';
CREATE VIEW log_entry AS SELECT '' AS entity, '' AS uid, '' AS op, '' AS old, '' AS new, '' AS scope;
CREATE TRIGGER log_write INSTEAD OF INSERT ON log_entry
WHEN new.old IS NOT new.new AND (SELECT mode FROM writer) IS NOT 'apply' BEGIN
  SELECT RAISE(ABORT,'no writer') WHERE NOT EXISTS(SELECT 1 FROM writer);
  UPDATE clock SET hlc = max(hlc+1, (SELECT now_hlc FROM writer));
  INSERT INTO ops(hlc,machine,grp,actor,intent,entity,uid,op,old,new,scope,at)
  SELECT clock.hlc, machine, grp, actor, intent, new.entity, new.uid, new.op,
    iif(new.old IS NULL OR new.new IS NULL, new.old,
      (SELECT json_group_object(key,value) FROM json_each(new.old) WHERE value IS NOT (new.new->>key))),
    iif(new.old IS NULL OR new.new IS NULL, new.new,
      (SELECT json_group_object(key,value) FROM json_each(new.new) WHERE value IS NOT (new.old->>key))),
    new.scope, at FROM writer, clock;
END;
CREATE TRIGGER ops_keep_u BEFORE UPDATE ON ops WHEN (SELECT mode FROM writer) IS NOT 'compact'
BEGIN SELECT RAISE(ABORT,'the log is append-only'); END;
CREATE TRIGGER ops_keep_d BEFORE DELETE ON ops WHEN (SELECT mode FROM writer) IS NOT 'compact'
BEGIN SELECT RAISE(ABORT,'the log is append-only'); END;
CREATE TABLE call_keys(
  key TEXT PRIMARY KEY, digest TEXT NOT NULL, verb TEXT NOT NULL, token TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN('pending','done')), pid INTEGER NOT NULL, pid_started TEXT NOT NULL,
  answer TEXT, exit INTEGER, at TEXT NOT NULL) STRICT;
CREATE TABLE cursors(name TEXT PRIMARY KEY, seq INTEGER NOT NULL, at TEXT NOT NULL) STRICT;

-- Projects.
CREATE TABLE project_names(name TEXT PRIMARY KEY, generation INTEGER NOT NULL) STRICT;
CREATE TABLE projects(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  name TEXT NOT NULL, name_hlc INTEGER NOT NULL, generation INTEGER NOT NULL, title TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN('setup','active','reviewing','archived'))) STRICT;
CREATE INDEX projects_by_name ON projects(name, name_hlc, uid);
CREATE TABLE project_repos(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk), ordinal INTEGER NOT NULL, path TEXT NOT NULL,
  git_common_dir TEXT NOT NULL, origin_url TEXT, base_branch TEXT, base_sha TEXT NOT NULL,
  UNIQUE(project_pk, ordinal)) STRICT;
CREATE TABLE project_places(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL UNIQUE REFERENCES projects(pk), mux TEXT NOT NULL, mux_socket TEXT NOT NULL,
  session_id TEXT NOT NULL, session_name TEXT NOT NULL, adopted INTEGER NOT NULL CHECK(adopted IN(0,1))) STRICT;
CREATE TABLE policy_values(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk), key TEXT NOT NULL, value TEXT NOT NULL,
  UNIQUE(project_pk, key)) STRICT;
CREATE TABLE command_trust(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk), kind TEXT NOT NULL CHECK(kind IN('verify','setup')),
  digest TEXT NOT NULL, command TEXT NOT NULL, source TEXT NOT NULL, trusted_by TEXT NOT NULL,
  UNIQUE(project_pk, kind, digest)) STRICT;

-- Tasks.
CREATE TABLE tasks(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk), name TEXT NOT NULL, name_hlc INTEGER NOT NULL,
  title TEXT NOT NULL, status TEXT NOT NULL, substate TEXT NOT NULL,
  impact INTEGER NOT NULL CHECK(impact BETWEEN 1 AND 100), effort_days REAL NOT NULL CHECK(effort_days>0),
  owns TEXT NOT NULL, labels TEXT NOT NULL, verify TEXT, verify_chosen_by TEXT CHECK(verify_chosen_by IN('plan','caller')),
  claimed_by TEXT, claimed_uid TEXT, last_claimed_by TEXT, attempt INTEGER NOT NULL, source TEXT, source_id TEXT,
  CHECK((status='OPEN' AND substate IN('todo','parked','triage')) OR (status='IN_PROGRESS' AND substate='active') OR
        (status='CLOSED' AND substate IN('done','rejected','wontfix','duplicate','superseded')))) STRICT;
CREATE INDEX tasks_by_name ON tasks(project_pk, name, name_hlc, uid);
CREATE INDEX tasks_by_source ON tasks(project_pk, source, source_id) WHERE source IS NOT NULL;
CREATE INDEX tasks_claimed ON tasks(claimed_uid) WHERE claimed_uid IS NOT NULL;
CREATE INDEX tasks_active ON tasks(project_pk) WHERE status='IN_PROGRESS';
CREATE TABLE task_derived(
  task_pk INTEGER PRIMARY KEY, project_pk INTEGER NOT NULL, handle TEXT NOT NULL, open_blockers INTEGER NOT NULL,
  startable INTEGER NOT NULL, roi REAL NOT NULL, effort_days REAL NOT NULL, updated_at TEXT NOT NULL,
  UNIQUE(project_pk, handle)) STRICT;
CREATE INDEX task_ready ON task_derived(project_pk, roi DESC, effort_days, handle) WHERE startable AND open_blockers=0;
CREATE TABLE edges(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  blocker_pk INTEGER NOT NULL REFERENCES tasks(pk), blocked_pk INTEGER NOT NULL REFERENCES tasks(pk),
  UNIQUE(blocker_pk, blocked_pk), CHECK(blocker_pk<>blocked_pk)) STRICT;
CREATE INDEX edges_blocked ON edges(blocked_pk, blocker_pk);
CREATE TABLE notes(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  task_pk INTEGER NOT NULL REFERENCES tasks(pk), author TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE INDEX notes_task ON notes(task_pk);
CREATE TABLE evidence(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk),
  subject TEXT NOT NULL CHECK(subject IN('task','lane','packet','delivery','desk')), subject_uid TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN('said','verified','failed','landed','unverified')), verb TEXT NOT NULL, text TEXT,
  command TEXT, chosen_by TEXT CHECK(chosen_by IN('plan','policy','caller')), exit INTEGER, signal INTEGER,
  duration_ms INTEGER, commit_oid TEXT, tree_oid TEXT, dirty INTEGER, log_digest TEXT, log_path TEXT, said_by TEXT NOT NULL) STRICT;
CREATE INDEX evidence_subject ON evidence(subject_uid);
CREATE TRIGGER task_derive_i AFTER INSERT ON tasks BEGIN
  INSERT INTO task_derived(task_pk,project_pk,handle,open_blockers,startable,roi,effort_days,updated_at)
  VALUES(new.pk,new.project_pk,new.name,0,new.status='OPEN' AND new.substate='todo',new.impact/new.effort_days,new.effort_days,
    (SELECT at FROM writer));
END;
CREATE TRIGGER task_derive_u AFTER UPDATE ON tasks BEGIN
  UPDATE task_derived SET handle=new.name, project_pk=new.project_pk, startable=(new.status='OPEN' AND new.substate='todo'),
    roi=new.impact/new.effort_days, effort_days=new.effort_days, updated_at=(SELECT at FROM writer) WHERE task_pk=new.pk;
  UPDATE task_derived SET open_blockers = open_blockers + iif(new.status='CLOSED' AND new.substate='done', -1, 1)
   WHERE (old.status='CLOSED' AND old.substate='done') <> (new.status='CLOSED' AND new.substate='done')
     AND task_pk IN (SELECT blocked_pk FROM edges WHERE blocker_pk=new.pk);
END;
CREATE TRIGGER edge_derive_i AFTER INSERT ON edges BEGIN
  UPDATE task_derived SET updated_at=(SELECT at FROM writer), open_blockers=open_blockers
      + (SELECT NOT(status='CLOSED' AND substate='done') FROM tasks WHERE pk=new.blocker_pk)
   WHERE task_pk=new.blocked_pk;
END;
CREATE TRIGGER edge_derive_d BEFORE DELETE ON edges BEGIN
  UPDATE task_derived SET updated_at=(SELECT at FROM writer), open_blockers=open_blockers
      - (SELECT NOT(status='CLOSED' AND substate='done') FROM tasks WHERE pk=old.blocker_pk)
   WHERE task_pk=old.blocked_pk;
END;
CREATE TRIGGER note_derive_i AFTER INSERT ON notes BEGIN
  UPDATE task_derived SET updated_at=(SELECT at FROM writer) WHERE task_pk=new.task_pk;
END;

-- Agents, their checkouts and the messages to them.
CREATE TABLE agents(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk), name TEXT NOT NULL,
  role TEXT NOT NULL CHECK(role IN('operator','coordinator','worker','reviewer')),
  lifecycle TEXT NOT NULL CHECK(lifecycle IN('planned','launching','running','silent','nudged','restoring','exited','failed','closed')),
  lifecycle_at TEXT NOT NULL, deadline_at TEXT, nonce TEXT, failure TEXT,
  engine TEXT NOT NULL, command TEXT NOT NULL, work TEXT,
  takes_work TEXT NOT NULL CHECK(takes_work IN('run','message','none')), env_names TEXT NOT NULL,
  model TEXT, thinking TEXT, unattended INTEGER NOT NULL CHECK(unattended IN(0,1)), skills TEXT NOT NULL, cwd TEXT NOT NULL,
  mux TEXT, mux_socket TEXT, server_pid INTEGER, server_started TEXT, session_id TEXT, window_id TEXT, pane_id TEXT,
  pane_pid INTEGER, pane_started TEXT, opened_by_us INTEGER NOT NULL CHECK(opened_by_us IN(0,1)),
  token_hash TEXT, work_pid INTEGER, work_started TEXT, conversation_id TEXT,
  exit_status INTEGER, exit_signal INTEGER, ended_at TEXT, restarts INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX agents_name ON agents(project_pk, name) WHERE lifecycle<>'closed';
CREATE INDEX agents_live ON agents(lifecycle) WHERE lifecycle NOT IN('closed','exited','failed');
CREATE TABLE agent_env(
  agent_pk INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN('explicit','inherited')), PRIMARY KEY(agent_pk, name)) STRICT;
CREATE TABLE workspaces(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  agent_pk INTEGER NOT NULL REFERENCES agents(pk), project_pk INTEGER NOT NULL REFERENCES projects(pk),
  kind TEXT NOT NULL CHECK(kind IN('git','jj','copy')), path TEXT NOT NULL, source TEXT NOT NULL, branch TEXT NOT NULL,
  base_sha TEXT NOT NULL, landed_sha TEXT, landing TEXT,
  state TEXT NOT NULL CHECK(state IN('creating','ready','removing','branch_only')), brought TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX workspaces_path ON workspaces(path) WHERE state<>'branch_only';
CREATE INDEX workspaces_agent ON workspaces(agent_pk);
CREATE TABLE messages(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  agent_pk INTEGER NOT NULL REFERENCES agents(pk), number INTEGER NOT NULL,
  mode TEXT NOT NULL CHECK(mode IN('turn_end','when_idle','interrupt','steer','fresh')),
  level TEXT NOT NULL CHECK(level IN('queued','typed','submitted','received','refused','withdrawn','uncertain')),
  sender TEXT NOT NULL, task_uid TEXT, digest TEXT NOT NULL, bytes INTEGER NOT NULL, removed_bytes INTEGER NOT NULL,
  proof TEXT, reason TEXT, lease TEXT, sent_at TEXT, UNIQUE(agent_pk, number)) STRICT;
CREATE INDEX messages_due ON messages(agent_pk, number) WHERE level='queued';
CREATE TABLE message_bodies(message_pk INTEGER PRIMARY KEY, text TEXT NOT NULL, erase_after TEXT) STRICT;
CREATE TABLE log_lines(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk), kind TEXT NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE INDEX log_lines_project ON log_lines(project_pk);
CREATE TABLE rescues(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_uid TEXT NOT NULL, agent_name TEXT NOT NULL, repository TEXT NOT NULL, branch TEXT NOT NULL, head TEXT NOT NULL,
  ref_prefix TEXT, trash_path TEXT, reason TEXT NOT NULL) STRICT;

-- What can be started, and what waits.
CREATE VIEW ready AS SELECT t.*, d.handle, d.roi, d.open_blockers FROM task_derived d JOIN tasks t ON t.pk=d.task_pk
  WHERE d.startable AND d.open_blockers=0;
CREATE VIEW blocked AS SELECT t.*, d.handle, d.roi, d.open_blockers FROM task_derived d JOIN tasks t ON t.pk=d.task_pk
  WHERE t.status='OPEN' AND d.open_blockers>0;
