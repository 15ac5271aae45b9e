-- Depth and scale: graphs of any size.

-- The kept order of tasks, in which every blocker stands before what it blocks; edges that came in against it are
-- named until they are brought into line.
ALTER TABLE task_derived ADD COLUMN topo INTEGER NOT NULL DEFAULT 0;
CREATE INDEX task_order ON task_derived(topo);
CREATE TABLE edges_unordered(edge_pk INTEGER PRIMARY KEY) STRICT;
DROP TRIGGER task_derive_i;
CREATE TRIGGER task_derive_i AFTER INSERT ON tasks BEGIN
  INSERT INTO task_derived(task_pk,project_pk,handle,open_blockers,startable,roi,effort_days,updated_at,topo)
  VALUES(new.pk,new.project_pk,new.name,0,new.status='OPEN' AND new.substate='todo',new.impact/new.effort_days,new.effort_days,
    (SELECT at FROM writer),(SELECT coalesce(max(topo),0)+1048576 FROM task_derived));
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
