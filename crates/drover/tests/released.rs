//! The static binary, alone in root file systems of other systems.
//!
//! Not part of a plain `cargo test`: `./dev test` builds the binary, makes the roots, and runs these.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Where the plan of the demo stands in the tree.
const PLAN: &str = include_str!("../../drover-ops/src/demo/plan.json");

/// The binary that is handed out.
fn binary() -> PathBuf {
    std::env::var_os("DROVER_STATIC_BINARY").unwrap().into()
}

/// A root file system with nothing of ours in it but the binary.
struct Root {
    path: PathBuf,
}

impl Root {
    fn new(name: &str) -> Self {
        let roots = PathBuf::from(std::env::var_os("DROVER_ROOTS").unwrap());
        let root = Self { path: roots.join(name) };
        let state = root.path.join("srv/.local");
        if state.exists() {
            fs::remove_dir_all(state).unwrap();
        }
        fs::create_dir_all(root.path.join("srv")).unwrap();
        fs::copy(binary(), root.path.join("usr/bin/drover")).unwrap();
        fs::write(root.path.join("srv/plan.json"), PLAN).unwrap();
        root
    }

    /// Runs a program in the root, in a mount namespace that ends with it.
    fn run(&self, words: &[&str]) -> Output {
        // The path and the words are arguments, so no name becomes a word of the shell.
        let enter = "mount --rbind /proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && exec chroot \"$0\" \"$@\"";
        Command::new("unshare")
            .args(["--mount", "sh", "-c", enter])
            .arg(&self.path)
            .args(words)
            .env_clear()
            .envs([("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), ("HOME", "/srv"), ("USER", "ann")])
            .output()
            .unwrap()
    }

    /// A call that must succeed; its data.
    #[track_caller]
    fn drover(&self, words: &[&str]) -> Value {
        let all: Vec<&str> = ["/usr/bin/drover", "--json"].iter().chain(words).copied().collect();
        let output = self.run(&all);
        let said = String::from_utf8(output.stdout).unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        let answer: Value = serde_json::from_str(&said)
            .unwrap_or_else(|err| panic!("{words:?}: {err}: {said}{complaint}"));
        assert_eq!(answer["ok"], true, "{words:?}: {answer}{complaint}");
        answer["data"].clone()
    }

    /// The half of the demo that needs neither git nor a multiplexer: its plan, worked off by a person.
    fn works_off_the_plan(&self) {
        self.drover(&["project", "init", "demo"]);
        assert_eq!(self.drover(&["task", "import", "/srv/plan.json"])["added"]["count"], 4);
        assert_eq!(self.drover(&["task", "next"])["items"][0]["id"], "split");
        for (id, opened) in [("split", 2), ("add", 1), ("multiply", 1), ("calc", 0)] {
            self.drover(&["task", "claim", id]);
            self.drover(&["task", "note", id, "done on a system without anything"]);
            let why = ["--unverified", "--why", "no repository here"];
            let words: Vec<&str> = ["task", "close", id].iter().chain(&why).copied().collect();
            self.drover(&words);
            let ready = self.drover(&["task", "next", "-n", "0"]);
            assert_eq!(ready["count"], opened, "after {id}: {ready}");
        }
        let listed = self.drover(&["task", "list"]);
        let is_closed = |it: &Value| it["status"] == "CLOSED";
        assert!(listed["items"].as_array().unwrap().iter().all(is_closed), "{listed}");
        let groups = self.drover(&["undo"]);
        let last = groups["items"][0]["group"].as_str().unwrap();
        self.drover(&["undo", last, "--yes"]);
        assert_eq!(self.drover(&["task", "show", "calc"])["task"]["status"], "IN_PROGRESS");
        assert!(!self.drover(&["log"])["items"].as_array().unwrap().is_empty());
        self.drover(&["state"]);
        let refused = self.run(&["/usr/bin/drover", "agent", "spawn", "w1", "--engine", "shell"]);
        assert_eq!(refused.status.code(), Some(5), "no multiplexer is named and is no crash");
    }
}

/// Whether the program asks for an interpreter, which is what a dynamic one does.
fn has_interpreter(file: &Path) -> bool {
    const INTERPRETER: u32 = 3;
    let bytes = fs::read(file).unwrap();
    assert_eq!(&bytes[..5], b"\x7fELF\x02", "a 64-bit program of Linux");
    let number = |at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0_usize, |all, it| all << 8 | usize::from(*it))
    };
    let (start, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    (0..count).any(|it| number(start + it * size, 4) == INTERPRETER as usize)
}

/// Fault I-04.
#[test]
#[ignore = "./dev test builds the binary and makes the roots"]
fn must_show_03_8() {
    assert!(!has_interpreter(&binary()), "the binary is dynamic");
    assert!(has_interpreter(Path::new("/bin/ls")), "the check sees a dynamic program");
    for name in ["debian", "alpine"] {
        let root = Root::new(name);
        let system =
            root.run(&["/bin/sh", "-c", "cat /etc/debian_version; ls /lib/ld-* /lib64/ld-*"]);
        println!("{name}: {}", String::from_utf8_lossy(&system.stdout).replace('\n', " "));
        for absent in ["git", "tmux", "sqlite3"] {
            assert!(!root.path.join("usr/bin").join(absent).exists(), "{name} has {absent}");
        }
        root.works_off_the_plan();
    }
}
