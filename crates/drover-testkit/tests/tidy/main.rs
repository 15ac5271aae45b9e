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
