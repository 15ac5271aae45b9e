//! Test builds only: ends the process at the n-th step, as a power cut would, and migrates further.

use std::sync::atomic::{AtomicU64, Ordering};

/// A migration after the last one, for as long as there is no second real one to be cut off in.
const LATER: &str = "ALTER TABLE projects ADD COLUMN colour TEXT;";

static STEPS: AtomicU64 = AtomicU64::new(0);

/// Counts steps, and aborts the process at the one that `DROVER_CRASH_AT` numbers.
///
/// `DROVER_CRASH_COUNT` names a file that gets the number and the name of each step as a line.
///
/// `DROVER_TEST_STATEMENTS` names a file that gets every statement, as JSON, on a line of its own.
pub(crate) fn install() {
    drover_core::step::install(reached);
    if drover_ops::Env::capture().get("DROVER_TEST_STATEMENTS").is_some() {
        drover_core::step::install_statements(stated);
    }
}

fn stated(sql: &str) {
    let env = drover_ops::Env::capture();
    if let Some(path) = env.get("DROVER_TEST_STATEMENTS") {
        append(path, &serde_json::Value::from(sql).to_string());
    }
}

fn append(path: &std::ffi::OsStr, line: &str) {
    use std::io::Write as _;
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    if let Ok(mut file) = file {
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// The migrations beyond the known ones that `DROVER_TEST_MIGRATION` asks for.
pub(crate) fn later_migrations() -> &'static [&'static str] {
    match drover_ops::Env::capture().get("DROVER_TEST_MIGRATION") {
        Some(_) => &[LATER],
        None => &[],
    }
}

fn reached(name: &'static str) {
    let env = drover_ops::Env::capture();
    let step = STEPS.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(path) = env.get("DROVER_CRASH_COUNT") {
        append(path, &format!("{step} {name}"));
    }
    if env.text("DROVER_CRASH_AT").and_then(|it| it.parse().ok()) == Some(step) {
        std::process::abort();
    }
}
