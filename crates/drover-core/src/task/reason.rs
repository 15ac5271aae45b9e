//! The reasons people give for a decision: what they name, and whether they weigh enough.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::name::TaskId;

/// A reason of fewer characters says little.
const ENOUGH: usize = 40;
/// How many tasks a reason may name and have spelt out.
const MOST_NAMED: usize = 20;
/// How many words of a reason are looked up at most.
const MOST_LOOKED_UP: usize = 500;
/// How much of a title is spelt out.
const LONGEST_TITLE: usize = 80;

/// How a line of a note begins that says how a proposal was examined.
pub const VERDICTS: [&str; 2] = ["VERDICT:", "REFUTER "];

/// Whether a reason is too short to decide on a proposal by itself.
pub fn is_thin(reason: &str) -> bool {
    reason.trim().chars().count() < ENOUGH
}

/// The words of a text that could be task ids, each once; what looks like a file, a line of one, or
/// a path is none.
pub fn named(text: &str) -> Vec<&str> {
    places(text).map(|(_, it)| it).collect()
}

/// The text with the title of each task it names behind the first mention of its id.
pub fn with_titles(text: &str, mut title_of: impl FnMut(&str) -> Option<String>) -> String {
    let titled = places(text).filter_map(|(end, id)| Some((end, title_of(id)?)));
    let mut spelt = String::with_capacity(text.len());
    let mut copied = 0;
    for (end, title) in titled.take(MOST_NAMED) {
        spelt.push_str(text.get(copied..end).unwrap_or_default());
        let _ = write!(spelt, " ({})", shortened(&title));
        copied = end;
    }
    spelt.push_str(text.get(copied..).unwrap_or_default());
    spelt
}

/// Each word that could be an id, once, with the place where it ends.
fn places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut seen = HashSet::new();
    let words = text.split_inclusive(char::is_whitespace).scan(0, |start, piece| {
        let (from, word) = core_of(piece);
        let end = *start + from + word.len();
        *start += piece.len();
        Some((end, word))
    });
    words.filter(move |it| is_id(it.1) && seen.insert(it.1)).take(MOST_LOOKED_UP)
}

/// A word without the marks that a sentence puts around it, and where it begins.
fn core_of(piece: &str) -> (usize, &str) {
    let is_mark = |it: char| !(it.is_alphanumeric() || "_-/.".contains(it));
    let rest = piece.trim_start_matches(is_mark);
    (piece.len() - rest.len(), rest.trim_end_matches(|it| is_mark(it) || it == '.'))
}

fn is_id(word: &str) -> bool {
    TaskId::parse(word).is_ok()
}

fn shortened(title: &str) -> String {
    let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_TITLE {
        return line;
    }
    format!("{}…", line.chars().take(LONGEST_TITLE - 1).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(text: &str) -> String {
        with_titles(text, |id| match id {
            "old_page" => Some("The old\npage".to_owned()),
            "a-" => Some("Ends in a dash".to_owned()),
            "long" => Some("x".repeat(100)),
            _ => None,
        })
    }

    #[test]
    fn a_named_task_is_spelt_out_once_behind_its_id() {
        assert_eq!(
            spelt("same as old_page, see `old_page`."),
            "same as old_page (The old page), see `old_page`."
        );
        assert_eq!(spelt("(a-)"), "(a- (Ends in a dash))");
        assert_eq!(spelt("long"), format!("long ({}…)", "x".repeat(79)));
    }

    #[test]
    fn files_lines_paths_and_strangers_are_left_alone() {
        for text in
            ["old_page.rs", "src/old_page", "old_page:12", "OLD_PAGE", "página old_pagé", ""]
        {
            assert_eq!(spelt(text), text);
        }
        assert_eq!(spelt("done by old_page."), "done by old_page (The old page).");
    }

    #[test]
    fn a_short_reason_is_thin_however_many_blanks_it_has() {
        assert!(is_thin("") && is_thin("no"));
        assert!(is_thin(&format!("no{}", " ".repeat(100))));
        assert!(!is_thin(&"é".repeat(40)));
    }

    #[test]
    fn a_huge_reason_is_looked_up_within_bounds() {
        let words: Vec<String> = (0..100_000).map(|it| format!("w{it}")).collect();
        let text = words.join(" ");
        let mut asked = 0;
        let same = with_titles(&text, |_| {
            asked += 1;
            Some("t".to_owned())
        });
        assert!(asked <= MOST_LOOKED_UP && same.matches("(t)").count() == MOST_NAMED);
    }
}
