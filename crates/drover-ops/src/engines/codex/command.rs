//! The command lines of an app-server and of the terminal program that is connected to it.

use std::path::Path;

use drover_store::agents::Profile;

/// The options of the person's own command that say what the app-server is to do as well.
#[derive(Debug, Clone, Copy)]
enum Reaches {
    /// A setting under another name: the app-server takes settings only.
    Setting(&'static str),
    /// The same word for both.
    Both,
    /// A directory that may be written: with an app-server of its own the terminal may not say so.
    Root,
}

const OPTIONS: &[(&str, Reaches)] = &[
    ("-m", Reaches::Setting("model")),
    ("--model", Reaches::Setting("model")),
    ("-s", Reaches::Setting("sandbox_mode")),
    ("--sandbox", Reaches::Setting("sandbox_mode")),
    ("-a", Reaches::Setting("approval_policy")),
    ("--ask-for-approval", Reaches::Setting("approval_policy")),
    ("-c", Reaches::Both),
    ("--config", Reaches::Both),
    ("--enable", Reaches::Both),
    ("--disable", Reaches::Both),
    ("--add-dir", Reaches::Root),
];

/// Neither asks nor holds anything back.
const UNBOUND: &[&str] = &["--dangerously-bypass-approvals-and-sandbox", "--yolo"];

/// The setting behind `--add-dir`.
const WRITABLE_ROOTS: &str = "sandbox_workspace_write.writable_roots";

/// Settings of the terminal program: it is not to ask about updates, and takes a fast Enter as one.
const TERMINAL: [(&str, bool); 2] =
    [("check_for_update_on_startup", false), ("disable_paste_burst", true)];

/// A command taken apart into what the app-server and what the terminal program gets of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    /// The words up to the program itself.
    program: Vec<String>,
    /// What only the terminal program understands.
    terminal: Vec<String>,
    /// What both get.
    both: Vec<String>,
    /// Settings of the app-server, as `name=value`.
    settings: Vec<String>,
    /// Directories that may be written beside its own.
    roots: Vec<String>,
}

impl Parts {
    /// Takes a command apart; none if it chooses an app-server or a conversation itself.
    pub(super) fn of(command: &[String]) -> Option<Self> {
        let (program, rest) = command.split_at(program_words(command));
        let mut parts = Self {
            program: program.to_vec(),
            terminal: Vec::new(),
            both: Vec::new(),
            settings: Vec::new(),
            roots: Vec::new(),
        };
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            if name == "--remote" || ["resume", "fork"].contains(&name) {
                return None;
            }
            if UNBOUND.contains(&name) {
                parts.set("approval_policy", "never");
                parts.set("sandbox_mode", "danger-full-access");
                continue;
            }
            let Some((_, option)) = OPTIONS.iter().find(|it| it.0 == name) else {
                parts.terminal.push(word.clone());
                continue;
            };
            let Some(value) = value.or_else(|| words.next().cloned()) else { continue };
            match option {
                Reaches::Setting(setting) => parts.set(setting, &value),
                Reaches::Both if is_permission(&value) => parts.settings.push(value),
                Reaches::Both => parts.both.extend([name.to_owned(), value]),
                Reaches::Root => parts.roots.push(value),
            }
        }
        Some(parts)
    }

    /// Adds what an agent's profile chooses; it wins over the command.
    pub(super) fn with_profile(mut self, profile: &Profile) -> Self {
        let unattended = profile.unattended.then_some("never");
        let chosen = [
            ("model", profile.model.as_deref()),
            ("model_reasoning_effort", profile.thinking.as_deref()),
            ("sandbox_mode", profile.sandbox.as_deref()),
            ("approval_policy", profile.permission.as_deref().or(unattended)),
        ];
        for (name, value) in chosen {
            if let Some(value) = value {
                self.set(name, value);
            }
        }
        self
    }

    fn set(&mut self, name: &str, value: &str) {
        self.settings.push(format!("{name}={}", quoted(value)));
    }

    /// The command of the app-server that serves this socket.
    pub(super) fn server(&self, socket: &Path) -> Vec<String> {
        let mut words = self.program.clone();
        words.extend(["app-server".to_owned(), "--listen".to_owned(), address(socket)]);
        words.extend(self.both.iter().cloned());
        words.extend(self.settings.iter().flat_map(|it| ["-c".to_owned(), it.clone()]));
        if !self.roots.is_empty() {
            let roots = serde_json::Value::from(self.roots.as_slice());
            words.extend(["-c".to_owned(), format!("{WRITABLE_ROOTS}={roots}")]);
        }
        words
    }

    /// The command of the terminal program on an app-server, in a conversation if one goes on.
    ///
    /// What a new conversation may do is said to the terminal too, which otherwise asks for what it thinks right
    /// for the directory. A conversation that goes on has it already, and Codex refuses to be told again.
    pub(super) fn terminal_on(&self, socket: &Path, resumes: Option<&str>) -> Vec<String> {
        let mut words = self.terminal(resumes);
        if resumes.is_none() {
            let permissions = self.settings.iter().filter(|it| is_permission(it));
            words.extend(permissions.flat_map(|it| ["-c".to_owned(), it.clone()]));
        }
        words.extend(["--remote".to_owned(), address(socket)]);
        words
    }

    /// The command of the terminal program that does without an app-server.
    pub(super) fn terminal_alone(&self, resumes: Option<&str>) -> Vec<String> {
        let mut words = self.terminal(resumes);
        words.extend(self.settings.iter().flat_map(|it| ["-c".to_owned(), it.clone()]));
        words.extend(self.roots.iter().flat_map(|it| ["--add-dir".to_owned(), it.clone()]));
        words
    }

    /// The words up to the program itself.
    pub(super) fn program(&self) -> &[String] {
        &self.program
    }

    fn terminal(&self, resumes: Option<&str>) -> Vec<String> {
        let mut words = self.program.clone();
        if let Some(conversation) = resumes {
            words.extend(["resume".to_owned(), conversation.to_owned()]);
        }
        words.extend(self.terminal.iter().chain(&self.both).cloned());
        for (name, value) in TERMINAL {
            words.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        words
    }
}

