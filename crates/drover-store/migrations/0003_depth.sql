-- Depth and scale: graphs of any size.

-- What listings and `state` ask of a large project is read from indexes.
CREATE INDEX tasks_state ON tasks(project_pk, status, substate);
CREATE INDEX tasks_age ON tasks(project_pk, created_at);
CREATE INDEX tasks_holder ON tasks(claimed_by) WHERE claimed_by IS NOT NULL;
CREATE INDEX tasks_lost ON tasks(last_claimed_by) WHERE last_claimed_by IS NOT NULL;
CREATE INDEX evidence_failed ON evidence(project_pk) WHERE kind='failed' AND subject='task';
CREATE INDEX tasks_planned ON tasks(project_pk, verify) WHERE verify_chosen_by='plan';
ALTER TABLE task_derived ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
UPDATE task_derived SET closed=1 WHERE task_pk IN (SELECT pk FROM tasks WHERE status='CLOSED');
CREATE INDEX task_closed ON task_derived(project_pk, updated_at DESC, handle) WHERE closed;
CREATE INDEX task_recent ON task_derived(project_pk, updated_at DESC, handle);
DROP TRIGGER task_derive_u;
CREATE TRIGGER task_derive_u AFTER UPDATE ON tasks BEGIN
  UPDATE task_derived SET handle=new.name, project_pk=new.project_pk, startable=(new.status='OPEN' AND new.substate='todo'),
    closed=(new.status='CLOSED'), roi=new.impact/new.effort_days, effort_days=new.effort_days,
    updated_at=(SELECT at FROM writer) WHERE task_pk=new.pk;
  UPDATE task_derived SET open_blockers = open_blockers + iif(new.status='CLOSED' AND new.substate='done', -1, 1)
   WHERE (old.status='CLOSED' AND old.substate='done') <> (new.status='CLOSED' AND new.substate='done')
     AND task_pk IN (SELECT blocked_pk FROM edges WHERE blocker_pk=new.pk);
END;

-- How many tasks of a project have each state, so that nobody counts them.
CREATE TABLE task_counts(project_pk INTEGER NOT NULL, status TEXT NOT NULL, substate TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY(project_pk, status, substate)) STRICT, WITHOUT ROWID;
INSERT INTO task_counts SELECT project_pk, status, substate, count(*) FROM tasks GROUP BY 1, 2, 3;
CREATE TRIGGER task_count_i AFTER INSERT ON tasks BEGIN
  INSERT INTO task_counts VALUES(new.project_pk,new.status,new.substate,1) ON CONFLICT DO UPDATE SET count=count+1;
END;
CREATE TRIGGER task_count_u AFTER UPDATE OF project_pk, status, substate ON tasks BEGIN
  UPDATE task_counts SET count=count-1 WHERE project_pk=old.project_pk AND status=old.status AND substate=old.substate;
  INSERT INTO task_counts VALUES(new.project_pk,new.status,new.substate,1) ON CONFLICT DO UPDATE SET count=count+1;
  DELETE FROM task_counts WHERE project_pk=old.project_pk AND count=0;
END;
CREATE TRIGGER task_count_d AFTER DELETE ON tasks BEGIN
  UPDATE task_counts SET count=count-1 WHERE project_pk=old.project_pk AND status=old.status AND substate=old.substate;
  DELETE FROM task_counts WHERE project_pk=old.project_pk AND count=0;
END;

-- The kept order of tasks, in which every blocker stands before what it blocks; edges that came in against it are
-- named until they are brought into line.
ALTER TABLE task_derived ADD COLUMN topo INTEGER NOT NULL DEFAULT 0;
CREATE INDEX task_order ON task_derived(topo);
CREATE TABLE edges_unordered(edge_pk INTEGER PRIMARY KEY) STRICT;
DROP TRIGGER task_derive_i;
CREATE TRIGGER task_derive_i AFTER INSERT ON tasks BEGIN
  INSERT INTO task_derived(task_pk,project_pk,handle,open_blockers,startable,closed,roi,effort_days,updated_at,topo)
  VALUES(new.pk,new.project_pk,new.name,0,new.status='OPEN' AND new.substate='todo',new.status='CLOSED',
    new.impact/new.effort_days,new.effort_days,(SELECT at FROM writer),(SELECT coalesce(max(topo),0)+1048576 FROM task_derived));
