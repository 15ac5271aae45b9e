//! `demo`: the main job on a small built-in repository, with a script where an agent would be.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_host::files;
use drover_host::process::Command;

use crate::ctx::Ctx;
use crate::dispatch::{End, Pass};
use crate::error::{Result, at_file};
use crate::run::{self, Audience, Ran, Run, WorkersAre};
use crate::tasks::Plan;
use crate::trust::Untrusted;

/// The project's name.
pub const PROJECT: &str = "demo";

/// The files of the repository before any work.
const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("repository/README.md")),
    ("tests/check.sh", include_str!("repository/tests/check.sh")),
    ("tests/split.sh", include_str!("repository/tests/split.sh")),
    ("tests/multiply.sh", include_str!("repository/tests/multiply.sh")),
    ("tests/add.sh", include_str!("repository/tests/add.sh")),
    ("tests/calc.sh", include_str!("repository/tests/calc.sh")),
    ("tests/all.sh", include_str!("repository/tests/all.sh")),
];

const PLAN: &str = include_str!("plan.json");
const WORKER: &str = include_str!("worker.sh");

/// What the demo showed.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The run.
    pub ran: Ran,
    /// The repository.
    pub repository: PathBuf,
    /// What the repository's tests print on the finished work; none before that.
    pub tests: Option<String>,
}

/// The commands of the built-in plan are trusted: they were compiled in.
struct OwnPlan<'a>(&'a mut dyn FnMut(&Pass));

impl Audience for OwnPlan<'_> {
    fn trusts(&mut self, _: &[Untrusted]) -> Result<bool> {
        Ok(true)
    }

    fn hears(&mut self, pass: &Pass) {
        (self.0)(pass);
    }
}

/// Makes the repository, runs the plan on it, fast-forwards its branch, and runs its tests.
pub fn demo(ctx: &mut Ctx, workers: u32, told: &mut dyn FnMut(&Pass)) -> Result<Shown> {
    let place = ctx.state_path().join("demo");
    let repository = place.join("repository");
    lay_out(&place, &repository)?;
    let work = ["sh".to_owned(), place.join("worker.sh").to_string_lossy().into_owned()];
    let request = Run {
        project: PROJECT.to_owned(),
        plan: Some(Plan::parse(PLAN)?),
        repository: Some(repository.clone()),
        workers,
        workers_are: WorkersAre { engine: None, work: Some(work.to_vec()) },
        until: None,
        keeps_agents: false,
    };
    let ran = run::run(ctx, &request, &mut OwnPlan(told))?;
    let tests = match ran.end {
        End::Done => Some(prove(&repository)?),
        End::NeedsPerson | End::NoAgent | End::TimedOut | End::Interrupted => None,
    };
    Ok(Shown { ran, repository, tests })
}

/// Writes the worker, and the repository if it is not there.
fn lay_out(place: &Path, repository: &Path) -> Result<()> {
    files::make_private_directory(place).map_err(at_file(place))?;
    let worker = place.join("worker.sh");
    files::write_atomic(&worker, WORKER.as_bytes()).map_err(at_file(&worker))?;
    if repository.join(".git").is_dir() {
        return Ok(());
    }
    for folder in [repository, &repository.join("tests"), &repository.join("lib")] {
        files::make_private_directory(folder).map_err(at_file(folder))?;
    }
    for (name, text) in FILES {
        let path = repository.join(name);
        files::write_atomic(&path, text.as_bytes()).map_err(at_file(&path))?;
    }
    git(repository, &["init", "--quiet", "--initial-branch", "main"])?;
    git(repository, &["add", "--all"])?;
    let identity = [
        "-c",
        "user.name=Drover",
        "-c",
        "user.email=drover@localhost",
        "-c",
        "commit.gpgSign=false",
    ];
    git(
        repository,
        &[&identity[..], &["commit", "--quiet", "--message", "A calculator that fails its tests"]]
            .concat(),
    )
}

/// Brings the finished work to the branch that is checked out, as its owner would, and runs the tests.
fn prove(repository: &Path) -> Result<String> {
    git(repository, &["merge", "--quiet", "--ff-only", &crate::workspaces::trunk(PROJECT)])?;
    let tests = Command::new("sh", repository).arg("tests/all.sh").timeout(Duration::from_mins(1));
    Ok(tests.run_ok()?.text())
}

fn git(repository: &Path, words: &[&str]) -> Result<()> {
    Command::new("git", repository).args(words.iter().copied()).run_ok()?;
    Ok(())
}