/// Whether a setting says what a conversation may do.
fn is_permission(setting: &str) -> bool {
    ["sandbox_mode", "approval_policy"]
        .contains(&setting.split('=').next().unwrap_or_default().trim())
}

/// How many words name the program: up to `codex` itself, else up to the first option.
fn program_words(command: &[String]) -> usize {
    let is_codex =
        |it: &String| Path::new(it).file_stem().is_some_and(|stem| stem.to_str() == Some("codex"));
    let named = command.iter().position(is_codex).map(|it| it + 1);
    named.unwrap_or_else(|| command.iter().take_while(|it| !it.starts_with('-')).count().max(1))
}

fn address(socket: &Path) -> String {
    format!("unix://{}", socket.display())
}

/// A text as TOML writes it, so that no value is taken for a number, a table or another setting.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn profile() -> Profile {
        Profile {
            role: "worker".to_owned(),
            engine: "codex".to_owned(),
            command: String::new(),
            work: None,
            takes_work: "message".to_owned(),
            env_names: "[]".to_owned(),
            model: Some("gpt-9".to_owned()),
            thinking: Some("high".to_owned()),
            unattended: true,
            skills: "[]".to_owned(),
            cwd: "/".to_owned(),
            permission: None,
            sandbox: Some("workspace-write".to_owned()),
        }
    }

    #[test]
    fn the_app_server_is_told_what_the_profile_chooses_and_the_terminal_where_it_is() {
        let parts = Parts::of(&words("codex")).unwrap().with_profile(&profile());
        let socket = Path::new("/run/x.codex");
        assert_eq!(
            parts.server(socket),
            words(
                "codex app-server --listen unix:///run/x.codex -c model=\"gpt-9\" -c model_reasoning_effort=\"high\" \
                 -c sandbox_mode=\"workspace-write\" -c approval_policy=\"never\""
            )
        );
        assert_eq!(
            parts.terminal_on(socket, Some("01a2")),
            words(
                "codex resume 01a2 -c check_for_update_on_startup=false -c disable_paste_burst=true \
                 --remote unix:///run/x.codex"
            )
        );
    }

    #[test]
    fn options_of_the_persons_own_command_reach_who_understands_them() {
        let line = "node /opt/codex.js -m gpt-8 --sandbox=read-only -c a=1 --profile mine --yolo \
                    --add-dir /a --add-dir /b";
        let parts = Parts::of(&words(line)).unwrap();
        let socket = Path::new("/s");
        assert_eq!(
            parts.server(socket),
            words(
                "node /opt/codex.js app-server --listen unix:///s -c a=1 -c model=\"gpt-8\" \
                 -c sandbox_mode=\"read-only\" -c approval_policy=\"never\" -c sandbox_mode=\"danger-full-access\" \
                 -c sandbox_workspace_write.writable_roots=[\"/a\",\"/b\"]"
            )
        );
        assert_eq!(
            parts.terminal_on(socket, None),
            words(
                "node /opt/codex.js --profile mine -c a=1 -c check_for_update_on_startup=false \
                 -c disable_paste_burst=true -c sandbox_mode=\"read-only\" -c approval_policy=\"never\" \
                 -c sandbox_mode=\"danger-full-access\" --remote unix:///s"
            )
        );
    }

    #[test]
    fn a_command_that_chooses_its_server_or_conversation_itself_is_left_as_it_is() {
        assert_eq!(Parts::of(&words("codex --remote ws://127.0.0.1:9")), None);
        assert_eq!(Parts::of(&words("codex resume --last")), None);
    }
}
