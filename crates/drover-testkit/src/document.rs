//! Pages that tests hold true: compared with what the code says, rewritten when `UPDATE_DOCS` is set.

use std::fs;
use std::path::{Path, PathBuf};

/// How a failing page is put right.
pub const CURE: &str = "run `UPDATE_DOCS=1 cargo test` and read what changed";

/// The top of the workspace.
pub fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the harness is in crates/")
}

/// Whether this run rewrites the pages instead of comparing them.
pub fn is_updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some_and(|it| it == "1")
}

/// The text of a page, named by its path from the top; fails the test when it is not there.
#[track_caller]
pub fn read(page: &str) -> String {
    fs::read_to_string(top().join(page)).unwrap_or_else(|err| panic!("{page}: {err}"))
}

/// Fails the test unless the page holds exactly this text; writes it in an updating run.
#[track_caller]
pub fn hold(page: &str, text: &str) {
    let path = top().join(page);
    let found = fs::read_to_string(&path).unwrap_or_default();
    if found == text {
        return;
    }
    if is_updating() {
        let folder = path.parent().expect("a page has a folder");
        fs::create_dir_all(folder).expect("the page's folder");
        fs::write(&path, text).expect("the page is writable");
        return;
    }
    let differs = |(one, two): &(&str, &str)| one != two;
    let (line, (is, should)) = (1..)
        .zip(found.lines().chain([""]).zip(text.lines().chain([""])))
        .find(|(_, pair)| differs(pair))
        .unwrap_or((found.lines().count() + 1, ("the end", "more")));
    panic!("{page}:{line} is out of date: it says\n  {is}\nand should say\n  {should}\n{CURE}");
}

/// Every Rust file of the workspace with its path from the top, in order.
pub fn rust_files() -> Vec<(String, String)> {
    files(|path| path.extension().is_some_and(|it| it == "rs"))
}

/// Every page in Markdown with its path from the top, in order.
pub fn pages() -> Vec<(String, String)> {
    files(|path| path.extension().is_some_and(|it| it == "md"))
}

fn files(is_wanted: impl Fn(&Path) -> bool) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(top(), &mut paths);
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(top()).ok()?.to_str()?.to_owned();
        Some((name, fs::read_to_string(path).ok()?))
    };
    paths.iter().filter(|path| is_wanted(path)).filter_map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        if is_hidden || name == "target" || name == "node_modules" {
            continue;
        }
        let path = entry.path();
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}
