//! Cycles among the modules of a crate, one module a file, by the paths that their code names.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use crate::sources::{Source, Sources};

/// A module: its path from the root, which is empty.
type Module = Vec<String>;

/// Cycles, one for each group of modules in which each needs the others.
pub(crate) fn problems(sources: &Sources) -> Vec<String> {
    let mut roots: BTreeMap<String, BTreeMap<Module, &Source>> = BTreeMap::new();
    for source in sources.rust().filter(|it| !it.path.ends_with("/tests.rs")) {
        if let Some((root, module)) = place(&source.path) {
            roots.entry(root).or_default().insert(module, source);
        }
    }
    roots.iter().flat_map(|(root, modules)| cycles_of(root, modules)).collect()
}

/// The root directory and the module of a file below `src`.
fn place(path: &str) -> Option<(String, Module)> {
    let (krate, inside) = path.split_once("/src/")?;
    let bin = inside.strip_prefix("bin/").and_then(|rest| rest.split_once('/'));
    let (root, inside) = match bin {
        Some((bin, rest)) => (format!("{krate}/src/bin/{bin}"), rest),
        None => (format!("{krate}/src"), inside),
    };
    let inside = inside.strip_suffix(".rs")?;
    let module = inside.split('/').filter(|it| !["lib", "main", "mod"].contains(it));
    Some((root, module.map(str::to_owned).collect()))
}

fn cycles_of(root: &str, modules: &BTreeMap<Module, &Source>) -> Vec<String> {
    let facades: BTreeMap<Module, Vec<Module>> = modules
        .iter()
        .map(|(module, source)| (module.clone(), paths(&source.code, module, modules, true)))
        .collect();
    let edges: BTreeMap<&Module, BTreeSet<Module>> = modules
        .iter()
        .map(|(module, source)| {
            let named = paths(&source.code, module, modules, false);
            let targets = named.iter().map(|path| target(path, modules, &facades, 0));
            (module, targets.filter(|it| it != module).collect())
        })
        .collect();
    let mut problems = BTreeSet::new();
    for start in modules.keys() {
        if let Some(cycle) = shortest_cycle(start, &edges) {
            let names: Vec<String> =
                cycle.iter().map(|it| format!("crate::{}", it.join("::"))).collect();
            // The same cycle is met once from each of its modules.
            if cycle.iter().min() == cycle.first() {
                problems.insert(format!(
                    "{root}: {} → back: move what they share into a leaf",
                    names.join(" → ")
                ));
            }
        }
    }
    problems.into_iter().collect()
}

/// The absolute paths that code names: of its re-exports, which need nothing themselves, or of all else.
fn paths(
    code: &str,
    module: &Module,
    modules: &BTreeMap<Module, &Source>,
    facade: bool,
) -> Vec<Module> {
    let exports = Regex::new(r"(?s)\bpub(?:\([^)]*\))?\s+use\s[^;]*;").unwrap();
    let text: String = if facade {
        exports.find_iter(code).map(|found| found.as_str()).collect()
    } else {
        exports.replace_all(code, "").into_owned()
    };
    let starts = Regex::new(r"(?:^|[^:\w])((?:crate|self|super|[a-z_0-9]+)::)").unwrap();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = starts.captures_at(&text, at).map(|it| it.get(1).unwrap()) {
        let after = start.end();
        at = after;
        let first = start.as_str().trim_end_matches("::");
        let child: Module = module.iter().cloned().chain([first.to_owned()]).collect();
        let base = match first {
            "crate" => Vec::new(),
            "self" => module.clone(),
            "super" => module.split_last().map(|(_, above)| above.to_vec()).unwrap_or_default(),
            _ if modules.contains_key(&child) => child,
            _ => continue,
        };
        at = after + tree(&text[after..], &base, &mut found);
    }
    found
}

/// Reads the rest of a path, which may branch, and adds every whole path; returns how much it read.
fn tree(text: &str, base: &Module, found: &mut Vec<Module>) -> usize {
    let trimmed = text.trim_start();
    let skipped = text.len() - trimmed.len();
    if let Some(mut rest) = trimmed.strip_prefix('{') {
        while !rest.is_empty() && !rest.trim_start().starts_with('}') {
            rest = &rest[tree(rest, base, found).max(1)..];
            rest = rest.trim_start().trim_start_matches(',');
        }
        return text.len() - rest.len();
    }
    let length =
        trimmed.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(trimmed.len());
    let mut path = base.clone();
    match &trimmed[..length] {
        "super" => drop(path.pop()),
        "self" | "" => {}
        name => path.push(name.to_owned()),
    }
    let after = &trimmed[length..];
    if let Some(rest) = after.strip_prefix("::") {
        return skipped + length + 2 + tree(rest, &path, found);
    }
    found.push(path);
    let alias = Regex::new(r"^\s+as\s+\w+").unwrap().find(after);
    skipped + length + alias.map_or(0, |it| it.end())
}

/// The module that holds what a path names, behind any re-export.
fn target(
    path: &Module,
    modules: &BTreeMap<Module, &Source>,
    facades: &BTreeMap<Module, Vec<Module>>,
    depth: usize,
) -> Module {
    let longest = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]));
    let module = path[..longest.unwrap_or(0)].to_vec();
    let item = path.get(module.len());
    let exported =
        facades.get(&module).into_iter().flatten().find(|it| item.is_some() && it.last() == item);
    match exported {
        Some(exported) if depth < 8 => target(exported, modules, facades, depth + 1),
        _ => module,
    }
}

fn shortest_cycle<'a>(
    start: &'a Module,
    edges: &'a BTreeMap<&Module, BTreeSet<Module>>,
) -> Option<Vec<&'a Module>> {
    let mut routes = vec![vec![start]];
    let mut seen = BTreeSet::new();
    while !routes.is_empty() {
        let mut longer = Vec::new();
        for route in routes {
            for next in edges.get(route.last()?).into_iter().flatten() {
                if next == start {
                    return Some(route);
                }
                if seen.insert(next) {
                    longer.push(route.iter().copied().chain([next]).collect());
                }
            }
        }
        routes = longer;
    }
    None
}

#[test]
fn a_cycle_is_found_through_braces_and_re_exports() {
    let source = |path: &str, text: &str| Source::new(path, text.to_owned());
    let found = problems(&Sources(vec![
        source(
            "crates/a/src/lib.rs",
            "mod open;\nmod log;\nmod mux;\npub use open::{Error, Other as It};\n",
        ),
        source("crates/a/src/open.rs", "use crate::{log::Log, mux::Mux};\n"),
        source("crates/a/src/log.rs", "use crate::Error;\n"),
        source("crates/a/src/mux/mod.rs", "pub mod tmux;\npub use tmux::Tmux;\npub trait Mux {}\n"),
        source("crates/a/src/mux/tmux.rs", "use super::Mux;\n"),
    ]));
    assert_eq!(
        found,
        ["crates/a/src: crate::log → crate::open → back: move what they share into a leaf"]
    );
}

#[test]
fn a_parent_that_calls_a_child_which_needs_the_parent_is_a_cycle() {
    let source = |path: &str, text: &str| Source::new(path, text.to_owned());
    let found = problems(&Sources(vec![
        source("crates/a/src/lib.rs", "mod mux;\n"),
        source("crates/a/src/mux/mod.rs", "mod tmux;\nfn f() { tmux::start(); }\n"),
        source("crates/a/src/mux/tmux.rs", "use super::Mux;\n"),
    ]));
    assert_eq!(found.len(), 1, "{found:?}");
}
