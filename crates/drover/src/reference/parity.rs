//! `docs/parity-mu.md`: where each verb, flag, variable and JSON field of mu has its place here.

use std::collections::BTreeMap;

use clap::{Arg, Command};
use drover_testkit::document;
use serde_json::Value;

use super::{command, schema};

const PAGE: &str = "docs/parity-mu.md";

/// What exists, as far as a line of the page can speak of it.
struct Program {
    command: Command,
    schema: Value,
    environment: String,
}

/// What a line says of its subject.
#[derive(Debug, PartialEq)]
enum Stand<'a> {
    Built(&'a str),
    Planned(&'a str),
    Dropped,
}

impl<'a> Stand<'a> {
    /// Reads the middle cell of a line.
    fn read(cell: &'a str) -> Option<Self> {
        let form = |it: &'a str| it.strip_prefix('`')?.strip_suffix('`');
        if let Some(why) = cell.strip_prefix("dropped: ") {
            return (!why.is_empty()).then_some(Self::Dropped);
        }
        match cell.strip_prefix("not yet: ") {
            Some(planned) => form(planned).map(Self::Planned),
            None => form(cell).map(Self::Built),
        }
    }
}

impl Program {
    fn of_this_build() -> Self {
        let environment = document::read("docs/environment.md");
        Self { command: command(), schema: schema::page(), environment }
    }

    /// Whether a form exists: `drover task close --as`, `$DROVER_PROJECT`, `task close → task.id`.
    fn has(&self, form: &str) -> bool {
        if let Some((verb, path)) = form.split_once(" → ") {
            return self.answers(verb, path);
        }
        if let Some(variable) = form.strip_prefix('$') {
            return self.environment.contains(&format!("| `{variable}` |"));
        }
        let mut words = form.split(' ');
        assert_eq!(words.next(), Some("drover"), "{PAGE}: cannot read the form `{form}`");
        let mut at = &self.command;
        for word in words {
            if word.starts_with('-') {
                if !at.get_arguments().any(|it| is_named(it, word)) {
                    return false;
                }
            } else {
                match at.find_subcommand(word) {
                    Some(below) => at = below,
                    None => return false,
                }
            }
        }
        true
    }

    /// Whether a verb answers a field, `*` standing for what surrounds every answer.
    fn answers(&self, verb: &str, path: &str) -> bool {
        let start = match verb {
            "*" => &self.schema["envelope"]["success"],
            "refusal" => &self.schema["envelope"]["refusal"],
            verb => &self.schema["answers"][verb],
        };
        let parts: Vec<&str> = path.split('.').collect();
        self.leads(start, &parts)
    }

    /// Follows a path of keys through references, alternatives and lists.
    fn leads(&self, from: &Value, path: &[&str]) -> bool {
        let Some((key, rest)) = path.split_first() else { return true };
        if let Some(name) = from["$ref"].as_str().and_then(|it| it.strip_prefix("#/$defs/")) {
            return self.leads(&self.schema["$defs"][name], path);
        }
        if from["items"].is_object() && self.leads(&from["items"], path) {
            return true;
        }
        let forms = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|it| from[it].as_array());
        if forms.flatten().any(|it| self.leads(it, path)) {
            return true;
        }
        from["properties"].get(key).is_some_and(|it| self.leads(it, rest))
    }
}

fn is_named(argument: &Arg, word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => {
            argument.get_long() == Some(long)
                || argument.get_all_aliases().is_some_and(|it| it.contains(&long))
                || (long == "version" && argument.get_id() == "version")
        }
        None => {
            let short = word.chars().nth(1);
            argument.get_short() == short
                || argument
                    .get_all_short_aliases()
                    .is_some_and(|it| short.is_some_and(|short| it.contains(&short)))
        }
    }
}

/// The cells of a line that speaks of a subject: subject, stand, remark.
fn cells(line: &str) -> Option<[&str; 3]> {
    let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix('|')?.split(" |").collect();
    let [subject, stand, remark, ..] = cells.as_slice() else { return None };
    let is_heading = *subject == "mu" || subject.starts_with("---");
    (!is_heading).then_some([subject.trim(), stand.trim(), remark.trim()])
}

/// The page as it should be: planned forms that exist are built, and the counts are right.
fn corrected(page: &str, program: &Program) -> String {
    let mut counts = [0; 3];
    let mut lines: Vec<String> = Vec::new();
    for line in page.lines() {
        let Some([subject, cell, _]) = cells(line) else {
            lines.push(line.to_owned());
            continue;
        };
        let stand =
            Stand::read(cell).unwrap_or_else(|| panic!("{PAGE}: {subject}: cannot read `{cell}`"));
        let mut line = line.to_owned();
        let place = match stand {
            Stand::Built(form) => {
                assert!(program.has(form), "{PAGE}: {subject}: `{form}` does not exist");
                0
            }
            Stand::Planned(form) if program.has(form) => {
                line = line.replacen("| not yet: ", "| ", 1);
                0
            }
            Stand::Planned(_) => 1,
            Stand::Dropped => 2,
        };
        counts[place] += 1;
        lines.push(line);
    }
    let [built, planned, dropped] = counts;
    let header = format!(
        "Built: {built}. Not yet: {planned}. Dropped: {dropped}. Together: {}.",
        built + planned + dropped
    );
    for line in &mut lines {
        if line.starts_with("Built: ") {
            line.clone_from(&header);
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_parity_page_is_true() {
    let page = document::read(PAGE);
    document::hold(PAGE, &corrected(&page, &Program::of_this_build()));
}

#[test]
fn no_subject_stands_twice_below_a_heading() {
    let page = document::read(PAGE);
    for part in page.split("\n## ") {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for [subject, ..] in part.lines().filter_map(cells) {
            *seen.entry(subject).or_default() += 1;
        }
        let twice: Vec<_> = seen.into_iter().filter(|it| it.1 > 1).collect();
        assert!(twice.is_empty(), "{PAGE}: {twice:?}");
    }
}

#[test]
fn forms_are_looked_up_where_they_belong() {
    let program =
        Program { environment: "| `DROVER_X` | x |".to_owned(), ..Program::of_this_build() };
    let check = |form: &str, expected: bool| assert_eq!(program.has(form), expected, "{form}");
    check("drover task add --blocked-by -e", true);
    check("drover task add -w --workstream --json", true);
    check("drover task add --no-such", false);
    check("drover no-such", false);
    check("$DROVER_X", true);
    check("$DROVER_Y", false);
    check("task next → items.id", true);
    check("task next → task.claimed_by", true);
    check("project list → items.repository.path", true);
    check("task next → items.no_such", false);
    check("* → next.run", true);
    check("refusal → error", true);
}

#[test]
fn a_line_is_flipped_when_its_form_exists_and_the_counts_follow() {
    let program = Program::of_this_build();
    let page = "Built: 9. Not yet: 9.\n\n| mu | here | remark |\n| --- | --- | --- |\n\
        | `a` | not yet: `drover task add` | |\n| `b` | not yet: `drover no-such` | later |\n\
        | `c` | dropped: no need | |\n";
    assert_eq!(
        corrected(page, &program),
        "Built: 1. Not yet: 1. Dropped: 1. Together: 3.\n\n| mu | here | remark |\n\
         | --- | --- | --- |\n| `a` | `drover task add` | |\n\
         | `b` | not yet: `drover no-such` | later |\n| `c` | dropped: no need | |\n"
    );
}
