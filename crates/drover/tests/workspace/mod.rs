//! `drover workspace` and the repository of a project.

mod copy;
mod free;
mod land;
mod prepare;
mod repository;
mod stale;
mod verbs;

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use drover_ops::rows::Project;
use drover_ops::{Ctx, Env, OpError, Options, workspaces};
use drover_store::agents::{self, Ending, NewAgent, Profile};
use drover_store::projects::{self, Trust};
use drover_testkit::{CommandOutput, Repository, TestEnv};
use serde_json::Value;

/// Where the repository of a crew is, below the root of its home.
pub(crate) const REPOSITORY: &str = "the #1 shop";

/// A project `web` with a repository, in which agents have workspaces.
pub(crate) struct Crew {
    pub(crate) env: TestEnv,
    state: PathBuf,
    repository: Repository,
}

impl Crew {
    pub(crate) fn new() -> Self {
        let env = crate::env();
        let state = env.state();
        Self::with_state(env, state)
    }

    /// A crew whose state directory is reached through a link.
    fn behind_a_link() -> Self {
        let mut env = crate::env();
        let link = env.root().join("link");
        std::os::unix::fs::symlink(env.state(), &link).unwrap();
        std::fs::DirBuilder::new().mode(0o700).create(env.state()).unwrap();
        env.set("DROVER_STATE_DIR", &link);
        Self::with_state(env, link)
    }

    fn with_state(env: TestEnv, state: PathBuf) -> Self {
        let repository = env.repository(REPOSITORY);
        repository.write(".gitignore", "target/\n.env\nlocal.db\n");
        repository.write("shared.txt", "one\ntwo\nthree\n");
        repository.commit("begin");
        let crew = Self { env, state, repository };
        let path = crew.repository.path().to_str().unwrap().to_owned();
        crew.drover(&["project", "init", "web", "--repo", &path]).ok();
        crew
    }

    /// Runs the binary, always on the project `web` and in JSON.
    #[track_caller]
    fn drover(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        self.env.drover(&all)
    }

    /// A context in this process, for what has no verb of its own.
    fn ctx(&self) -> Ctx {
        let pairs = [
            ("DROVER_STATE_DIR", self.state.clone().into_os_string()),
            ("HOME", self.env.home().into_os_string()),
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("USER", "tester".into()),
        ];
        let env: Env =
            pairs.into_iter().map(|(name, value)| (OsString::from(name), value)).collect();
        let options = Options { project: Some("web".to_owned()), ..Options::default() };
        Ctx::open(env, options).unwrap()
    }

    fn project(&self) -> Project {
        projects::find(&self.ctx().read(), "web").unwrap().unwrap()
    }

    /// Makes an agent's row, as a launch does first.
    fn agent_row(&self, name: &str) -> i64 {
        let project_pk = self.project().pk;
        let profile = Profile {
            role: "worker".to_owned(),
            engine: "shell".to_owned(),
            command: "[]".to_owned(),
            work: None,
            takes_work: "none".to_owned(),
            env_names: "[]".to_owned(),
            model: None,
            thinking: None,
            unattended: false,
            skills: "[]".to_owned(),
            permission: None,
            sandbox: None,
            cwd: "/".to_owned(),
        };
        let deadline_at = "2126-01-01T00:00:00.000Z";
        let server = ("tmux", "/nonexistent");
        let (profile, nonce, tab) = (&profile, name, None);
        let new = NewAgent { project_pk, name, nonce, deadline_at, profile, server, tab };
        self.ctx().step("agent.spawn", |tx| Ok(agents::insert(tx, &new)?.0)).unwrap()
    }

    fn prepare(&self, name: &str) -> Result<PathBuf, OpError> {
        self.prepare_from(name, None)
    }

    fn prepare_from(&self, name: &str, from: Option<&str>) -> Result<PathBuf, OpError> {
        let (agent_pk, project) = (self.agent_row(name), &self.project());
        let asked = workspaces::Prepare { project, agent_pk, agent_name: name, from };
        workspaces::prepare(&mut self.ctx(), &asked)
    }

    /// An agent that has ended, with its workspace.
    pub(crate) fn agent(&self, name: &str) -> Workspace<'_> {
        let path = self.prepare(name).unwrap();
        let mut ctx = self.ctx();
        let agent = agents::find(&ctx.read(), self.project().pk, name).unwrap().unwrap();
        ctx.step("agent.exit", |tx| Ok(agents::exited(tx, agent.pk, Ending::default())?)).unwrap();
        Workspace { crew: self, path }
    }

    fn trust(&self, kind: &str, command: &str) {
        let project_pk = self.project().pk;
        let trust = Trust {
            kind: kind.to_owned(),
            digest: drover_ops::sha256_hex(command.as_bytes()),
            command: command.to_owned(),
            source: "test".to_owned(),
            trusted_by: "user:tester".to_owned(),
        };
        self.ctx()
            .step("project.trust", |tx| Ok(projects::trust(tx, project_pk, &trust)?))
            .unwrap();
    }

    pub(crate) fn policy(&self, key: &str, value: &str) {
        let pk = self.project().pk;
        let set =
            |tx: &drover_store::WriteTx<'_>| Ok(projects::set_policy(tx, pk, key, Some(value))?);
        self.ctx().step("project.set", set).unwrap();
    }

    fn trunk(&self) -> String {
        self.repository.git(&["rev-parse", "drover/web/trunk"])
    }

    fn branches(&self) -> String {
        self.repository.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"])
    }

    fn listed(&self, agent: &str) -> Value {
        let data = self.drover(&["workspace", "list"]).ok().data();
        let items = data["items"].as_array().unwrap().clone();
        items.into_iter().find(|it| it["agent"] == agent).unwrap_or(Value::Null)
    }
}

/// A checkout of an agent.
pub(crate) struct Workspace<'a> {
    crew: &'a Crew,
    path: PathBuf,
}

impl Workspace<'_> {
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path.join(name).parent().unwrap()).unwrap();
        std::fs::write(self.path.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path.join(name)).unwrap()
    }

    #[track_caller]
    fn git(&self, words: &[&str]) -> String {
        let output = self.try_git(words).ok();
        output.stdout.trim_end().to_owned()
    }

    fn try_git(&self, words: &[&str]) -> CommandOutput {
        self.crew.env.call("git", words).directory(&self.path).run()
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Writes a file and commits it.
    pub(crate) fn work(&self, name: &str, text: &str) -> String {
        self.write(name, text);
        self.commit(&format!("write {name}"))
    }
}
