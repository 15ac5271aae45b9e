//! What a launch of Claude Code adds: its conversation, how it is to work, and hooks that call us.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};

use super::conversation;
use super::launch::{Additions, Launch};

/// The hooks that tell what an agent does.
const HOOKS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "StopFailure",
];

/// How long Claude Code waits for a hook of ours, in seconds, if all else fails.
const PATIENCE: u32 = 10;

/// Variables that keep its screen readable and its program what it is, unless the agent's own say otherwise.
const VARIABLES: &[(&str, &str)] =
    &[("DISABLE_AUTOUPDATER", "1"), ("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION", "false")];

pub(super) fn additions(launch: &Launch<'_>) -> Additions {
    let profile = &launch.agent.profile;
    let own: Vec<String> = serde_json::from_str(&profile.command).unwrap_or_default();
    let mut arguments = Vec::new();
    if let Some(settings) = settings(&own, Path::new(&profile.cwd), launch.program) {
        arguments.extend(["--settings".to_owned(), settings.to_string()]);
    }
    if let Some(id) = &launch.agent.conversation_id
        && conversation::is_ours(launch.agent)
    {
        let flag = if launch.agent.resumes { "--resume" } else { "--session-id" };
        arguments.extend([flag.to_owned(), id.clone()]);
    }
    let permission = profile.permission.clone();
    let permission =
        permission.or_else(|| profile.unattended.then(|| "bypassPermissions".to_owned()));
    let chosen = [
        ("--model", &profile.model),
        ("--effort", &profile.thinking),
        ("--permission-mode", &permission),
    ];
    for (flag, value) in chosen {
        if let Some(value) = value {
            arguments.extend([flag.to_owned(), value.clone()]);
        }
    }
    let is_unset = |name: &str| launch.env.get(name).is_none();
    let variables = VARIABLES.iter().filter(|(name, _)| is_unset(name));
    let variables = variables.map(|(name, value)| ((*name).to_owned(), OsString::from(value)));
    Additions { command: None, arguments, variables: variables.collect() }
}

/// Whether Claude Code is told what this flag of ours says.
pub(super) fn passes_on(flag: &str) -> bool {
    ["--model", "--thinking", "--permission", "--unattended"].contains(&flag)
}

/// The settings of the command with our hooks among its own; none if they cannot be read, and stay as they are.
///
/// The person's files are read by Claude Code beside these, their hooks called beside ours.
fn settings(own: &[String], cwd: &Path, program: &Path) -> Option<Value> {
    let mut settings = match given(own) {
        Some(given) => read(given, cwd)?,
        None => json!({}),
    };
    let call = format!("{} hook claude", quoted(&program.to_string_lossy()));
    let entry = json!({"hooks": [{"type": "command", "command": call, "timeout": PATIENCE}]});
    let hooks = settings.as_object_mut()?.entry("hooks").or_insert_with(|| json!({}));
    for name in HOOKS {
        let list = hooks.as_object_mut()?.entry(*name).or_insert_with(|| json!([]));
        list.as_array_mut()?.push(entry.clone());
    }
    Some(settings)
}

/// What the command itself gives as `--settings`.
fn given(own: &[String]) -> Option<&str> {
    let at = own.iter().rposition(|it| it == "--settings" || it.starts_with("--settings="))?;
    match own.get(at)?.split_once('=') {
        Some((_, value)) => Some(value),
        None => own.get(at + 1).map(String::as_str),
    }
}

/// Settings as they are given: JSON, or the name of a file of it.
fn read(given: &str, cwd: &Path) -> Option<Value> {
    if given.trim_start().starts_with('{') {
        return serde_json::from_str(given).ok();
    }
    serde_json::from_slice(&std::fs::read(cwd.join(given)).ok()?).ok()
}

/// A path as one word of a shell.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(own: &[&str]) -> Option<Value> {
        let own: Vec<String> = own.iter().map(|it| (*it).to_owned()).collect();
        settings(&own, Path::new("/nowhere"), Path::new("/opt/it's/drover"))
    }

    #[test]
    fn every_hook_calls_this_very_program() {
        let made = made(&["claude"]).unwrap();
        for name in HOOKS {
            let call = made["hooks"][name][0]["hooks"][0]["command"].as_str().unwrap();
            assert_eq!(call, r"'/opt/it'\''s/drover' hook claude");
        }
    }

    #[test]
    fn settings_that_the_command_gives_stay_with_our_hooks_beside_theirs() {
        let own = r#"{"model":"x","hooks":{"Stop":[{"hooks":[]}]}}"#;
        for words in
            [vec!["claude", "--settings", own], vec!["claude", &format!("--settings={own}")]]
        {
            let made = made(&words).unwrap();
            assert_eq!(made["model"], "x");
            assert_eq!(made["hooks"]["Stop"].as_array().unwrap().len(), 2);
        }
    }

    #[test]
    fn settings_that_cannot_be_read_are_left_to_the_program() {
        assert!(made(&["claude", "--settings", "missing.json"]).is_none());
        assert!(made(&["claude", "--settings", "{"]).is_none());
        assert!(made(&["claude", "--settings", r#"{"hooks":3}"#]).is_none());
    }
}
