//! A source of one kind, and checkouts of it.

use std::path::{Path, PathBuf};

use drover_host::lock::Locks;
use drover_host::process::Command;
use drover_host::workspace::git::{self, GitError, Oid, Status};
use drover_host::workspace::{Backend, Kind, Place, backend, contents, repository};

/// Names that no program must trip over.
pub(crate) const NAMES: [&str; 3] = ["two words", "größe №1", "line\nfeed"];

pub(crate) struct World {
    directory: tempfile::TempDir,
    pub(crate) kind: Kind,
    pub(crate) locks: Locks,
}

/// A checkout of a world, there or not.
pub(crate) struct Checkout<'a> {
    world: &'a World,
    pub(crate) source: PathBuf,
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    pub(crate) base: Oid,
}

impl World {
    /// A source with one commit, at a path with a blank and a letter that is not ASCII.
    pub(crate) fn new(kind: Kind) -> Self {
        Self::with_layout(kind, &["--colocate"])
    }

    /// The same; jj is told by these words where its git store is.
    pub(crate) fn with_layout(kind: Kind, layout: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("locks")).unwrap();
        let world = Self { locks: Locks::new(directory.path().join("locks")), kind, directory };
        let source = world.source();
        std::fs::create_dir(&source).unwrap();
        match kind {
            Kind::Git => {
                run(&source, "git", &["init", "--quiet", "-b", "main"]);
                run(&source, "git", &["config", "user.name", "Test"]);
                run(&source, "git", &["config", "user.email", "test@localhost"]);
            }
            Kind::Jj => {
                let words: Vec<&str> = ["git", "init"].iter().chain(layout).copied().collect();
                run(&source, "jj", &words);
            }
            Kind::Copy => {}
        }
        write(&source, "file", "one\ntwo\nthree\n");
        write(&source, ".gitignore", ".env\nbig.log\n");
        for name in NAMES {
            write(&source, name, "x\n");
        }
        world.advance("first");
        if kind == Kind::Jj {
            run(&source, "jj", &["bookmark", "create", "main", "-r", "@-"]);
        }
        world
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("the süß #1 source")
    }

    pub(crate) fn backend(&self) -> &'static dyn Backend {
        backend(self.kind)
    }

    pub(crate) fn has_history(&self) -> bool {
        self.kind != Kind::Copy
    }

    /// Commits what is in the source, and says what a checkout starts from now.
    pub(crate) fn advance(&self, message: &str) -> Oid {
        commit(self.kind, &self.source(), message);
        self.newest()
    }

    /// What a checkout would start from now.
    pub(crate) fn newest(&self) -> Oid {
        match self.kind {
            Kind::Copy => contents(&self.source()).unwrap(),
            kind => repository(&self.source(), Some(kind)).unwrap().1.head,
        }
    }

    pub(crate) fn checkout(&self, name: &str) -> Checkout<'_> {
        Checkout {
            world: self,
            source: self.source(),
            path: self.directory.path().canonicalize().unwrap().join("state").join(name),
            branch: format!("drover/web/{name}"),
            base: self.newest(),
        }
    }

    /// One that is made.
    pub(crate) fn made(&self, name: &str) -> Checkout<'_> {
        let checkout = self.checkout(name);
        self.backend().add(&self.locks, &checkout.place()).unwrap();
        checkout
    }
}

impl Checkout<'_> {
    pub(crate) fn place(&self) -> Place<'_> {
        Place { source: &self.source, path: &self.path, branch: &self.branch, base: &self.base }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.path, name, text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path.join(name)).unwrap()
    }

    pub(crate) fn status(&self) -> Status {
        self.world.backend().status(&self.place()).unwrap()
    }

    pub(crate) fn changed(&self) -> Vec<String> {
        let status = self.status();
        let mut found: Vec<String> = status.changed().map(|it| it.display().to_string()).collect();
        found.sort();
        found
    }

    /// Writes a file and commits it as an agent would.
    pub(crate) fn work(&self, name: &str, text: &str) -> Oid {
        self.write(name, text);
        commit(self.world.kind, &self.path, &format!("write {name}"));
        self.status().head.unwrap_or_else(|| self.base.clone())
    }

    pub(crate) fn tip(&self) -> Option<Oid> {
        git::branch_tip(&self.source, &self.branch).unwrap()
    }
}

pub(crate) fn commit(kind: Kind, directory: &Path, message: &str) {
    match kind {
        Kind::Git => {
            git::commit_all(directory, message).unwrap();
        }
        Kind::Jj => run(directory, "jj", &["commit", "--message", message]),
        Kind::Copy => {}
    }
}

pub(crate) fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[track_caller]
pub(crate) fn run(directory: &Path, program: &str, words: &[&str]) {
    Command::new(program, directory).args(words.iter().copied()).run_ok().unwrap();
}

#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, GitError>) -> GitError {
    result.unwrap_err()
}
