//! What the tools leave out of the command line, and where they differ from it, each with the reason: tables.

/// Verbs that are no tools, besides those that only people may use.
pub(super) const LEFT_OUT: &[(&str, &str)] = &[
    ("agent attach", "it takes over the terminal"),
    ("completions", "it is for a shell"),
    ("demo", "it is for a person to look at"),
    ("man", "it is for a person to read; docs and --help say the same"),
    ("mcp", "it is this server"),
    ("me work", "it is typed into the pane of the agent, and ends with its work"),
];

/// Arguments that no tool takes: of every verb where none is named.
pub(super) const LEFT_OUT_ARGUMENTS: &[(&str, &str, &str)] = &[
    ("", "actor", "who acts is found out and never said"),
    ("", "color", "a message has no colour"),
    ("", "json", "every answer is JSON"),
    ("", "quiet", "a message has no hints to leave out"),
    ("dispatch", "timeout", "it bounds --watch"),
    ("dispatch", "watch", "it goes on until all is done; wait for agents or tasks instead"),
    ("log", "tail", "it never ends; read on from the last position instead"),
    ("project trust", "yes", "only a person lets commands from outside run"),
    ("task plan", "svg", "a picture is for people; a message has the plan itself"),
    ("run", "trust", "only a person lets commands from outside run"),
];

/// Verbs that change nothing, however they are called: keys and dry runs would have nothing to do.
pub(super) const READ_ONLY: &[&str] = &[
    "agent explain",
    "agent list",
    "agent read",
    "agent show",
    "agent wait",
    "me show",
    "me tasks",
    "project list",
    "project show",
    "skill",
    "state",
    "task export",
    "task list",
    "task notes",
    "task plan",
    "task show",
    "task tree",
    "task wait",
    "task why",
    "workspace commits",
    "workspace diff",
    "workspace list",
    "workspace orphans",
    "workspace path",
];

/// Flags of the command line that only mean something to verbs that change something.
pub(super) const OF_CHANGES: &[&str] = &["dry_run", "key"];

/// Defaults of tools that differ, so that no call goes on for ever unasked: verb, argument, default.
pub(super) const BOUNDS: &[(&str, &str, &str)] = &[("run", "timeout", "10m")];
