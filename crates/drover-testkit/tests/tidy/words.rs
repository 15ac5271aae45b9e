//! Calls and words that have exactly one place, or none.

use regex::Regex;

use crate::sources::{Source, Sources};

/// Where a rule looks.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Within {
    /// Shipped code, without comments, literals and tests.
    Code,
    /// The code of `drover-core` alone.
    Core,
    /// Shipped text: code, literals, SQL.
    Text,
    /// Every file, tests too.
    Everything,
}

/// What is banned, where, outside which paths, and what to do instead.
struct Rule(&'static str, Within, &'static [&'static str], &'static str);

const RULES: [Rule; 12] = [
    Rule(
        r"(?i)\bOR\s+REPLACE\b",
        Within::Text,
        &[],
        "it deletes rows behind the log: use ON CONFLICT DO UPDATE",
    ),
    Rule(
        r"\bConnection::open\w*",
        Within::Code,
        &["crates/drover-store/src/connection.rs"],
        "only store's open sets the pragmas every connection needs",
    ),
    Rule(
        r"\bstd::process::(Command\b|\{[^}]*\bCommand\b)|\buse std::(process;|\{[^}]*\bprocess[,}])",
        Within::Code,
        &["crates/drover-host/src/process.rs", "crates/drover-host/src/process/"],
        "programs are run through host::process",
    ),
    Rule(
        r"\benv::(vars?|vars?_os|set_var|remove_var)\b",
        Within::Code,
        &["crates/drover-host/src/env.rs", "crates/drover-host/src/env/"],
        "the environment is read in host::env",
    ),
    Rule(
        r"\b(SystemTime|Timestamp|Zoned)::now\b",
        Within::Code,
        &["crates/drover-host/src/clock.rs"],
        "the wall clock is read in host::clock",
    ),
    Rule(
        r"\bInstant::now\b",
        Within::Code,
        &["crates/drover-host/src/"],
        "time passes in host alone: take a deadline as an argument",
    ),
    Rule(
        r"\bthread::sleep\b",
        Within::Code,
        &["crates/drover-store/src/connection.rs"],
        "wait for the event, not for time",
    ),
    Rule(
        r"\bstd::(fs|io|net|os|process|thread|env)\b|\bprintln!|\beprintln!",
        Within::Core,
        &[],
        "core takes data and returns data",
    ),
    Rule(
        r"/(root|home/\w+|Users/\w+)/",
        Within::Everything,
        &[],
        "no path of somebody's home: use TestEnv or a temporary directory",
    ),
    Rule(
        r"\b(TODO|FIXME|XXX)\b|\btodo!|\bunimplemented!",
        Within::Everything,
        &[],
        "open a task instead",
    ),
    Rule(
        r"\.unwrap\(\)|\.expect\(|\bpanic!|\bunreachable!",
        Within::Code,
        &["crates/drover-testkit/"],
        "return the error, or say by #[expect(…, reason = \"…\")] why it cannot happen",
    ),
    Rule(r"#!?\[allow\(", Within::Everything, &[], "use #[expect(…, reason = \"…\")]"),
];

/// Uses of what is banned, with line and cure.
pub(crate) fn problems(sources: &Sources) -> Vec<String> {
    let rules: Vec<(Regex, &Rule)> =
        RULES.iter().map(|rule| (Regex::new(rule.0).unwrap(), rule)).collect();
    // This test has to spell out what it looks for.
    let spoken_of =
        sources.0.iter().filter(|it| !it.path.starts_with("crates/drover-testkit/tests/tidy"));
    spoken_of
        .flat_map(|source| rules.iter().flat_map(|(regex, rule)| uses(source, regex, rule)))
        .collect()
}

fn uses(source: &Source, regex: &Regex, Rule(_, within, except, cure): &Rule) -> Vec<String> {
    let applies = match within {
        Within::Core => source.is_shipped() && source.krate() == "drover-core",
        Within::Code => source.is_shipped(),
        Within::Text => source.is_shipped() || source.is("sql"),
        Within::Everything => true,
    };
    if !applies || except.iter().any(|prefix| source.path.starts_with(prefix)) {
        return Vec::new();
    }
    let in_code = matches!(within, Within::Core | Within::Code);
    let text = if in_code { &source.code } else { &source.text };
    let problem = |found: regex::Match<'_>| {
        let line = text[..found.start()].matches('\n').count() + 1;
        format!("{}:{line}: `{}`: {cure}", source.path, found.as_str())
    };
    regex.find_iter(text).map(problem).collect()
}

#[test]
fn a_banned_call_is_found_in_code_and_not_in_comments_tests_or_its_own_place() {
    let text = "//! Says.\nuse std::process::{Child, Command};\n// std::env::var\n\
        fn f() { std::env::var(\"A\"); }\n#[cfg(test)]\nmod tests {\n fn g() { Instant::now(); }\n}\n";
    let found = |path: &str| {
        let problems = problems(&Sources(vec![Source::new(path, text.to_owned())]));
        problems.iter().map(|it| it.split(':').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("crates/drover-store/src/a.rs"), ["2", "4"]);
    assert_eq!(found("crates/drover-host/src/env.rs"), ["2"]);
    assert_eq!(found("crates/drover-host/src/process/run.rs"), ["4"]);
    assert!(found("crates/drover-testkit/src/a.rs").is_empty());
}
