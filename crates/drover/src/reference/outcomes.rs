//! `docs/outcomes.md`: every outcome word with its exit code.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use drover_testkit::document;

use crate::outcome::OUTCOMES;

const PAGE: &str = "docs/outcomes.md";

const HEAD: &str = "# Outcomes and exit codes

The word under `outcome` in every JSON answer, and the exit code that goes with it. A word never gets
another code and never goes away. Written by a test; do not edit.
";

const MEANINGS: [(u8, &str); 9] = [
    (0, "done, including a no-op, a preview and a dry run"),
    (1, "Drover's own failure"),
    (2, "the call's words are off; nothing was written"),
    (3, "the thing is unknown, or its own state or the caller's role forbids it"),
    (4, "another party or a newer change stands in the way"),
    (5, "the world or time: something is missing, full, locked, unreachable or late"),
    (6, "dead, done in part, or not proven"),
    (7, "a person is needed"),
    (130, "interrupted"),
];

fn page() -> String {
    let mut text = HEAD.to_owned();
    for (code, meaning) in MEANINGS {
        let words: Vec<String> =
            OUTCOMES.iter().filter(|it| it.1 == code).map(|it| format!("`{}`", it.0)).collect();
        let words =
            if words.is_empty() { "no word of its own".to_owned() } else { words.join(" · ") };
        let _ = write!(text, "\n## {code}\n\n{meaning}\n\n{words}\n");
    }
    text
}

/// The words on the page as it stands, with their codes.
fn stated(page: &str) -> BTreeMap<String, u8> {
    let mut code = None;
    let mut words = BTreeMap::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            code = title.parse().ok();
        } else if let Some(code) = code.filter(|_| line.starts_with('`')) {
            words.extend(line.split(" · ").map(|it| (it.trim_matches('`').to_owned(), code)));
        }
    }
    words
}

#[test]
fn a_word_keeps_its_code_and_never_goes_away() {
    let now: BTreeMap<&str, u8> = OUTCOMES.iter().copied().collect();
    for (word, code) in
        stated(&std::fs::read_to_string(document::top().join(PAGE)).unwrap_or_default())
    {
        let found = now.get(word.as_str());
        assert_eq!(found, Some(&code), "{word}: {PAGE} has promised it with the code {code}");
    }
}

#[test]
fn the_outcome_page_is_the_table() {
    a_word_keeps_its_code_and_never_goes_away();
    document::hold(PAGE, &page());
}

#[test]
fn every_code_has_its_meaning() {
    for (word, code) in OUTCOMES {
        assert!(MEANINGS.iter().any(|it| it.0 == *code), "{word} has the unknown code {code}");
    }
}

#[test]
fn every_word_that_is_answered_stands_in_the_table() {
    let sources = document::rust_files();
    let shipped = sources.iter().filter(|it| it.0.starts_with("crates/drover/src/"));
    for (path, text) in shipped.filter(|it| !it.0.contains("/reference/")) {
        for start in ["Report::new(", "Spoken::new("] {
            for found in text.split(start).skip(1) {
                let Some(rest) = found.trim_start().strip_prefix('"') else { continue };
                let word = rest.split('"').next().unwrap_or_default();
                let is_listed = OUTCOMES.iter().any(|it| it.0 == word);
                assert!(is_listed, "{path} answers {word}, which src/outcome.rs does not list");
            }
        }
    }
}
