//! The lines of the first acceptance list, each shown by exactly one test or one part of `./dev test`.

use std::collections::BTreeMap;

use drover_testkit::document;
use regex::Regex;

/// Whether a line that nothing shows fails this test.
const IS_STRICT: bool = true;

const LINES: std::ops::RangeInclusive<u8> = 1..=13;

/// Lines that no single test can show: they are parts of `./dev test` under the same name.
const PARTS: [u8; 2] = [1, 12];

/// Where each line is shown, by its number.
fn shown(files: &[(String, String)], dev: &str) -> BTreeMap<u8, Vec<String>> {
    let test = Regex::new(r"fn must_show_01_(\d+)\(").unwrap();
    let part = Regex::new(r"\bmust_show_01_(\d+)\b").unwrap();
    let mut places: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|it| !it.0.contains("/tests/pages/")) {
        for found in test.captures_iter(text) {
            places.entry(found[1].parse().unwrap()).or_default().push(path.clone());
        }
    }
    for line in PARTS {
        let is_part = part.captures_iter(dev).any(|it| it[1] == line.to_string());
        if is_part {
            places.entry(line).or_default().push("dev".to_owned());
        }
    }
    places
}

#[test]
fn must_show_lines() {
    let dev = std::fs::read_to_string(document::top().join("dev")).unwrap_or_default();
    let places = shown(&document::rust_files(), &dev);
    let mut missing = Vec::new();
    for line in LINES {
        match places.get(&line).map(Vec::as_slice) {
            None | Some([]) => {
                println!("line {line:2}: missing");
                missing.push(line);
            }
            Some([place]) => println!("line {line:2}: must_show_01_{line} in {place}"),
            Some(several) => panic!("must_show_01_{line} stands more than once: {several:?}"),
        }
    }
    let unknown: Vec<_> = places.keys().filter(|it| !LINES.contains(it)).collect();
    assert!(unknown.is_empty(), "there are no such lines: {unknown:?}");
    assert!(!IS_STRICT || missing.is_empty(), "nothing shows the lines {missing:?}");
}

#[test]
fn a_line_is_found_as_a_test_or_as_a_part() {
    let files = [("crates/a/tests/x.rs".to_owned(), "fn must_show_01_3() {".to_owned())];
    let places = shown(&files, "part must_show_01_12 ./dev bench --check\npart must_show_01_3");
    assert_eq!(places.into_iter().map(|it| it.0).collect::<Vec<_>>(), [3, 12]);
}
