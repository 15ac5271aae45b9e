//! The numbers to hold: each a figure, and a ratio to something measured in the same run.
//!
//! `bench` prints them; `bench --check` fails where a ratio is over its limit and runs at a tenth
//! of the sizes. Times are never compared with a clock of another run or another machine.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

mod claimers;
mod cold;
mod graph;
mod mcp;
mod measure;
mod node;
mod panes;
mod place;
mod scale;
mod wake;

use std::path::PathBuf;
use std::process::ExitCode;

use measure::Row;

/// What the command line asks for.
enum Ask {
    /// Rows of one set or of both; with `is_check` at a tenth of the sizes, and failing over a limit.
    Rows { is_check: bool, set: Option<Set> },
    /// Nothing at all: the floor of every process.
    Empty,
    /// One opening of a database and one read: the floor of every verb.
    Floor { database: String },
    /// Only the graph that the rows are measured on, in the empty project `bench` of a database.
    Fill { database: PathBuf, tasks: i64 },
}

/// Rows that belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    /// Single calls, and many at once.
    Calls,
    /// Graphs and panes in large numbers.
    Sizes,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (is_check, rest) = match words.as_slice() {
        ["--check", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let ask = match rest {
        [] => Ask::Rows { is_check, set: None },
        ["calls"] => Ask::Rows { is_check, set: Some(Set::Calls) },
        ["sizes"] => Ask::Rows { is_check, set: Some(Set::Sizes) },
        ["--empty"] => Ask::Empty,
        ["--floor", database] => Ask::Floor { database: (*database).to_owned() },
        ["--fill", database, tasks] if tasks.parse::<i64>().is_ok() => {
            Ask::Fill { database: database.into(), tasks: tasks.parse().unwrap_or(0) }
        }
        _ => {
            eprintln!("usage: bench [--check] [calls|sizes], or bench --fill DATABASE TASKS");
            return ExitCode::from(2);
        }
    };
    match ask {
        Ask::Empty => ExitCode::SUCCESS,
        Ask::Floor { database } => cold::floor(&database),
        Ask::Fill { database, tasks } => {
            println!("{} edges", graph::fill(&database, tasks));
            ExitCode::SUCCESS
        }
        Ask::Rows { is_check, set } => rows(is_check, set),
    }
}

fn rows(is_check: bool, set: Option<Set>) -> ExitCode {
    let (size, tasks) = if is_check { (10, 100_000) } else { (100, 1_000_000) };
    let mut rows = Vec::new();
    if set != Some(Set::Sizes) {
        rows.extend(cold::rows(size * 10));
        rows.extend(wake::rows(size));
        rows.extend(claimers::rows());
    }
    if set != Some(Set::Calls) {
        // All the panes even then: with fewer, the start of a process is all that would be measured.
        rows.extend(panes::rows(100));
        rows.extend(scale::rows(tasks));
        // All of them even then: it takes seconds, and with fewer the start of a process would be measured.
        rows.extend(scale::walks(100_000));
    }
    println!("{:<58} {:>12} {:>8} {:>8}", "what", "figure", "ratio", "limit");
    rows.iter().for_each(Row::print);
    let over: Vec<&Row> = rows.iter().filter(|it| it.is_over()).collect();
    if is_check && !over.is_empty() {
        for row in over {
            eprintln!("over its limit: {}", row.what);
        }
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
