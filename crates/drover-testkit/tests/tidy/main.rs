//! The rules of the house that no compiler and no lint can hold; a failure says what to do instead.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cycles;
mod files;
mod layers;
mod sources;
mod words;

use sources::Sources;

#[track_caller]
fn nothing_in(problems: &[String]) {
    assert!(problems.is_empty(), "{} to put right:\n  {}", problems.len(), problems.join("\n  "));
}

#[test]
fn crates_depend_downwards_only() {
    nothing_in(&layers::problems(&Sources::of_workspace()));
}

#[test]
fn no_modules_form_a_cycle() {
    nothing_in(&cycles::problems(&Sources::of_workspace()));
}

#[test]
fn no_file_is_long_undocumented_or_left_out() {
    nothing_in(&files::problems(&Sources::of_workspace()));
}

#[test]
fn nothing_is_written_where_it_has_no_place() {
    nothing_in(&words::problems(&Sources::of_workspace()));
}

/// What a rule finds wrong.
type Rule = fn(&Sources) -> Vec<String>;

/// Structure, and a database of the demo that every later version must open.
///
/// The fixture is `<state>/drover.db` after `drover demo`, copied by `drover db backup`.
#[test]
fn must_show_01_13() {
    let sources = Sources::of_workspace();
    let rules: [(&str, Rule); 4] = [
        ("layers", layers::problems),
        ("cycles", cycles::problems),
        ("files", files::problems),
        ("words, unwrap among them", words::problems),
    ];
    for (what, problems) in rules {
        nothing_in(&problems(&sources));
        println!("{what}: nothing to put right in {} files", sources.0.len());
    }
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../drover/tests/fixtures/demo-v1.db");
    let database =
        rusqlite::Connection::open_with_flags(fixture, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)
            .unwrap();
    let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let closed: i64 = database
        .query_row("SELECT count(*) FROM tasks WHERE status='CLOSED'", [], |row| row.get(0))
        .unwrap();
    assert_eq!((version, closed), (1, 4));
    println!("the demo's database: version {version}, {closed} closed tasks");
}
