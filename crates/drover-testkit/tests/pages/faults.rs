//! `docs/faults.md`: each fault of the field with the tests that hold it off, gathered from their doc comments.

use std::collections::BTreeMap;

use drover_testkit::document;
use regex::Regex;

const PAGE: &str = "docs/faults.md";

/// The faults by group and number; some numbers were never given.
const FAULTS: [(&str, &[u8]); 13] = [
    ("S", &[1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25, 26]),
    ("D", &[1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14]),
    ("P", &[1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25, 26, 28]),
    ("W", &[1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22]),
    ("E", &[1, 2, 4, 5, 6, 8, 9]),
    ("G", &[1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21]),
    ("C", &[1, 2, 4, 5, 6, 8, 9, 10]),
    ("Y", &[1, 2, 4, 5, 6, 8, 9, 10]),
    ("T", &[1, 2, 4, 5, 6, 8]),
    ("I", &[1, 2, 4, 5, 6, 8, 9, 10]),
    ("H", &[1, 2, 4, 5, 6, 8, 9, 10]),
    ("X", &[1, 4, 5, 6, 7]),
    ("Z", &[1, 2, 4]),
];

fn ids() -> Vec<String> {
    let ids = FAULTS.iter().flat_map(|(group, numbers)| {
        numbers.iter().map(move |number| format!("{group}-{number:02}"))
    });
    ids.collect()
}

/// The tests that say which fault they hold off, as the page names them, by fault.
fn marked(files: &[(String, String)]) -> BTreeMap<String, Vec<String>> {
    let marker = Regex::new(
        r"(?m)^\s*/// Faults? ([A-Z]-\d+(?:, [A-Z]-\d+)*)\.\n((?s:.*?))^\s*(?:pub\(\w+\) )?fn (\w+)",
    );
    let marker = marker.unwrap();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|it| !it.0.contains("/tests/pages/")) {
        for marked in marker.captures_iter(text) {
            // A contract's functions become tests by name, once for each backend.
            let is_test = marked[2].contains("#[test]") || path.ends_with("/contract.rs");
            assert!(is_test, "{path}: {} claims a fault and is no test", &marked[3]);
            let krate = path.split('/').nth(1).unwrap_or_default();
            for id in marked[1].split(", ") {
                let name = format!("`{}` in {krate}", &marked[3]);
                found.entry(id.to_owned()).or_default().push(name);
            }
        }
    }
    found
}

/// The lines of the page that speak of a fault: its id and title.
fn row() -> Regex {
    Regex::new(r"^\| ([A-Z]-\d\d) \| (\S.*) \| \S.* \|$").unwrap()
}

/// The page as it should be, from the titles that stand on it and the tests that are marked.
fn corrected(page: &str, tests: &BTreeMap<String, Vec<String>>) -> String {
    let (mut held, mut open) = (0, 0);
    let mut lines = Vec::new();
    let row = row();
    for line in page.lines() {
        let Some(found) = row.captures(line) else {
            lines.push(line.to_owned());
            continue;
        };
        let by = tests.get(&found[1]).map(|it| it.join(" · "));
        *(if by.is_some() { &mut held } else { &mut open }) += 1;
        let by = by.as_deref().unwrap_or("not yet");
        lines.push(format!("| {} | {} | {by} |", &found[1], &found[2]));
    }
    let counts = format!("Held: {held}. Not yet: {open}. Together: {}.", held + open);
    for line in &mut lines {
        if line.starts_with("Held: ") {
            line.clone_from(&counts);
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_page_of_faults_names_the_tests_that_are_marked() {
    let tests = marked(&document::rust_files());
    let known = ids();
    for (id, names) in &tests {
        assert!(known.contains(id), "{names:?} claims {id}, which is no fault");
    }
    document::hold(PAGE, &corrected(&document::read(PAGE), &tests));
}

#[test]
fn every_fault_stands_on_the_page_once_and_in_order() {
    let page = document::read(PAGE);
    let row = row();
    let rows = page.lines().filter_map(|it| row.captures(it));
    let stated: Vec<String> = rows.map(|it| it[1].to_owned()).collect();
    assert_eq!(stated, ids());
}

#[test]
fn a_mark_is_read_through_attributes_and_names_several_faults() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let found = marked(&[
        file("crates/a/tests/x.rs", "/// Faults S-01, S-02.\n#[test]\n#[cfg(unix)]\nfn one() {}\n"),
        file("crates/b/src/x.rs", "    /// Fault S-01.\n    #[test]\n    fn two() {}\n"),
    ]);
    assert_eq!(found["S-01"], ["`one` in a", "`two` in b"]);
    assert_eq!(found["S-02"], ["`one` in a"]);
}

#[test]
fn a_row_follows_its_tests_and_the_counts_follow_the_rows() {
    let page = "Held: 7.\n| id | fault | held by |\n| --- | --- | --- |\n\
        | S-01 | one | not yet |\n| S-02 | two | `gone` in a |\n";
    let tests = BTreeMap::from([("S-01".to_owned(), vec!["`t` in a".to_owned()])]);
    assert_eq!(
        corrected(page, &tests),
        "Held: 1. Not yet: 1. Together: 2.\n| id | fault | held by |\n| --- | --- | --- |\n\
         | S-01 | one | `t` in a |\n| S-02 | two | not yet |\n"
    );
}
