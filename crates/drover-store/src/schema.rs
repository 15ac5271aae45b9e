//! The list of migrations and the list of logged tables.

/// Marks the file as Drover's (`DRVR`).
pub(crate) const APPLICATION_ID: i64 = 0x4452_5652;

/// The migrations, in order; the n-th brings the schema to version n. Never edited once released.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_first.sql"),
    include_str!("../migrations/0002_exact_agents.sql"),
    include_str!("../migrations/0003_depth.sql"),
];

/// Whether a table's rows travel to other machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Synced, and offered by `undo`.
    Portable,
    /// This machine's only.
    Local,
}

impl Scope {
    /// The word in `ops.scope`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Local => "local",
        }
    }
}

/// A table whose every row change is logged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logged {
    /// The word in `ops.entity`.
    pub(crate) entity: &'static str,
    pub(crate) table: &'static str,
    pub(crate) scope: Scope,
    /// Deletes the children first, in the same trigger, so that their log entries still see the parent.
    pub(crate) on_delete: &'static str,
}

const fn logged(entity: &'static str, table: &'static str, scope: Scope) -> Logged {
    Logged { entity, table, scope, on_delete: "" }
}

/// Every logged table. A column `x_pk` of it refers to the table of entity `x` (see [`referred`]).
pub(crate) const LOGGED: &[Logged] = &[
    Logged {
        on_delete: "DELETE FROM tasks WHERE project_pk=old.pk; DELETE FROM evidence WHERE project_pk=old.pk; \
            DELETE FROM agents WHERE project_pk=old.pk; DELETE FROM project_repos WHERE project_pk=old.pk; \
            DELETE FROM project_places WHERE project_pk=old.pk; DELETE FROM policy_values WHERE project_pk=old.pk; \
            DELETE FROM command_trust WHERE project_pk=old.pk; DELETE FROM log_lines WHERE project_pk=old.pk; \
            DELETE FROM delegates WHERE project_pk=old.pk;",
        ..logged("project", "projects", Scope::Portable)
    },
    logged("project_repo", "project_repos", Scope::Local),
    logged("project_place", "project_places", Scope::Local),
    logged("policy_value", "policy_values", Scope::Portable),
    logged("command_trust", "command_trust", Scope::Local),
    Logged {
        on_delete: "DELETE FROM edges WHERE blocker_pk=old.pk; DELETE FROM edges WHERE blocked_pk=old.pk; \
            DELETE FROM notes WHERE task_pk=old.pk; DELETE FROM task_derived WHERE task_pk=old.pk;",
        ..logged("task", "tasks", Scope::Portable)
    },
    logged("edge", "edges", Scope::Portable),
    logged("note", "notes", Scope::Portable),
    logged("evidence", "evidence", Scope::Portable),
    Logged {
        on_delete: "DELETE FROM messages WHERE agent_pk=old.pk; DELETE FROM workspaces WHERE agent_pk=old.pk; \
            DELETE FROM agent_env WHERE agent_pk=old.pk; DELETE FROM conversations WHERE agent_pk=old.pk; \
            DELETE FROM agent_reports WHERE agent_pk=old.pk; DELETE FROM prompt_reports WHERE agent_pk=old.pk; \
            DELETE FROM usage_files WHERE agent_pk=old.pk; DELETE FROM usage_calls WHERE agent_pk=old.pk;",
        ..logged("agent", "agents", Scope::Local)
    },
    logged("conversation", "conversations", Scope::Local),
    logged("workspace", "workspaces", Scope::Local),
    Logged {
        on_delete: "DELETE FROM message_bodies WHERE message_pk=old.pk;",
        ..logged("message", "messages", Scope::Local)
    },
    Logged {
        on_delete: "DELETE FROM delegate_texts WHERE delegate_pk=old.pk;",
        ..logged("delegate", "delegates", Scope::Local)
    },
    logged("log_line", "log_lines", Scope::Portable),
    logged("rescue", "rescues", Scope::Local),
];

/// The logged table of an entity word.
pub(crate) fn table_of(entity: &str) -> Option<&'static Logged> {
    LOGGED.iter().find(|it| it.entity == entity)
}

/// The table that a column `<word>_pk` refers to.
pub(crate) fn referred(word: &str) -> &'static str {
    match word {
        "project" => "projects",
        "agent" => "agents",
        "message" => "messages",
        "delegate" => "delegates",
        _ => "tasks",
    }
}