END;
DROP TRIGGER edge_derive_i;
CREATE TRIGGER edge_derive_i AFTER INSERT ON edges BEGIN
  UPDATE task_derived SET updated_at=(SELECT at FROM writer), open_blockers=open_blockers
      + (SELECT NOT(status='CLOSED' AND substate='done') FROM tasks WHERE pk=new.blocker_pk)
   WHERE task_pk=new.blocked_pk;
  INSERT INTO edges_unordered SELECT new.pk FROM task_derived a, task_derived b
   WHERE a.task_pk=new.blocker_pk AND b.task_pk=new.blocked_pk AND a.topo>=b.topo;
END;
DROP TRIGGER edge_derive_d;
CREATE TRIGGER edge_derive_d BEFORE DELETE ON edges BEGIN
  DELETE FROM edges_unordered WHERE edge_pk=old.pk;
  UPDATE task_derived SET updated_at=(SELECT at FROM writer), open_blockers=open_blockers
      - (SELECT NOT(status='CLOSED' AND substate='done') FROM tasks WHERE pk=old.blocker_pk)
   WHERE task_pk=old.blocked_pk;
END;

-- Log triggers hand over values without names, and keys as they are: what stands once here is not read at every opening.
CREATE TABLE log_columns(entity TEXT NOT NULL, at INTEGER NOT NULL, name TEXT NOT NULL, refers TEXT, PRIMARY KEY(entity, at))
  STRICT, WITHOUT ROWID;
DROP TRIGGER log_write;
DROP VIEW log_entry;
CREATE VIEW log_entry AS SELECT '' AS entity, '' AS uid, '' AS old, '' AS new, '' AS scope;
CREATE TRIGGER log_write INSTEAD OF INSERT ON log_entry
WHEN new.old IS NOT new.new AND (SELECT mode FROM writer) IS NOT 'apply' BEGIN
  SELECT RAISE(ABORT,'no writer') WHERE NOT EXISTS(SELECT 1 FROM writer);
  UPDATE clock SET hlc = max(hlc+1, (SELECT now_hlc FROM writer));
  INSERT INTO ops(hlc,machine,grp,actor,intent,entity,uid,op,old,new,scope,at)
  SELECT clock.hlc, machine, grp, actor, intent, new.entity, new.uid, iif(new.new IS NULL,'del','put'),
    iif(new.old IS NULL, NULL, (SELECT json_group_object(name, CASE refers WHEN 'projects' THEN (SELECT uid FROM projects WHERE pk=value)
      WHEN 'tasks' THEN (SELECT uid FROM tasks WHERE pk=value) WHEN 'agents' THEN (SELECT uid FROM agents WHERE pk=value)
      WHEN 'messages' THEN (SELECT uid FROM messages WHERE pk=value) ELSE value END)
      FROM json_each(new.old) CROSS JOIN log_columns ON entity=new.entity AND at=key WHERE new.new IS NULL OR value IS NOT (new.new->>key))),
    iif(new.new IS NULL, NULL, (SELECT json_group_object(name, CASE refers WHEN 'projects' THEN (SELECT uid FROM projects WHERE pk=value)
      WHEN 'tasks' THEN (SELECT uid FROM tasks WHERE pk=value) WHEN 'agents' THEN (SELECT uid FROM agents WHERE pk=value)
      WHEN 'messages' THEN (SELECT uid FROM messages WHERE pk=value) ELSE value END)
      FROM json_each(new.new) CROSS JOIN log_columns ON entity=new.entity AND at=key WHERE new.old IS NULL OR value IS NOT (new.old->>key))),
    new.scope, at FROM writer, clock;
END;
-- The window that an agent shares with others, by its name.
ALTER TABLE agents ADD COLUMN tab TEXT;

-- Of equal return and effort, what was made first comes first, so that nothing waits for ever behind newcomers.
DROP INDEX task_ready;
CREATE INDEX task_ready ON task_derived(project_pk, roi DESC, effort_days) WHERE startable AND open_blockers=0;
-- Repositories that jj keeps, and directories that are copied.
ALTER TABLE project_repos ADD COLUMN kind TEXT NOT NULL DEFAULT 'git' CHECK(kind IN('git','jj','copy'));
