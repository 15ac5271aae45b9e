//! Verbs that end at any step, as by a power cut, and are repeated under their key.

mod launcher;
mod walk;
mod world;

use drover_testkit::{TestEnv, wait_until};

use crate::stage::{SOON, Stage};
use crate::workspace::{Crew, REPOSITORY};
use walk::{End, Walk};

const WALKS: &[Walk] = &[
    Walk {
        verb: "spawn",
        make: repository,
        words: &["agent", "spawn", "w1", "--engine", "shell"],
        end: End::Same,
    },
    Walk {
        verb: "claim",
        make: two_tasks,
        words: &["task", "claim", "a", "--evidence", "mine"],
        end: End::SameLog,
    },
    Walk {
        verb: "send",
        make: scripted_agent,
        words: &["agent", "send", "w1", "once"],
        end: End::SameOrUncertain,
    },
    Walk {
        verb: "agent close",
        make: agent_at_work,
        words: &["agent", "close", "w1"],
        end: End::Same,
    },
    Walk {
        verb: "agent restore",
        make: agent_without_server,
        words: &["agent", "restore", "w1", "--timeout", "0"],
        end: End::Same,
    },
    Walk {
        verb: "agent delegate",
        make: chat_agents,
        words: &["agent", "delegate", "once", "--keep", "--wait"],
        end: End::Same,
    },
    Walk {
        verb: "task close",
        make: two_tasks,
        words: &["task", "close", "a", "--why", "the tests pass", "--evidence", "make test"],
        end: End::SameLog,
    },
    Walk {
        verb: "task close --verify",
        make: committed_work,
        words: &["task", "close", "a", "--verify=true"],
        end: End::SameLog,
    },
    Walk { verb: "land", make: work_done, words: &["workspace", "land", "w1"], end: End::Same },
    Walk {
        verb: "project init",
        make: repository_alone,
        words: &["project", "init", "web", "--repo", "../the #1 shop"],
        end: End::SameLog,
    },
    Walk {
        verb: "project rename",
        make: repository,
        words: &["project", "rename", "web", "shop"],
        end: End::SameLog,
    },
    Walk {
        verb: "project unarchive",
        make: put_away,
        words: &["project", "unarchive", "web", "--as", "shop"],
        end: End::SameLog,
    },
    Walk { verb: "free", make: unused, words: &["workspace", "free", "w1"], end: End::Same },
    Walk {
        verb: "free --discard",
        make: unfinished_work,
        words: &["workspace", "free", "w1", "--discard", "--yes"],
        end: End::Same,
    },
    Walk {
        verb: "migrate, first open",
        make: crate::env,
        words: &["project", "init", "web"],
        end: End::SameLog,
    },
    Walk {
        verb: "migrate, upgrade",
        make: older_database,
        words: &["task", "add", "two"],
        end: End::SameLog,
    },
];

fn repository() -> TestEnv {
    Crew::new().env
}

fn repository_alone() -> TestEnv {
    let env = crate::env();
    env.repository(REPOSITORY);
    env.drover(&["project", "init", "other"]).ok();
    env
}

/// An archived project whose name was given away.
fn put_away() -> TestEnv {
    let env = repository();
    env.drover(&["project", "archive", "web"]).ok();
    env.drover(&["project", "init", "web"]).ok();
    env
}

fn two_tasks() -> TestEnv {
    let env = crate::env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    env.drover(&["task", "add", "b", "--blocked-by", "a"]).ok();
    env
}

fn scripted_agent() -> TestEnv {
    let stage = Stage::new();
    stage.agent("w1", &["--instant-turn"]);
    stage.env
}

/// An agent in its pane and its workspace, with a task of its own.
fn agent_at_work() -> TestEnv {
    let env = repository();
    env.drover(&["agent", "spawn", "w1", "--engine", "shell"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    env.drover(&["task", "claim", "a", "--for", "w1"]).ok();
    env
}

/// An agent whose server was killed, with the task that it lost by that.
fn agent_without_server() -> TestEnv {
    let mut env = repository();
    let program = env.shim("stand-in", "#!/bin/sh\nexec sleep 100000\n");
    env.set("DROVER_ENGINE_CLAUDE", program.to_str().unwrap());
    env.drover(&["agent", "spawn", "w1", "--engine", "claude"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    env.drover(&["task", "claim", "a", "--for", "w1"]).ok();
    env.tmux_server().kill_server();
    wait_until("it is gone", SOON, || {
        let shown = env.drover(&["agent", "show", "w1", "-n", "0", "--json"]).ok().data();
        shown["agent"]["state"] == "exited"
    });
    env
}

/// A home in which pi is a stand-in that answers at once.
fn chat_agents() -> TestEnv {
    let mut env = crate::env();
    let fake_agent = env.fake_agent();
    let script =
        format!("#!/bin/sh\nexec '{}' --speak pi --instant-turn \"$@\"\n", fake_agent.display());
    let program = env.shim("stand-in", &script);
    env.set("DROVER_ENGINE_PI", program.to_str().unwrap());
    env.drover(&["project", "init", "web"]).ok();
    env
}

/// A task that is closed, and its commit on a branch.
fn work_done() -> TestEnv {
    let env = committed_work();
    env.drover(&["task", "close", "a"]).ok();
    env
}

/// A task in work, and its commit on a branch.
fn committed_work() -> TestEnv {
    let crew = Crew::new();
    crew.policy("verify", "true");
    crew.agent("w1").work("a", "x");
    crew.env.drover(&["task", "add", "a"]).ok();
    crew.env.drover(&["task", "claim", "a", "--for", "w1"]).ok();
    crew.env
}

fn unused() -> TestEnv {
    let crew = Crew::new();
    crew.agent("w1");
    crew.env
}

/// A commit, a file that git does not know yet, and one that it is to ignore.
fn unfinished_work() -> TestEnv {
    let crew = Crew::new();
    let workspace = crew.agent("w1");
    workspace.work("a", "x\n");
    workspace.write("b", "y\n");
    workspace.write(".env", "KEY=1\n");
    crew.env
}

/// A database that the program is about to bring to a newer version.
fn older_database() -> TestEnv {
    let mut env = two_tasks();
    env.set("DROVER_TEST_MIGRATION", "1");
    env
}

/// Each verb, ended at each of its steps and repeated: nothing is half-written, lost, done twice
/// or left behind.
#[test]
fn must_show_01_6() {
    // To look into one of them: WALK="land".
    let only = std::env::var("WALK").ok();
    for walk in WALKS.iter().filter(|it| only.as_deref().is_none_or(|only| only == it.verb)) {
        assert!(walk.run() > 0, "{} has steps", walk.verb);
    }
}
