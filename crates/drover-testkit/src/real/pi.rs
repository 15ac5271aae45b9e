//! pi's home: one provider, no questions at the start, and an extension that asks before a dangerous command.

use serde_json::json;

use super::file::{write, write_json};
use crate::env::TestEnv;
use crate::model::{FakeModel, MODEL};

/// Asks, as people's own extensions do, before a command with the word `danger`.
const GATE: &str = r#"export default function (pi) {
    pi.on("tool_call", async (event, ctx) => {
        if (event.toolName !== "bash" || !String(event.input.command).includes("danger")) return;
        const isAllowed = await ctx.ui.confirm("Allow?", `Run: ${event.input.command}`);
        if (!isAllowed) return { block: true, reason: "a person said no" };
    });
}
"#;

pub(super) fn prepare(env: &TestEnv, model: &FakeModel) -> &'static [&'static str] {
    let home = env.home().join(".pi/agent");
    let known = json!({"id": MODEL, "name": "Fake", "contextWindow": 100_000_000});
    let provider = json!({
        "baseUrl": format!("{}/v1", model.url()), "api": "openai-completions", "apiKey": "none",
        "models": [known],
    });
    write_json(&home.join("models.json"), &json!({"providers": {"fake": provider}}));
    let settings = json!({
        "defaultProvider": "fake", "defaultModel": MODEL, "defaultThinkingLevel": "off",
        "quietStartup": true, "tuiMode": "regular", "enableInstallTelemetry": false,
        "retry": {"baseDelayMs": 500},
    });
    write_json(&home.join("settings.json"), &settings);
    write(&home.join("extensions/gate.ts"), GATE);
    &["--offline"]
}
