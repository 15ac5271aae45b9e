//! The only reader of environment variables, and the rules of who inherits which.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Why a place could not be worked out from the environment.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// `HOME` is unset, empty or relative and nothing else says where to look.
    #[error("HOME is not set to an absolute path, and neither is {instead}")]
    NoHome {
        /// The variable that would have answered as well.
        instead: &'static str,
    },
    /// An explicit directory must not depend on where one stands.
    #[error("{name} is {}, which is not an absolute path", value.display())]
    Relative {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: PathBuf,
    },
}

/// Variables every program Drover runs may see.
pub const PROGRAM: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "GNUPGHOME",
];

/// The `GIT_` variables that say who and how, never where: a `GIT_DIR` of the caller must not
/// redirect a call that names its own directory.
pub const GIT: &[&str] = &[
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_ASKPASS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_ALLOW_PROTOCOL",
    "GIT_EXEC_PATH",
    "GIT_SSL_CAINFO",
    "GIT_TEMPLATE_DIR",
];

/// What an agent inherits on top of `PROGRAM` and `GIT`: terminal, locale, desktop, tool homes.
pub const AGENT: &[&str] = &[
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "TMUX_PANE",
    "LANG",
    "LANGUAGE",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "LESS",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PNPM_HOME",
    "BUN_INSTALL",
    "PYENV_ROOT",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "DROVER_DELEGATE",
    "DROVER_REMINDERS",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
];

/// Variables that tell a program it runs inside an agent. No child inherits them, named or not.
pub const DENIED: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PID",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "AI_AGENT",
    "PI_CODING_AGENT",
    "OPENCODE",
    "GEMINI_CLI",
    "CURSOR_AGENT",
];

/// Families of denied variables, by prefix.
pub const DENIED_PREFIXES: &[&str] = &["DROVER_", "HERDR_"];

/// Variables that the pane sets, and nobody else can know.
const TERMINAL: &[&str] =
    &["TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"];

/// Variables that place a program inside one pane, so a new server must not start with them.
const PANE: &[&str] = &["TMUX", "TMUX_PANE", "STY", "WINDOW"];

/// What stands in place of a shell for users who are not to log in.
const REFUSALS: &[&str] = &["false", "nologin", "true"];

/// Variables that say where Drover keeps things and what it works with, and not who calls.
const SETTINGS: &[&str] = &["DROVER_MUX", "DROVER_STATE_DIR", "DROVER_TMUX_SOCKET"];

/// One reading of the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env {
    variables: BTreeMap<OsString, OsString>,
}

impl Env {
    /// Reads this process's environment.
    pub fn capture() -> Self {
        std::env::vars_os().collect()
    }

