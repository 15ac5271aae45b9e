//! Length, first line, listing: what a file must be before anybody reads it.

use std::collections::BTreeSet;

use crate::sources::{Source, Sources};

const LONGEST: usize = 500;

/// Files that are too long, do not say what they are for, or that no test run includes.
pub(crate) fn problems(sources: &Sources) -> Vec<String> {
    let paths: BTreeSet<&str> = sources.0.iter().map(|source| source.path.as_str()).collect();
    let mut problems = Vec::new();
    for source in sources.rust() {
        let path = &source.path;
        let lines = source.code.lines().count();
        if source.path.contains("/src/") && !path.ends_with("/tests.rs") && lines > LONGEST {
            problems.push(format!(
                "{path}: {lines} lines outside its tests, more than {LONGEST}: split it"
            ));
        }
        if !source.text.starts_with("//! ") {
            problems.push(format!("{path}: the first line is not `//!` and what the file is for"));
        }
        problems.extend(unlisted(source, sources, &paths));
    }
    problems.extend(sources.0.iter().filter_map(unexplained_migration));
    problems
}

/// A file under `tests/`, where a `main.rs` stands, is compiled only if its parent lists it.
fn unlisted(source: &Source, sources: &Sources, paths: &BTreeSet<&str>) -> Option<String> {
    let (krate, rest) = source.path.split_once("/tests/")?;
    let (directory, file) =
        rest.rsplit_once('/').map_or(("", rest), |(directory, file)| (directory, file));
    let name = file.strip_suffix(".rs")?;
    if name == "main" || !paths.contains(format!("{krate}/tests/main.rs").as_str()) {
        return None;
    }
    let (parent, module) = match (directory, name) {
        ("", _) => ("main.rs".to_owned(), name),
        (_, "mod") => {
            let (above, module) = directory.rsplit_once('/').unwrap_or(("", directory));
            (
                if above.is_empty() { "main.rs".to_owned() } else { format!("{above}/mod.rs") },
                module,
            )
        }
        _ => (format!("{directory}/mod.rs"), name),
    };
    let parent = format!("{krate}/tests/{parent}");
    let listing = sources.rust().find(|it| it.path == parent).map_or("", |it| it.code.as_str());
    let is_listed = listing
        .lines()
        .any(|line| line.trim().trim_start_matches("pub ") == format!("mod {module};"));
    (!is_listed).then(|| format!("{}: never run: write `mod {module};` into {parent}", source.path))
}

fn unexplained_migration(source: &Source) -> Option<String> {
    let is_migration = source.path.contains("/migrations/") && source.is("sql");
    let first = source.text.lines().next().unwrap_or_default();
    let explains = first.strip_prefix("-- ").is_some_and(|why| why.split_whitespace().count() >= 4);
    (is_migration && !explains)
        .then(|| format!("{}: the first line is no `-- ` comment that says why", source.path))
}

#[test]
fn each_fault_of_a_file_is_named() {
    let source = |path: &str, text: &str| Source::new(path, text.to_owned());
    let long = format!("//! Long.\n{}", "fn f() {}\n".repeat(500));
    let tested =
        format!("//! Short.\n#[cfg(test)]\nmod tests {{\n{}}}\n", "fn f() {}\n".repeat(500));
    let found = problems(&Sources(vec![
        source("crates/a/src/long.rs", &long),
        source("crates/a/src/tested.rs", &tested),
        source("crates/a/src/silent.rs", "use std::fs;\n"),
        source("crates/a/tests/main.rs", "//! Tests.\nmod listed;\n"),
        source("crates/a/tests/listed.rs", "//! Runs.\n"),
        source("crates/a/tests/lost.rs", "//! Does not.\n"),
        source("crates/a/migrations/0001_first.sql", "CREATE TABLE a(b);\n"),
    ]));
    let starts: Vec<&str> = found.iter().map(|it| it.split(": ").next().unwrap()).collect();
    let expected = [
        "crates/a/src/long.rs",
        "crates/a/src/silent.rs",
        "crates/a/tests/lost.rs",
        "crates/a/migrations/0001_first.sql",
    ];
    assert_eq!(starts, expected);
}
