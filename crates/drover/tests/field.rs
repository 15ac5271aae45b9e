//! A repository, a plan and a worker whose doings a test decides, for runs from end to end.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use drover_testkit::{Background, CommandOutput, Repository, TestEnv, wait_until};
use serde_json::{Value, json};

/// Longer than a whole run takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(90);

/// The command that goes on from an answer, by why one would.
#[track_caller]
pub(crate) fn next(answer: &Value, why: &str) -> String {
    let all = answer["next"].as_array().unwrap();
    let found = all.iter().find(|it| it["why"] == why);
    found.unwrap_or_else(|| panic!("no {why:?} in {all:?}"))["run"].as_str().unwrap().to_owned()
}

/// What the worker does for a task without orders of its own: one file, named after the task.
const USUAL: &str = "echo \"$DROVER_TASK\" >\"$DROVER_TASK.txt\"";

/// The project `web` with its repository, and orders for its workers.
pub(crate) struct Field {
    pub(crate) env: TestEnv,
    pub(crate) repository: Repository,
}

impl Field {
    pub(crate) fn new() -> Self {
        let env = crate::env();
        let repository = env.repository("the #1 shop");
        repository.write(".gitignore", "target/\n");
        repository.write("shared.txt", "one\ntwo\nthree\n");
        repository.commit("begin");
        let orders = env.root().join("orders");
        std::fs::create_dir(&orders).unwrap();
        let script = format!(
            "echo \"$DROVER_TASK $DROVER_AGENT\" >>'{0}'/begun\nif [ -e '{0}'/\"$DROVER_TASK\" ]; then . '{0}'/\"$DROVER_TASK\"; else {USUAL}; fi\n",
            orders.display()
        );
        std::fs::write(env.root().join("worker.sh"), script).unwrap();
        Self { env, repository }
    }

    /// What the worker runs for one task, in its checkout.
    pub(crate) fn order(&self, task: &str, script: &str) {
        std::fs::write(self.env.root().join("orders").join(task), script).unwrap();
    }

    /// The command of every worker.
    pub(crate) fn command(&self) -> String {
        format!("sh {}", self.env.root().join("worker.sh").display())
    }