    /// The value of a variable; an empty one counts as unset.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|it| !it.is_empty())
    }

    /// The value of a variable that must be text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    /// The state directory: `DROVER_STATE_DIR`, else `XDG_STATE_HOME/drover`, else below `HOME`.
    pub fn state_dir(&self) -> Result<PathBuf, EnvError> {
        if let Some(explicit) = self.get("DROVER_STATE_DIR") {
            return absolute("DROVER_STATE_DIR", explicit);
        }
        self.base("XDG_STATE_HOME", ".local/state").map(|it| it.join("drover"))
    }

    /// The configuration file, which need not exist.
    pub fn config_path(&self) -> Result<PathBuf, EnvError> {
        self.base("XDG_CONFIG_HOME", ".config").map(|it| it.join("drover").join("config.toml"))
    }

    /// The directory that a variable names, else one below the home directory.
    pub fn directory(&self, variable: &'static str, below_home: &str) -> Result<PathBuf, EnvError> {
        match self.get(variable) {
            Some(explicit) => absolute(variable, explicit),
            None => self
                .home()
                .map(|it| it.join(below_home))
                .ok_or(EnvError::NoHome { instead: variable }),
        }
    }

    /// The home directory, if it is an absolute path.
    pub fn home(&self) -> Option<PathBuf> {
        self.get("HOME").map(PathBuf::from).filter(|it| it.is_absolute())
    }

    /// `DROVER_PROJECT`, the project meant when no flag names one.
    pub fn project(&self) -> Option<&str> {
        self.text("DROVER_PROJECT")
    }

    /// `DROVER_AGENT`, the name an agent was started under.
    pub fn agent(&self) -> Option<&str> {
        self.text("DROVER_AGENT")
    }

    /// `DROVER_AGENT_UID`, the identity of the agent this process was started below.
    pub fn agent_uid(&self) -> Option<&str> {
        self.text("DROVER_AGENT_UID")
    }

    /// `DROVER_TOKEN`, the secret an agent shows.
    pub fn token(&self) -> Option<&str> {
        self.text("DROVER_TOKEN")
    }

    /// `DROVER_MUX`, the multiplexer asked for.
    pub fn mux(&self) -> Option<&str> {
        self.text("DROVER_MUX")
    }

    /// `DROVER_TMUX_SOCKET`, the socket of a private tmux server.
    pub fn tmux_socket(&self) -> Option<PathBuf> {
        self.get("DROVER_TMUX_SOCKET").map(PathBuf::from)
    }

    /// The socket named by `TMUX`, that is of the server this process's pane belongs to.
    pub fn surrounding_tmux_socket(&self) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStrExt as _;
        // `TMUX` is `socket,server pid,session`; only the socket may hold commas.
        let value = self.get("TMUX")?.as_bytes();
        let mut parts = value.rsplitn(3, |byte| *byte == b',');
        let (_session, _pid, socket) = (parts.next()?, parts.next()?, parts.next()?);
        (!socket.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(socket)))
    }

    /// The process of the server named by `TMUX`.
    pub fn surrounding_tmux_pid(&self) -> Option<u32> {
        self.text("TMUX")?.rsplit(',').nth(1)?.parse().ok()
    }

    /// `TMUX_PANE`, the pane this process runs in.
    pub fn tmux_pane(&self) -> Option<&str> {
        self.text("TMUX_PANE")
    }

    /// The person's name: `USER`, else `LOGNAME`, else the number of the user.
    pub fn user(&self) -> String {
        match self.text("USER").or_else(|| self.text("LOGNAME")) {
            Some(name) => name.to_owned(),
            None => format!("uid-{}", rustix::process::getuid().as_raw()),
        }
    }

    /// The person's shell, `/bin/sh` when `SHELL` does not say, or names what only refuses a login.
    pub fn shell(&self) -> PathBuf {
        let refuses = |it: &Path| {
            it.file_name().is_some_and(|name| REFUSALS.iter().any(|known| name == *known))
        };
        let named = self.get("SHELL").map(PathBuf::from).filter(|it| !refuses(it));
        named.unwrap_or_else(|| PathBuf::from("/bin/sh"))
    }

    /// Whether `FORCE_COLOR` asks for colour; `NO_COLOR` wins over it.
    pub fn forces_color(&self) -> bool {
        let is_forced = self.text("FORCE_COLOR").is_some_and(|it| it != "0" && it != "false");
        is_forced && self.get("NO_COLOR").is_none()
    }

    /// The command line `DROVER_ENGINE_<NAME>` puts in place of an engine's own.
    pub fn engine_override(&self, engine: &str) -> Option<&str> {
        let name: String = engine
            .chars()
            .map(|it| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' })
            .collect();
        self.text(&format!("DROVER_ENGINE_{name}"))
    }

    /// What a program run by Drover sees: an allow list, and a locale whose messages can be read.
    #[must_use]
    pub fn for_program(&self) -> Self {
        let mut chosen = self.only(is_for_programs);
        chosen.set("LC_ALL", "C");
        chosen
    }

    /// What an agent inherits: an allow list, plus the variables its profile names.
    #[must_use]
    pub fn for_agent(&self, named: &[String]) -> Self {
        self.only(|name| {
            !is_denied(name)
                && (is_for_programs(name)
                    || AGENT.contains(&name)
                    || name.starts_with("LC_")
                    || named.iter().any(|it| it == name))
        })
    }

    /// What only the pane can say: its terminal and where it is.
    #[must_use]
    pub fn of_pane(&self) -> Self {
        self.only(|name| TERMINAL.contains(&name))
    }

    /// What an agent keeps from the person who starts it, for as long as it is restarted: all it
    /// inherits but what its pane says.
    #[must_use]
    pub fn for_agent_anywhere(&self, named: &[String]) -> Self {
        self.for_agent(named).only(|name| !TERMINAL.contains(&name))
    }

    /// What a multiplexer server may start with: the person's own environment, without anything
    /// that belongs to an agent or to the pane of the caller.
    #[must_use]
    pub fn for_server(&self) -> Self {
        self.only(|name| !is_denied(name) && !PANE.contains(&name))
    }

    /// What a part of Drover gets that outlives its caller: all but what makes the caller an agent.
    #[must_use]
    pub fn for_own_part(&self) -> Self {
        self.only(|name| {
            let is_setting = SETTINGS.contains(&name) || name.starts_with("DROVER_ENGINE_");
            is_setting || (!is_denied(name) && name != "TMUX_PANE")
        })
    }

    /// What a program gets that takes over the person's terminal.
    #[must_use]
    pub fn for_terminal(&self) -> Self {
        self.only(|name| !is_denied(name))
    }

    /// Sets a variable in this reading, not in the process.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.insert(name.into(), value.into());
    }

    /// All variables, in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        self.variables
            .iter()
            .filter(|(name, _)| name.to_str().is_some_and(&wanted))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    fn base(&self, variable: &'static str, below_home: &str) -> Result<PathBuf, EnvError> {
        let explicit = self.get(variable).map(Path::new).filter(|it| it.is_absolute());
        match explicit {
            Some(path) => Ok(path.to_owned()),
            None => self
                .home()
                .map(|it| it.join(below_home))
                .ok_or(EnvError::NoHome { instead: variable }),
        }
    }
}

