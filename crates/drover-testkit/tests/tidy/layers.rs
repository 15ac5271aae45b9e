//! Which crate may use which, by its manifest and by its code.

use regex::Regex;

use crate::sources::{Source, Sources};

/// Crate, the crates of ours it may use, and outside crates that belong to another layer.
const LAYERS: [(&str, &[&str], &[&str]); 7] = [
    (
        "drover-core",
        &[],
        &["clap", "rusqlite", "rustix", "serde", "serde_json", "tempfile", "toml"],
    ),
    ("drover-store", &["drover-core"], &["clap", "anstream", "ratatui", "signal-hook", "toml"]),
    ("drover-host", &["drover-core"], &["clap", "anstream", "ratatui", "rusqlite", "toml"]),
    (
        "drover-ops",
        &["drover-core", "drover-host", "drover-store"],
        &["clap", "anstream", "ratatui", "rusqlite", "rustix", "signal-hook", "tempfile"],
    ),
    ("drover-tui", &["drover-core", "drover-ops"], &["clap", "rusqlite", "rustix"]),
    (
        "drover",
        &["drover-core", "drover-ops", "drover-tui"],
        &["rusqlite", "rustix", "signal-hook", "tempfile"],
    ),
    ("drover-testkit", &[], &[]),
];

/// Dependencies that point upwards or sideways.
pub(crate) fn problems(sources: &Sources) -> Vec<String> {
    sources.0.iter().flat_map(of_source).collect()
}

fn of_source(source: &Source) -> Vec<String> {
    let layer = LAYERS.iter().find(|(krate, ..)| *krate == source.krate());
    let Some((krate, ours, not_theirs)) = layer else {
        let unknown = source.path.ends_with("/Cargo.toml") && !source.krate().is_empty();
        let problem = || format!("{}: say in LAYERS what this crate may use", source.path);
        return unknown.then(problem).into_iter().collect();
    };
    let is_wrong = |name: &str| {
        let is_ours = name == "drover" || name.starts_with("drover-");
        (is_ours && name != *krate && !ours.contains(&name)) || not_theirs.contains(&name)
    };
    let problem = |name: &str| format!("{}: {krate} may not use {name}", source.path);
    if source.path == format!("crates/{krate}/Cargo.toml") {
        let manifest: toml::Table = source.text.parse().unwrap();
        let names = manifest.get("dependencies").and_then(|it| it.as_table()).into_iter().flatten();
        return names
            .map(|(name, _)| name.as_str())
            .filter(|it| is_wrong(it))
            .map(problem)
            .collect();
    }
    if !source.path.contains("/src/") || source.is_test() {
        return Vec::new();
    }
    let used = Regex::new(r"\b(drover_\w+|[a-z_0-9]+)::").unwrap();
    let mut names: Vec<String> =
        used.captures_iter(&source.code).map(|found| found[1].replace('_', "-")).collect();
    names.sort();
    names.dedup();
    names
        .iter()
        .filter(|name| name.starts_with("drover-") && is_wrong(name))
        .map(|it| problem(it))
        .collect()
}

#[test]
fn an_upward_dependency_is_found_in_manifest_and_code() {
    let source = |path: &str, text: &str| Source::new(path, text.to_owned());
    let found = problems(&Sources(vec![
        source(
            "crates/drover-core/Cargo.toml",
            "[dependencies]\nserde.workspace = true\njiff = \"1\"\n",
        ),
        source(
            "crates/drover-store/src/a.rs",
            "use drover_core::A;\nuse drover_host::B; // drover_ops::C\n",
        ),
        source("crates/drover-new/Cargo.toml", ""),
    ]));
    assert_eq!(
        found,
        [
            "crates/drover-core/Cargo.toml: drover-core may not use serde",
            "crates/drover-store/src/a.rs: drover-store may not use drover-host",
            "crates/drover-new/Cargo.toml: say in LAYERS what this crate may use",
        ]
    );
}
