//! The surroundings: programs, watches, configuration.

use std::path::Path;

use drover_host::env::Env;
use drover_host::mux;
use drover_host::process::Command;
use drover_host::watch::Wake;

use super::check::Check;
use crate::config::Config;
use crate::ctx::Ctx;
use crate::error::{Result, at_file};
use crate::log::project;
use crate::policy_keys::KEYS;

const SECTION: &str = "environment";

/// The oldest git that merges without a working tree.
const GIT_NEEDED: (u32, u32) = (2, 38);

/// What can be looked at without the database.
pub(super) fn outside(env: &Env) -> Vec<Check> {
    let mut checks = vec![state_directory(env), multiplexer(env), git()];
    checks.extend(configuration(env));
    checks
}

fn state_directory(env: &Env) -> Check {
    match env.state_dir() {
        Ok(path) => Check::fine(SECTION, "state directory", path.display().to_string()),
        Err(err) => Check::failure(SECTION, "state directory", err.to_string()),
    }
}

fn multiplexer(env: &Env) -> Check {
    let found = mux::for_new_panes(env).and_then(|mux| Ok((mux.name(), mux.version()?)));
    match found {
        Ok((name, version)) => {
            Check::fine(SECTION, name, format!("{version}; 3.0 or newer is needed"))
        }
        Err(err) => Check::warning(SECTION, "tmux", format!("{err}; agents need it")),
    }
}

fn git() -> Check {
    let (major, minor) = GIT_NEEDED;
    let output = match Command::new("git", "/").arg("--version").run_ok() {
        Ok(output) => output.text(),
        Err(err) => {
            return Check::warning(SECTION, "git", format!("{err}; repositories need it"));
        }
    };
    let found = output.trim().trim_start_matches("git version ").to_owned();
    let needed = format!("{found}; {major}.{minor} or newer is needed");
    if version(&found).is_some_and(|it| it >= GIT_NEEDED) {
        Check::fine(SECTION, "git", needed)
    } else {
        Check::warning(SECTION, "git", needed)
    }
}

/// The first two numbers of `2.39.5` or `2.44.0.windows.1`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(|it: char| !it.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn configuration(env: &Env) -> Vec<Check> {
    let path = match env.config_path() {
        Ok(path) => path,
        Err(err) => return vec![Check::warning(SECTION, "configuration", err.to_string())],
    };
    let config = match Config::read(&path) {
        Ok(config) => config,
        Err(err) => return vec![Check::failure(SECTION, "configuration", err.to_string())],
    };
    let shown = path.display();
    let is_there = config.path.is_some();
    let detail =
        if is_there { format!("{shown}") } else { format!("{shown} is not there; defaults hold") };
    let mut checks = vec![Check::fine(SECTION, "configuration", detail)];
    for (name, engine) in &config.engines {
        let command = engine.command.as_ref().map_or_else(
            || "its own command".to_owned(),
            |it| crate::words::join(it.iter().map(String::as_str)),
        );
        let origin = if env.engine_override(name).is_some() {
            "a variable of the environment wins"
        } else {
            "config.toml"
        };
        checks.push(Check::fine(
            SECTION,
            format!("engine {name}"),
            format!("{command} ({origin})"),
        ));
    }
    checks
}

/// What needs an open state directory: the watch, and the policy with where each value comes from.
pub(super) fn inside(ctx: &Ctx) -> Result<Vec<Check>> {
    let mut checks = vec![watch(&ctx.state().wake())?];
    let project = project(ctx)?;
    let rows = match &project {
        Some(project) => drover_store::projects::policy(&ctx.read(), project.pk)?,
        None => Vec::new(),
    };
    // A file that cannot be read was named above.
    let config = ctx.config().map(|it| it.policy.clone()).unwrap_or_default();
    for key in KEYS {
        let row = rows.iter().find(|it| it.0 == key.name).map(|it| it.1.as_str());
        let (value, origin) = match (row, config.get(key.name)) {
            (Some(value), _) => (value, project.as_ref().map_or("project", |it| it.name.as_str())),
            (None, Some(value)) => (value.as_str(), "config.toml"),
            (None, None) => (key.default, "default"),
        };
        let value = if value.is_empty() { "nothing" } else { value };
        checks.push(Check::fine("policy", key.name, format!("{value} ({origin})")));
    }
    Ok(checks)
}

fn watch(path: &Path) -> Result<Check> {
    let wake = Wake::start(path).map_err(at_file(path))?;
    Ok(if wake.is_polling() {
        let why = "the system has no inotify watch to give, so waits poll every 10 ms";
        Check::warning(SECTION, "waking", why)
            .fix("sysctl fs.inotify.max_user_instances fs.inotify.max_user_watches")
    } else {
        let detail =
            "waits wake by inotify; what agents do is looked at every 250 ms besides".to_owned();
        Check::fine(SECTION, "waking", detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_numbers_of_a_version_are_compared() {
        assert_eq!(version("2.39.5"), Some((2, 39)));
        assert_eq!(version("2.44.0.windows.1"), Some((2, 44)));
        assert_eq!(version("unknown"), None);
        assert!(version("2.9.1").is_some_and(|it| it < GIT_NEEDED));
    }
}
