//! The workspace's files, and their code without comments, literals and tests.

use std::fs;
use std::path::Path;

use regex::Regex;

/// One file.
pub(crate) struct Source {
    /// Its path from the top of the repository.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
    /// Rust only: the text with comments, literals and unit tests blanked, line for line.
    pub(crate) code: String,
}

/// All files that the rules speak of.
pub(crate) struct Sources(pub(crate) Vec<Source>);

impl Sources {
    /// Reads the workspace that this test is part of.
    pub(crate) fn of_workspace() -> Self {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let mut paths = Vec::new();
        for entry in ["crates", "docs", "extension", ".ci"] {
            collect(&top.join(entry), &mut paths);
        }
        // Of the top, files only: other directories there are not part of the program.
        let entries = fs::read_dir(top).unwrap().flatten();
        paths.extend(entries.map(|it| it.path()).filter(|it| it.is_file()));
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let text = fs::read_to_string(path).ok()?;
            Some(Source::new(path.strip_prefix(top).unwrap().to_str()?, text))
        };
        Self(paths.iter().filter_map(read).collect())
    }

    /// The Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &Source> {
        self.0.iter().filter(|source| source.is("rs"))
    }
}

impl Source {
    pub(crate) fn new(path: &str, text: String) -> Self {
        let mut source = Self { path: path.to_owned(), text, code: String::new() };
        if source.is("rs") {
            source.code = without_tests(&blanked(&source.text));
        }
        source
    }

    /// Whether its name ends so.
    pub(crate) fn is(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|it| it == extension)
    }

    /// The crate's directory name.
    pub(crate) fn krate(&self) -> &str {
        self.path.strip_prefix("crates/").and_then(|rest| rest.split('/').next()).unwrap_or("")
    }

    /// Whether it is compiled for tests alone.
    pub(crate) fn is_test(&self) -> bool {
        let folders = ["/tests/", "/drover/src/reference/"];
        self.path.ends_with("/tests.rs") || folders.iter().any(|it| self.path.contains(it))
    }

    /// Whether it is shipped code: not a test, an example or the harness.
    pub(crate) fn is_shipped(&self) -> bool {
        self.path.contains("/src/") && !self.is_test() && self.krate() != "drover-testkit"
    }
}

fn collect(path: &Path, paths: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = fs::read_dir(path) else {
        paths.extend(path.is_file().then(|| path.to_owned()));
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name() != "target" && entry.file_name() != "node_modules" {
            collect(&entry.path(), paths);
        }
    }
}

/// Blanks comments, strings and character literals, keeping every line feed.
fn blanked(text: &str) -> String {
    let literal = concat!(
        r##"(?s)//[^\n]*|/\*.*?\*/|b?r#+".*?"#+|\br"[^"]*"|b?"(?:\\.|[^"\\])*""##,
        r"|b?'(?:\\u\{[0-9a-fA-F]+\}|\\.[0-9a-fA-F]?|[^'\\])'"
    );
    let blank = |found: &regex::Captures<'_>| {
        found[0].chars().map(|it| if it == '\n' { '\n' } else { ' ' }).collect::<String>()
    };
    Regex::new(literal).unwrap().replace_all(text, blank).into_owned()
}

/// Cuts the unit tests off, which stand at the end of a file.
fn without_tests(code: &str) -> String {
    let tests = Regex::new(r"(?m)^#\[cfg\(test\)\]\nmod \w+ \{").unwrap();
    tests.find(code).map_or(code, |found| &code[..found.start()]).to_owned()
}

#[test]
fn comments_literals_and_tests_are_no_code() {
    let text = "let a = \"x // \\\" y\"; // no\nlet b: &'a str = r#\"\"no\"\"#; let c = '\"';\n\
        #[cfg(test)]\nmod tests {\n    no();\n}\n";
    let source = Source::new("crates/a/src/lib.rs", text.to_owned());
    assert_eq!(
        source.code.split_whitespace().collect::<Vec<_>>().join(" "),
        "let a = ; let b: &'a str = ; let c = ;"
    );
}
