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

use std::process::ExitCode;

use measure::Row;

/// What the command line asks for.
enum Ask {
    /// All rows; with `is_check` at a tenth of the sizes, and failing over a limit.
    Rows { is_check: bool },
    /// Nothing at all: the floor of every process.
    Empty,
    /// One opening of a database and one read: the floor of every verb.
    Floor { database: String },
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ask = match words.as_slice() {
        [] => Ask::Rows { is_check: false },
        ["--check"] => Ask::Rows { is_check: true },
        ["--empty"] => Ask::Empty,
        ["--floor", database] => Ask::Floor { database: (*database).to_owned() },
        _ => {
            eprintln!("usage: bench [--check]");
            return ExitCode::from(2);
        }
    };
    match ask {
        Ask::Empty => ExitCode::SUCCESS,
        Ask::Floor { database } => cold::floor(&database),
        Ask::Rows { is_check } => rows(is_check),
    }
}

fn rows(is_check: bool) -> ExitCode {
    let (size, tasks) = if is_check { (10, 100_000) } else { (100, 1_000_000) };
    let mut rows = Vec::new();
    rows.extend(cold::rows(size * 10));
    // All the panes even then: with fewer, the start of a process is all that would be measured.
    rows.extend(panes::rows(100));
    rows.extend(wake::rows(size));
    rows.extend(claimers::rows());
    rows.extend(scale::rows(tasks));
    rows.extend(scale::walks(tasks / 10));
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