    /// The tasks that were begun, each with its worker, in order.
    pub(crate) fn begun(&self) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(self.env.root().join("orders").join("begun"));
        let text = text.unwrap_or_default();
        text.lines()
            .filter_map(|it| it.split_once(' '))
            .map(|(task, agent)| (task.to_owned(), agent.to_owned()))
            .collect()
    }

    /// Waits until so many tasks were begun.
    #[track_caller]
    pub(crate) fn wait_for_begun(&self, count: usize) {
        wait_until("tasks are begun", LONG, || self.begun().len() >= count);
    }

    /// A shell line that waits until `let_go` names it.
    pub(crate) fn hold(&self, name: &str) -> String {
        let fifo = self.env.root().join(format!("{name}.fifo"));
        self.env.call("mkfifo", &[&fifo]).run().ok();
        // A process that both reads and writes never sees the end by itself.
        format!("cat '{}' >/dev/null; {USUAL}", fifo.display())
    }

    /// Lets what waits on `hold` go on.
    pub(crate) fn let_go(&self, name: &str) {
        std::fs::write(self.env.root().join(format!("{name}.fifo")), "go\n").unwrap();
    }

    /// Writes a plan; each task is proven by the file that the worker makes.
    pub(crate) fn plan(&self, tasks: &[(&str, &[&str])]) -> PathBuf {
        let tasks: Vec<Value> = tasks
            .iter()
            .map(|(id, blocked_by)| {
                json!({
                    "id": id, "title": format!("Write {id}"), "impact": 50, "effort_days": 1,
                    "blocked_by": blocked_by, "verify": format!("test -s {id}.txt"),
                })
            })
            .collect();
        self.plan_of(&json!({ "tasks": tasks }))
    }

    pub(crate) fn plan_of(&self, plan: &Value) -> PathBuf {
        let path = self.env.root().join("web.json");
        std::fs::write(&path, plan.to_string()).unwrap();
        path
    }

    /// The words of a run of the plan.
    pub(crate) fn run_words(&self, words: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = ["run", "--json", "--repo"].map(str::to_owned).to_vec();
        all.push(self.repository.path().to_str().unwrap().to_owned());
        let plan = self.env.root().join("web.json");
        if plan.exists() {
            all.push(plan.to_str().unwrap().to_owned());
        }
        if !words.contains(&"--command") && !words.contains(&"--engine") {
            all.extend(["--command".to_owned(), self.command()]);
        }
        all.extend(words.iter().map(|it| (*it).to_owned()));
        all
    }

    #[track_caller]
    pub(crate) fn run(&self, words: &[&str]) -> CommandOutput {
        self.env.drover_call(&self.run_words(words)).time_limit(LONG).run()
    }

    #[track_caller]
    pub(crate) fn run_in_background(&self, words: &[&str]) -> Background {
        self.env.drover_call(&self.run_words(words)).time_limit(LONG).start()
    }

    /// Runs a command that an answer named, as it would be pasted.
    #[track_caller]
    pub(crate) fn paste(&self, command: &str) -> CommandOutput {
        self.env
            .shim("drover", &format!("#!/bin/sh\nexec '{}' \"$@\"\n", self.env.binary().display()));
        self.env.call("sh", &["-c", command]).time_limit(LONG).run()
    }

    /// Any verb, in JSON.
    #[track_caller]
    pub(crate) fn drover(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        self.env.drover_call(&all).time_limit(LONG).run()
    }

    /// Each task with its status and substate.
    pub(crate) fn tasks(&self) -> Vec<(String, String)> {
        let data = self.drover(&["task", "list", "-p", "web"]).ok().data();
        let items = data["items"].as_array().unwrap();
        let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
        items.iter().map(|it| (text(it, "id"), text(it, "substate"))).collect()
    }

    /// The kinds of what needs a person, each with what it is about.
    pub(crate) fn needs(&self) -> Vec<(String, String)> {
        let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
        self.need_items().iter().map(|it| (text(it, "kind"), text(it, "about"))).collect()
    }

    /// What needs a person.
    pub(crate) fn need_items(&self) -> Vec<Value> {
        let state = self.drover(&["state", "-p", "web"]).ok().data();
        state["projects"]["items"][0]["needs_you"]["items"].as_array().unwrap().clone()
    }

    /// The one need of a kind.
    #[track_caller]
    pub(crate) fn need(&self, kind: &str) -> Value {
        let all = self.need_items();
        let of_kind = all.iter().find(|it| it["kind"] == kind);
        of_kind.unwrap_or_else(|| panic!("nothing of the kind {kind} in {all:?}")).clone()
    }

    /// A file as it stands on the trunk.
    pub(crate) fn on_trunk(&self, file: &str) -> String {
        self.repository.git(&["show", &format!("drover/web/trunk:{file}")])
    }

    /// The files on the trunk.
    pub(crate) fn trunk_files(&self) -> Vec<String> {
        let files = self.repository.git(&["ls-tree", "--name-only", "drover/web/trunk"]);
        files.lines().map(str::to_owned).collect()
    }

    /// Starts a shell agent with the usual worker.
    #[track_caller]
    pub(crate) fn worker(&self, name: &str) -> Value {
        let words = ["agent", "spawn", name, "-p", "web", "--work", &self.command()];
        self.drover(&words).ok().data()["agent"].take()
    }

    /// The project without a run.
    pub(crate) fn init(&self) {
        let path = self.repository.path().to_str().unwrap();
        self.drover(&["project", "init", "web", "--repo", path]).ok();
    }

    /// The process in an agent's pane.
    pub(crate) fn pid(&self, agent: &str) -> u32 {
        let shown = self.drover(&["agent", "show", agent, "-p", "web"]).ok().data();
        shown["agent"]["pane"]["pid"].as_u64().unwrap().try_into().unwrap()
    }

    /// The checkout of an agent.
    pub(crate) fn checkout(&self, agent: &str) -> PathBuf {
        self.env.state().join("workspaces").join("web").join(agent)
    }

    /// Notes on a task, each on its line.
    pub(crate) fn notes(&self, task: &str) -> String {
        let data = self.drover(&["task", "notes", task, "-p", "web"]).ok().data();
        let mut text = String::new();
        for it in data["items"].as_array().unwrap() {
            let _ = writeln!(text, "{}", it["text"].as_str().unwrap_or_default());
        }
        text
    }
}
