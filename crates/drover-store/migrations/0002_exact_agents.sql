-- Exact agents: what they say of themselves, which conversations they had, and how a message reached them.

ALTER TABLE agents ADD COLUMN permission TEXT;
ALTER TABLE agents ADD COLUMN sandbox TEXT;
ALTER TABLE agents ADD COLUMN writable_roots TEXT NOT NULL DEFAULT '[]';
ALTER TABLE agents ADD COLUMN resumes INTEGER NOT NULL DEFAULT 0 CHECK(resumes IN(0,1));
ALTER TABLE messages ADD COLUMN via TEXT CHECK(via IN('mux'));
ALTER TABLE messages ADD COLUMN turn INTEGER;
ALTER TABLE messages ADD COLUMN turn_id TEXT;

-- Every conversation an agent had, so that a failed resume loses no pointer to one.
CREATE TABLE conversations(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  agent_pk INTEGER NOT NULL REFERENCES agents(pk), conversation_id TEXT NOT NULL, file TEXT,
  chosen_by TEXT NOT NULL CHECK(chosen_by IN('drover','engine')), UNIQUE(agent_pk, conversation_id)) STRICT;

-- The last word of an agent's hooks; a cache of what it said, not of what is.
CREATE TABLE agent_reports(
  agent_pk INTEGER PRIMARY KEY, event TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, until TEXT, since TEXT NOT NULL,
  conversation_id TEXT, turns INTEGER NOT NULL, last_text TEXT, last_error TEXT, at TEXT NOT NULL) STRICT;
-- The prompts that an agent's hooks said were submitted, as proof of a send.
CREATE TABLE prompt_reports(
  pk INTEGER PRIMARY KEY, agent_pk INTEGER NOT NULL, digest TEXT NOT NULL, turn INTEGER NOT NULL, at TEXT NOT NULL) STRICT;
CREATE INDEX prompt_reports_agent ON prompt_reports(agent_pk, digest);

-- Helpers that were given one task in words, and what each answered.
CREATE TABLE delegates(
  pk INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  project_pk INTEGER NOT NULL REFERENCES projects(pk), name TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN('queued','starting','running','done','empty','error','died','timeout','cancelled','failed')),
  delegator TEXT NOT NULL, label TEXT, engine TEXT NOT NULL, model TEXT, cwd TEXT,
  keeps_pane INTEGER NOT NULL CHECK(keeps_pane IN(0,1)), timeout_ms INTEGER NOT NULL, record_uid TEXT,
  agent_uid TEXT, message_uid TEXT, started_at TEXT, supervisor_pid INTEGER, supervisor_started TEXT,
  turn INTEGER, reason TEXT, is_pane_open INTEGER NOT NULL DEFAULT 0 CHECK(is_pane_open IN(0,1)), ended_at TEXT) STRICT;
CREATE INDEX delegates_open ON delegates(state) WHERE state IN('queued','starting','running');
-- What a delegate was told and what it answered, exactly, until it is erased.
CREATE TABLE delegate_texts(
  delegate_pk INTEGER PRIMARY KEY, task TEXT NOT NULL, answer TEXT, erase_after TEXT) STRICT;

-- What agents used, as their engines' own files say; a cache of those files.
CREATE TABLE usage_files(
  agent_pk INTEGER NOT NULL, path TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL, offset INTEGER NOT NULL,
  model TEXT, thread TEXT, PRIMARY KEY(agent_pk, path)) STRICT, WITHOUT ROWID;
CREATE TABLE usage_calls(
  agent_pk INTEGER NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, model TEXT, input INTEGER NOT NULL, cached INTEGER NOT NULL,
  written INTEGER NOT NULL, output INTEGER NOT NULL, micros INTEGER, PRIMARY KEY(agent_pk, id)) STRICT, WITHOUT ROWID;
