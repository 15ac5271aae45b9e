//! What is still owed to mu's users and to the field, by the pages that say so.
#![expect(clippy::unwrap_used, reason = "test harness")]

use drover_testkit::document;

/// The lines of a page that say `not yet`.
fn owed(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(document::top().join("docs").join(page)).unwrap();
    text.lines()
        .filter(|it| it.starts_with('|') && it.contains("not yet"))
        .map(str::to_owned)
        .collect()
}

/// What later versions bring.
const LATER: &[&str] = &["sync", "tui", "herdr", "remote"];

/// Groups of faults that need neither sync, notifications nor a screen of ours.
const HELD: &[&str] = &["S-", "D-", "P-", "W-", "E-", "G-", "C-", "I-", "X-", "Z-"];

#[test]
fn must_show_03_4() {
    for line in owed("parity-mu.md") {
        let lower = line.to_lowercase();
        assert!(LATER.iter().any(|it| lower.contains(it)), "{line}");
    }
    for line in owed("faults.md") {
        assert!(!HELD.iter().any(|it| line.starts_with(&format!("| {it}"))), "{line}");
    }
}
