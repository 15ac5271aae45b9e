//! Test builds only: ends the process at the n-th step, as a power cut would.

use std::sync::atomic::{AtomicU64, Ordering};

static STEPS: AtomicU64 = AtomicU64::new(0);

/// Counts steps, and aborts the process at the one that `DROVER_CRASH_AT` numbers.
///
/// `DROVER_CRASH_COUNT` names a file that gets the number and the name of each step as a line.
pub(crate) fn install() {
    drover_core::step::install(reached);
}

fn reached(name: &'static str) {
    let env = drover_ops::Env::capture();
    let step = STEPS.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(path) = env.get("DROVER_CRASH_COUNT") {
        use std::io::Write as _;
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        if let Ok(mut file) = file {
            let _ = writeln!(file, "{step} {name}");
        }
    }
    if env.text("DROVER_CRASH_AT").and_then(|it| it.parse().ok()) == Some(step) {
        std::process::abort();
    }
}