impl FromIterator<(OsString, OsString)> for Env {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(pairs: I) -> Self {
        Self { variables: pairs.into_iter().collect() }
    }
}

/// Whether a variable is kept from every child, even when a profile names it.
pub fn is_denied(name: &str) -> bool {
    let is_of_family = DENIED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    // What a person sets for the extension inside an agent has a name of our family, too.
    DENIED.contains(&name) || (is_of_family && !AGENT.contains(&name))
}

/// The name of this machine, as the kernel has it.
pub fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Where the program of this process lies on disk.
pub fn current_exe() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// The directory the person stands in.
pub fn current_dir() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// Leaves the directory this process was started in, so that it stands in nobody's way.
pub fn leave_directory() -> std::io::Result<()> {
    std::env::set_current_dir("/")
}

fn is_for_programs(name: &str) -> bool {
    PROGRAM.contains(&name)
        || GIT.contains(&name)
        || name.starts_with("XDG_")
        || name.starts_with("GIT_CONFIG_KEY_")
        || name.starts_with("GIT_CONFIG_VALUE_")
}

fn absolute(name: &'static str, value: &OsStr) -> Result<PathBuf, EnvError> {
    let path = PathBuf::from(value);
    if path.is_absolute() { Ok(path) } else { Err(EnvError::Relative { name, value: path }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Env {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn the_state_directory_follows_its_order() {
        let check = |pairs: &[(&str, &str)], expected: &str| {
            assert_eq!(env(pairs).state_dir().unwrap(), PathBuf::from(expected));
        };
        check(&[("DROVER_STATE_DIR", "/s"), ("XDG_STATE_HOME", "/x"), ("HOME", "/h")], "/s");
        check(&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")], "/x/drover");
        check(&[("XDG_STATE_HOME", "x"), ("HOME", "/h")], "/h/.local/state/drover");
        check(&[("XDG_STATE_HOME", ""), ("HOME", "/h")], "/h/.local/state/drover");
    }

    #[test]
    fn a_relative_state_directory_is_refused_by_name() {
        let error = env(&[("DROVER_STATE_DIR", "here"), ("HOME", "/h")]).state_dir().unwrap_err();
        assert_eq!(error.to_string(), "DROVER_STATE_DIR is here, which is not an absolute path");
        assert!(matches!(env(&[]).state_dir(), Err(EnvError::NoHome { .. })));
    }

    #[test]
    fn programs_see_no_agent_variables_and_no_foreign_git_directory() {
        let all = env(&[
            ("PATH", "/bin"),
            ("CLAUDECODE", "1"),
            ("GIT_DIR", "/elsewhere"),
            ("GIT_AUTHOR_NAME", "n"),
            ("DROVER_TOKEN", "t"),
            ("LC_ALL", "de_DE.UTF-8"),
        ]);
        let names: Vec<_> = all.for_program().iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, ["GIT_AUTHOR_NAME", "LC_ALL", "PATH"]);
    }

    /// Fault P-16.
    #[test]
    fn an_agent_inherits_what_its_profile_names_but_never_a_denied_variable() {
        let all = env(&[("API_KEY", "k"), ("CLAUDECODE", "1"), ("OTHER", "o"), ("TERM", "x")]);
        let chosen = all.for_agent(&["API_KEY".to_owned(), "CLAUDECODE".to_owned()]);
        assert_eq!(chosen, env(&[("API_KEY", "k"), ("TERM", "x")]));
    }

    #[test]
    fn a_server_starts_without_tokens_and_without_the_callers_pane() {
        let all = env(&[("DROVER_TOKEN", "t"), ("TMUX", "/s,1,0"), ("MY", "own")]);
        assert_eq!(all.for_server(), env(&[("MY", "own")]));
    }

    #[test]
    fn the_surrounding_socket_may_hold_commas() {
        let check = |value: &str, expected: Option<&str>| {
            let found = env(&[("TMUX", value)]).surrounding_tmux_socket();
            assert_eq!(found, expected.map(PathBuf::from));
        };
        check("/tmp/tmux-0/default,12,0", Some("/tmp/tmux-0/default"));
        check("/tmp/a,b/s,12,0", Some("/tmp/a,b/s"));
        check("nonsense", None);
        check("", None);
    }

    #[test]
    fn what_only_refuses_a_login_is_no_shell() {
        let check = |shell: &str, expected: &str| {
            assert_eq!(env(&[("SHELL", shell)]).shell(), PathBuf::from(expected), "{shell}");
        };
        check("/usr/bin/fish", "/usr/bin/fish");
        check("/usr/sbin/nologin", "/bin/sh");
        check("/bin/false", "/bin/sh");
        check("", "/bin/sh");
    }

    #[test]
    fn colour_is_forced_by_a_true_value_unless_none_is_wanted() {
        let check = |pairs: &[(&str, &str)], expected: bool| {
            assert_eq!(env(pairs).forces_color(), expected, "{pairs:?}");
        };
        check(&[("FORCE_COLOR", "1")], true);
        check(&[("FORCE_COLOR", "0")], false);
        check(&[("FORCE_COLOR", "")], false);
        check(&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], false);
        check(&[], false);
    }

    #[test]
    fn an_engine_override_is_found_under_its_upper_case_name() {
        let all = env(&[("DROVER_ENGINE_MY_TOOL", "x --y")]);
        assert_eq!(all.engine_override("my-tool"), Some("x --y"));
        assert_eq!(all.engine_override("other"), None);
    }
}
