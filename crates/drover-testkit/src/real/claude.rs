//! Claude Code's home: the onboarding, the key and the directories are settled, nothing but the model is called.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::file::write_json;
use crate::env::TestEnv;
use crate::model::{FakeModel, MODEL};

/// It compares the last twenty characters.
const KEY: &str = "not-a-key-but-long-enough";

pub(super) fn prepare(
    env: &TestEnv,
    model: &FakeModel,
    directories: &[&Path],
) -> &'static [&'static str] {
    let trusted: Map<String, Value> = directories
        .iter()
        .map(|it| (it.display().to_string(), json!({"hasTrustDialogAccepted": true})))
        .collect();
    let state = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": {"approved": [&KEY[KEY.len() - 20..]], "rejected": []},
        "projects": trusted,
    });
    write_json(&env.home().join(".claude.json"), &state);
    let variables = json!({
        "ANTHROPIC_BASE_URL": model.url(),
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_MODEL": MODEL,
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    });
    let settings = json!({"env": variables, "permissions": {"allow": ["Bash(echo:*)"]}});
    write_json(&env.home().join(".claude/settings.json"), &settings);
    &["--permission-mode", "manual"]
}
