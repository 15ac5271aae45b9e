//! Codex's home: one provider, no update, no counting, and the directories trusted.

use std::fmt::Write as _;
use std::path::Path;

use super::file::write;
use crate::env::TestEnv;
use crate::model::{FakeModel, MODEL};

pub(super) fn prepare(
    env: &TestEnv,
    model: &FakeModel,
    directories: &[&Path],
) -> &'static [&'static str] {
    let mut text = format!(
        r#"model = "{MODEL}"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "Fake"
base_url = "{}/v1"
wire_api = "responses"
request_max_retries = 4
stream_max_retries = 5

[analytics]
enabled = false
"#,
        model.url()
    );
    for directory in directories {
        // Writing to a string cannot fail.
        let name = directory.display();
        let _ = write!(text, "\n[projects.'{name}']\ntrust_level = \"trusted\"\n");
    }
    write(&env.home().join(".codex/config.toml"), text);
    &[]
}
