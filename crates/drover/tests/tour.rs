//! The tour of the README runs as it stands; its steps that are not built yet are hidden until they are.

use drover_testkit::document;

use crate::pasted::Pasted;

const PAGE: &str = "README.md";
const HIDDEN: &str = "<!-- once built\n";

/// The lines to paste of the part that is shown.
fn blocks(text: &str) -> Vec<&str> {
    text.split("\n```sh tour\n").skip(1).filter_map(|it| it.split("\n```").next()).collect()
}

/// Whether every verb and flag that the lines name stands in the reference.
fn is_built(lines: &str, reference: &str) -> bool {
    let commands = lines.lines().filter_map(|it| it.trim().strip_prefix("drover "));
    let mut commands = commands.peekable();
    assert!(commands.peek().is_some(), "{PAGE}: a hidden part names no verb: {lines}");
    commands.all(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        let section = (1..=2).filter_map(|count| words.get(..count)).find_map(|verb| {
            let start = format!("\n### drover {}\n", verb.join(" "));
            reference.split(&start).nth(1)?.split("\n### ").next()
        });
        let flags = words.iter().filter(|it| it.starts_with("--"));
        section.is_some_and(|help| {
            let head = reference.split("\n## drover ").next().unwrap_or_default();
            flags.into_iter().all(|it| help.contains(*it) || head.contains(*it))
        })
    })
}

/// The page with every part shown that is built.
fn corrected(page: &str, reference: &str) -> String {
    let mut parts = page.split(HIDDEN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hidden, rest) = part.split_once("\n-->").unwrap();
        if blocks(&format!("\n{hidden}")).iter().all(|it| is_built(it, reference)) {
            text.push_str(hidden);
        } else {
            text.push_str(HIDDEN);
            text.push_str(hidden);
            text.push_str("\n-->");
        }
        text.push_str(rest);
    }
    text
}

/// The page without its hidden parts.
fn shown(page: &str) -> String {
    let (first, rest) = page.split_once(HIDDEN).unwrap_or((page, ""));
    match rest.split_once("\n-->") {
        Some((_, rest)) => format!("{first}{}", shown(rest)),
        None => first.to_owned(),
    }
}

#[test]
fn a_part_of_the_tour_is_hidden_only_until_it_is_built() {
    let (page, reference) = (document::read(PAGE), document::read("docs/cli.md"));
    document::hold(PAGE, &corrected(&page, &reference));
}

#[test]
fn the_tour_runs_from_start_to_end() {
    let page = shown(&document::read(PAGE));
    let blocks = blocks(&page);
    assert!(!blocks.is_empty(), "{PAGE} has no tour");
    let pasted = Pasted::new();
    for block in blocks {
        pasted.run(block).ok();
    }
}

#[test]
fn a_hidden_part_is_shown_when_its_verbs_and_flags_exist() {
    let reference =
        "# x\n--json\n\n## drover task\n\n### drover task add\n--triage\n\n### drover state\n";
    let check =
        |lines: &str, expected: bool| assert_eq!(is_built(lines, reference), expected, "{lines}");
    check("drover task add x --triage --json", true);
    check("drover task add x --other", false);
    check("drover task wait x", false);
    check("cd x\ndrover state", true);
    let page = format!("a\n{HIDDEN}\n```sh tour\ndrover state\n```\n-->\nb\n");
    assert_eq!(corrected(&page, reference), "a\n\n```sh tour\ndrover state\n```\nb\n");
    assert_eq!(shown(&page), "a\n\nb\n");
}
