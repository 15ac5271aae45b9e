//! Every environment variable that Drover reads or sets, what it does, and what it is when unset; one long table.

use Role::{Given, Setting, Surroundings, TestBuilds};

/// How a variable comes into play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person sets it to change what Drover does.
    Setting,
    /// The system, the terminal or the multiplexer has set it; Drover reads it.
    Surroundings,
    /// Drover sets it for what it starts.
    Given,
    /// Builds for tests alone know it.
    TestBuilds,
}

/// One variable, or a family of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name; `<NAME>` stands for a part that varies.
    pub name: &'static str,
    /// How it comes into play.
    pub role: Role,
    /// What it does.
    pub effect: &'static str,
    /// What holds when it is unset.
    pub unset: &'static str,
}

const fn variable(
    role: Role,
    name: &'static str,
    effect: &'static str,
    unset: &'static str,
) -> Variable {
    Variable { name, role, effect, unset }
}

/// The variables, by role and name.
pub const VARIABLES: &[Variable] = &[
    variable(
        Setting,
        "CLAUDE_CONFIG_DIR",
        "where Claude Code keeps its settings, an absolute path",
        "`~/.claude`, and `~/.claude.json`",
    ),
    variable(Setting, "CLICOLOR", "`0` turns colour off", "colour where the terminal shows it"),
    variable(Setting, "CLICOLOR_FORCE", "any value but `0` turns colour on", "not forced"),
    variable(
        Setting,
        "CODEX_HOME",
        "where Codex keeps its settings, an absolute path",
        "`~/.codex`",
    ),
    variable(
        Setting,
        "DROVER_DELEGATE",
        "`0` takes the tools for delegates out of pi",
        "a pi that may start helpers has them",
    ),
    variable(
        Setting,
        "DROVER_ENGINE_<NAME>",
        "the command line of the engine NAME, in upper case and with `_` for every other sign",
        "the engine's own command",
    ),
    variable(
        Setting,
        "DROVER_MUX",
        "the multiplexer for new panes: `tmux`",
        "the one around the caller, else the one installed",
    ),
    variable(
        Setting,
        "DROVER_PROJECT",
        "the project that is meant when no flag names one",
        "the pane or the directory says",
    ),
    variable(
        Setting,
        "DROVER_REMINDERS",
        "`0` turns the reminders inside pi off",
        "each is given at most once a prompt",
    ),
    variable(
        Setting,
        "DROVER_STATE_DIR",
        "the state directory, an absolute path",
        "`$XDG_STATE_HOME/drover`",
    ),
    variable(
        Setting,
        "DROVER_TMUX_SOCKET",
        "the socket of a private tmux server, which reads no configuration",
        "the surrounding server, else the person's own",
    ),
    variable(
        Setting,
        "FORCE_COLOR",
        "any value but `0` and `false` turns colour on, unless `NO_COLOR` is set",
        "not forced",
    ),
    variable(
        Setting,
        "NO_COLOR",
        "any value turns colour off",
        "colour where the terminal shows it",
    ),
    variable(
        Setting,
        "PI_CODING_AGENT_DIR",
        "where pi keeps its settings, an absolute path",
        "`~/.pi/agent`",
    ),
    variable(Surroundings, "CI", "tells that colour is read by a machine", "the terminal says"),
    variable(Surroundings, "COLUMNS", "width of help where there is no terminal", "100"),
    variable(
        Surroundings,
        "HOME",
        "where `.local/state` and `.config` lie",
        "refused, unless the other variables say where to look",
    ),
    variable(
        Surroundings,
        "LINES",
        "height of the screen, read together with `COLUMNS`",
        "unknown",
    ),
    variable(Surroundings, "LOGNAME", "the person's name where `USER` is unset", "`uid-<number>`"),
    variable(Surroundings, "PATH", "where git, tmux and the engines are found", "nothing is found"),
    variable(
        Surroundings,
        "SHELL",
        "the shell of panes that run commands; `false` and `nologin` are none",
        "`/bin/sh`",
    ),
    variable(Surroundings, "TERM", "`dumb` turns colour off", "no colour"),
    variable(Surroundings, "TMUX", "the tmux server around the caller", "not inside tmux"),
    variable(Surroundings, "TMUX_PANE", "the pane around the caller", "not inside tmux"),
    variable(Surroundings, "TMUX_TMPDIR", "where the socket of tmux's own server lies", "`/tmp`"),
    variable(Surroundings, "USER", "the person's name, as the log has it", "`LOGNAME`"),
    variable(
        Surroundings,
        "XDG_CONFIG_HOME",
        "where `drover/config.toml` lies, if it is an absolute path",
        "`~/.config`",
    ),
    variable(
        Surroundings,
        "XDG_STATE_HOME",
        "where `drover/` lies, if it is an absolute path",
        "`~/.local/state`",
    ),
    variable(Given, "DROVER_AGENT", "the name of the agent the process belongs to", "no agent"),
    variable(
        Given,
        "DROVER_AGENT_UID",
        "the mark by which the processes of an agent are found",
        "no agent",
    ),
    variable(
        Given,
        "DROVER_BINARY",
        "Drover's own program, for the extension inside pi",
        "the extension makes no calls",
    ),
    variable(
        Given,
        "DROVER_BRIEF",
        "the file with the brief of the task, for a work command",
        "no task",
    ),
    variable(
        Given,
        "DROVER_CONTROL",
        "the path at which the extension inside pi serves its control socket",
        "it serves none",
    ),
    variable(
        Given,
        "DROVER_LINK",
        "the mark of an entry that `drover link` wrote; the server does not read it",
        "the entry is somebody else's",
    ),
    variable(Given, "DROVER_MACHINE", "the name of the machine", "not an agent's process"),
    variable(
        Given,
        "DROVER_ROLE",
        "the role of the agent, for the extension inside pi",
        "the extension takes no role for granted",
    ),
    variable(
        Given,
        "DROVER_SOURCE",
        "the repository that a workspace was made from, for its set-up command",
        "not in a set-up command",
    ),
    variable(Given, "DROVER_TASK", "the id of the task, for a work command", "no task"),
    variable(
        Given,
        "DROVER_TOKEN",
        "the secret by which an agent's calls are told from a person's; it counts only below the agent's own process",
        "the caller is a person",
    ),
    variable(
        Given,
        "DROVER_WORKSPACE",
        "the checkout that a set-up or work command is for",
        "not in such a command",
    ),
];

/// What builds for tests know besides; apart, so that no released program holds the names.
pub const TEST_BUILDS: &[Variable] = &[
    variable(
        TestBuilds,
        "DROVER_CRASH_AT",
        "ends the process at the step of this number, as a power cut would",
        "runs to the end",
    ),
    variable(
        TestBuilds,
        "DROVER_CRASH_COUNT",
        "a file that gets a line for each step",
        "not counted",
    ),
    variable(
        TestBuilds,
        "DROVER_TEST_MIGRATION",
        "any value adds a migration to the known ones",
        "only the known ones",
    ),
    variable(
        TestBuilds,
        "DROVER_TEST_STATEMENTS",
        "a file that gets every statement that the database is asked to run, one a line as JSON",
        "not told",
    ),
];
