//! The lines of the acceptance lists, each shown by exactly one test or one part of `./dev test`.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use drover_testkit::document;
use regex::Regex;

/// One list of lines.
struct List {
    /// What stands in the names of its tests.
    number: &'static str,
    lines: RangeInclusive<u8>,
    /// Lines that no single test can show: they are parts of `./dev test` under the same name.
    parts: &'static [u8],
    /// Whether a line that nothing shows fails this test.
    is_strict: bool,
}

const LISTS: [List; 3] = [
    List { number: "01", lines: 1..=13, parts: &[1, 12], is_strict: true },
    List { number: "02", lines: 1..=10, parts: &[], is_strict: true },
    List { number: "03", lines: 1..=8, parts: &[3], is_strict: true },
];

/// Where each line of a list is shown, by its number.
fn shown(list: &List, files: &[(String, String)], dev: &str) -> BTreeMap<u8, Vec<String>> {
    let test = Regex::new(&format!(r"fn must_show_{}_(\d+)\(", list.number)).unwrap();
    let part = Regex::new(&format!(r"\bmust_show_{}_(\d+)\b", list.number)).unwrap();
    let mut places: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|it| !it.0.contains("/tests/pages/")) {
        for found in test.captures_iter(text) {
            places.entry(found[1].parse().unwrap()).or_default().push(path.clone());
        }
    }
    for line in list.parts {
        let is_part = part.captures_iter(dev).any(|it| it[1] == line.to_string());
        if is_part {
            places.entry(*line).or_default().push("dev".to_owned());
        }
    }
    places
}

#[test]
fn must_show_lines() {
    let dev = std::fs::read_to_string(document::top().join("dev")).unwrap_or_default();
    let files = document::rust_files();
    for list in LISTS {
        let name = format!("must_show_{}", list.number);
        let places = shown(&list, &files, &dev);
        let mut missing = Vec::new();
        for line in list.lines.clone() {
            match places.get(&line).map(Vec::as_slice) {
                None | Some([]) => {
                    println!("{name}_{line}: missing");
                    missing.push(line);
                }
                Some([place]) => println!("{name}_{line} in {place}"),
                Some(several) => panic!("{name}_{line} stands more than once: {several:?}"),
            }
        }
        let unknown: Vec<_> = places.keys().filter(|it| !list.lines.contains(it)).collect();
        assert!(unknown.is_empty(), "{name} has no such lines: {unknown:?}");
        assert!(!list.is_strict || missing.is_empty(), "nothing shows {name} {missing:?}");
    }
}

#[test]
fn a_line_is_found_as_a_test_or_as_a_part() {
    let files = [("crates/a/tests/x.rs".to_owned(), "fn must_show_01_3() {".to_owned())];
    let dev = "part must_show_01_12 ./dev bench --check\npart must_show_01_3";
    let numbers = |list: &List| shown(list, &files, dev).into_keys().collect::<Vec<_>>();
    assert_eq!(numbers(&LISTS[0]), [3, 12]);
    assert!(numbers(&LISTS[1]).is_empty());
}
