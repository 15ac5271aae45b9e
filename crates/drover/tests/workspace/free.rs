//! `workspace free`: nothing is lost without being asked for, and then it is found again.

use std::path::Path;

use serde_json::{Value, json};

use super::{Crew, Workspace};

/// A state of a workspace that no removal may simply end.
struct Case {
    /// The kinds of loss that must be named.
    kinds: &'static [&'static str],
    /// Brings it about.
    make: fn(&Workspace<'_>),
    /// Files that must be found again: below which ref of the rescue, or in the trash, and their text.
    found: &'static [(&'static str, &'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        kinds: &["modified"],
        make: |it| it.write("shared.txt", "changed\n"),
        found: &[("tree", "shared.txt", "changed")],
    },
    Case {
        kinds: &["staged", "modified"],
        make: |it| {
            it.write("shared.txt", "staged\n");
            it.git(&["add", "shared.txt"]);
            it.write("shared.txt", "changed\n");
        },
        found: &[("index", "shared.txt", "staged"), ("tree", "shared.txt", "changed")],
    },
    Case {
        kinds: &["modified"],
        make: |it| {
            it.write("shared.txt", "hidden\n");
            it.write(".gitignore", "hidden too\n");
            it.git(&["update-index", "--assume-unchanged", "shared.txt"]);
            it.git(&["update-index", "--skip-worktree", ".gitignore"]);
        },
        found: &[("tree", "shared.txt", "hidden"), ("tree", ".gitignore", "hidden too")],
    },
    Case {
        kinds: &["untracked"],
        make: |it| it.write("a new #file", "new\n"),
        found: &[("tree", "a new #file", "new")],
    },
    Case {
        kinds: &["ignored"],
        make: |it| {
            it.write(".env", "KEY=1\n");
            it.write("sub/.env", "KEY=2\n");
            it.write("target/out", "made again\n");
            it.write("target/inner/work", "inner\n");
            it.git(&["init", "--quiet", "target/inner"]);
        },
        found: &[
            ("trash", ".env", "KEY=1"),
            ("trash", "sub/.env", "KEY=2"),
            ("trash", "target/inner/work", "inner"),
        ],
    },
    Case {
        kinds: &["unlanded_commits"],
        make: |it| {
            it.work("work", "done\n");
        },
        found: &[("head", "work", "done"), ("branch", "work", "done")],
    },
    Case {
        kinds: &["unlanded_commits"],
        make: |it| {
            it.git(&["switch", "--quiet", "--detach"]);
            it.work("detached", "done\n");
        },
        found: &[("head", "detached", "done")],
    },
    Case {
        kinds: &["in_progress", "unlanded_commits", "undecided"],
        make: |it| {
            it.work("shared.txt", "mine\n");
            it.git(&["switch", "--quiet", "--create", "drover/web/aside", "HEAD~1"]);
            it.work("shared.txt", "theirs\n");
            it.git(&["switch", "--quiet", "drover/web/alice"]);
            it.try_git(&["rebase", "drover/web/aside"]);
        },
        found: &[("branch", "shared.txt", "mine"), ("head", "shared.txt", "theirs")],
    },
    Case {
        kinds: &["untracked"],
        make: |it| {
            it.write("inner/file", "inner\n");
            it.git(&["init", "--quiet", "inner"]);
        },
        found: &[("trash", "inner/file", "inner")],
    },
    Case {
        kinds: &["unlanded_commits", "submodules"],
        make: |it| {
            it.write("inner/file", "inner\n");
            it.git(&["init", "--quiet", "inner"]);
            it.git(&["-C", "inner", "add", "--all"]);
            it.git(&["-C", "inner", "commit", "--quiet", "--message", "inner"]);
            it.commit("with a repository inside");
        },
        found: &[("trash", "inner/file", "inner")],
    },
];

/// A verb that ends a workspace.
struct Ending {
    /// The call without a flag, which must be refused.
    plain: &'static [&'static str],
    /// The word of its refusal.
    word: &'static str,
    /// The losses that the refusal names.
    losses: fn(&Value) -> &Value,
    /// The calls that end it all the same; each only shows what it would do before it says `--yes`.
    discard: &'static [&'static [&'static str]],
}

const ENDINGS: &[Ending] = &[
    Ending {
        plain: &["workspace", "free", "alice"],
        word: "workspace_not_safe",
        losses: |it| &it["data"]["losses"]["items"],
        discard: &[&["workspace", "free", "alice", "--discard"]],
    },
    Ending {
        plain: &["agent", "close", "alice"],
        word: "workspace_not_safe",
        losses: |it| &it["data"]["losses"]["items"],
        discard: &[&["agent", "close", "alice", "--discard"]],
    },
    Ending {
        plain: &["project", "teardown", "web", "--yes"],
        word: "work_would_be_lost",
        losses: |it| &it["data"]["losses"]["items"][0]["losses"],
        discard: &[&["agent", "close", "alice", "--discard"], &["project", "teardown", "web"]],
    },
];

/// Each state of each verb: refused with the way out; with the explicit flag every byte is found again.
/// Faults W-01, W-22.
#[test]
fn must_show_01_8() {
    for ending in ENDINGS {
        for case in CASES {
            nothing_is_lost(ending, case);
        }
    }
    println!("{} verbs over {} states of a workspace", ENDINGS.len(), CASES.len());
}

fn nothing_is_lost(ending: &Ending, case: &Case) {
    let crew = Crew::new();
    let workspace = crew.agent("alice");
    (case.make)(&workspace);
    let refused = crew.drover(ending.plain).refused(3, ending.word);
    let losses = (ending.losses)(&refused).as_array().unwrap();
    let kinds: Vec<&str> = losses.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, case.kinds, "{:?}", ending.plain);
    assert_ne!(refused["next"], json!([]), "{refused}");
    for words in ending.discard {
        assert_eq!(crew.drover(words).ok().json()["outcome"], "preview");
        assert_eq!(workspace.path.is_dir(), ending.discard.first() == Some(words));
        let confirmed: Vec<&str> = words.iter().copied().chain(["--yes"]).collect();
        crew.drover(&confirmed).ok();
    }
    assert!(!workspace.path.exists());
    assert!(!crew.branches().contains("drover/web/alice"));
    for (place, name, text) in case.found {
        assert_eq!(found(&crew, place, name), *text, "{place} {name}");
    }
}

/// The text of a file in the one rescue there is.
pub(super) fn found(crew: &Crew, place: &str, name: &str) -> String {
    let rescues = drover_store::workspaces::rescues(&crew.ctx().read()).unwrap();
    let [rescue] = rescues.as_slice() else { panic!("{rescues:?}") };
    if place == "trash" {
        let trash = rescue.trash_path.as_ref().unwrap();
        let text = std::fs::read_to_string(Path::new(trash).join(name)).unwrap();
        return text.trim_end().to_owned();
    }
    let prefix = rescue.ref_prefix.as_ref().unwrap();
    crew.repository.git(&["show", &format!("{prefix}/{place}:{name}")])
}

fn refuse_free(crew: &Crew, agent: &str) -> Value {
    crew.drover(&["workspace", "free", agent]).refused(3, "workspace_not_safe")
}

#[test]
fn the_ways_out_of_unlanded_work_come_the_gentlest_first() {
    let crew = Crew::new();
    crew.agent("alice").work("a", "x");
    let refused = refuse_free(&crew, "alice");
    let next: Vec<&str> =
        refused["next"].as_array().unwrap().iter().map(|it| it["run"].as_str().unwrap()).collect();
    let expected = [
        "drover workspace land alice -p web",
        "drover workspace free alice -p web --keep-branch",
        "drover workspace free alice -p web --discard --yes",
    ];
    assert_eq!(next, expected);
    let kept = crew.drover(&["workspace", "free", "alice", "--keep-branch"]).ok().json();
    assert_eq!(kept["next"][0]["run"], "drover workspace land alice -p web");
    let kept = &kept["data"];
    assert_eq!((&kept["branch_stays"], &kept["rescue"]), (&json!(true), &json!(null)));
    assert!(crew.branches().contains("drover/web/alice"));
    refuse_free(&crew, "alice");
    crew.drover(&["workspace", "free", "alice", "--discard", "--yes"]).ok();
    assert_eq!(found(&crew, "branch", "a"), "x");
}

/// Fault W-02.
#[test]
fn a_process_inside_holds_a_workspace_whatever_is_asked() {
    let crew = Crew::new();
    let workspace = crew.agent("alice");
    let inside = crew.env.call("cat", &["/dev/zero"]).directory(&workspace.path);
    let inside = inside.start();
    let named = |answer: &Value| answer["data"]["losses"]["items"][0]["things"][0].to_string();
    let refused = refuse_free(&crew, "alice");
    assert!(named(&refused).contains(&inside.pid().to_string()), "{refused}");
    crew.drover(&["workspace", "free", "alice", "--discard", "--yes"]).refused(3, "workspace_held");
    drop(inside);
    crew.drover(&["workspace", "free", "alice"]).ok();
}

#[test]
fn work_that_is_on_another_branch_of_the_users_is_safe_and_a_stash_stays() {
    let crew = Crew::new();
    let workspace = crew.agent("alice");
    workspace.work("a", "x");
    workspace.write("shared.txt", "stashed\n");
    workspace.git(&["stash"]);
    crew.repository.git(&["branch", "taken", "drover/web/alice"]);
    let freed = crew.drover(&["workspace", "free", "alice"]).ok().data();
    assert_eq!(freed["stashes"].as_array().unwrap().len(), 1);
    assert_eq!(crew.repository.git(&["stash", "list"]).lines().count(), 1);
}

#[test]
fn a_directory_that_git_no_longer_knows_goes_to_the_trash_whole() {
    let crew = Crew::new();
    let workspace = crew.agent("alice");
    workspace.write("precious", "x\n");
    let git = crew.repository.path().join(".git/worktrees");
    std::fs::remove_dir_all(git).unwrap();
    let refused = refuse_free(&crew, "alice");
    assert_eq!(refused["data"]["losses"]["items"][0]["kind"], "not_a_checkout");
    crew.drover(&["workspace", "free", "alice", "--discard", "--yes"]).ok();
    assert_eq!(found(&crew, "trash", "alice/precious"), "x");
}

#[test]
fn a_workspace_whose_repository_is_gone_can_still_be_let_go() {
    let crew = Crew::new();
    let workspace = crew.agent("alice");
    workspace.write("precious", "x\n");
    std::fs::rename(crew.repository.path(), crew.env.root().join("moved")).unwrap();
    refuse_free(&crew, "alice");
    crew.drover(&["workspace", "free", "alice", "--discard", "--yes"]).ok();
    assert_eq!(found(&crew, "trash", "alice/precious"), "x");
}

#[test]
fn a_state_directory_behind_a_link_makes_no_difference() {
    let crew = Crew::behind_a_link();
    let alice = crew.agent("alice");
    alice.work("a", "x");
    crew.drover(&["workspace", "land", "alice"]).ok();
    crew.drover(&["workspace", "free", "alice"]).ok();
    assert_eq!(crew.drover(&["workspace", "orphans"]).ok().data()["count"], 0);
    assert_eq!(crew.branches(), "drover/web/trunk\nmain");
}

#[test]
fn submodules_with_commits_of_their_own_are_kept_too() {
    let mut crew = Crew::new();
    crew.env.set("GIT_ALLOW_PROTOCOL", "file");
    let module = crew.env.repository("module");
    let workspace = crew.agent("alice");
    workspace.git(&["submodule", "--quiet", "add", module.path().to_str().unwrap(), "lib"]);
    workspace.commit("with a submodule");
    workspace.write("lib/own", "own\n");
    workspace.git(&["-C", "lib", "add", "own"]);
    workspace.git(&["-C", "lib", "commit", "--quiet", "-m", "own"]);
    workspace.commit("newer submodule");
    let path = workspace.path.clone();
    let refused = refuse_free(&crew, "alice");
    let kinds = refused["data"]["losses"]["items"].to_string();
    assert!(kinds.contains("submodules"), "{kinds}");
    crew.drover(&["workspace", "free", "alice", "--discard", "--yes"]).ok();
    assert!(!path.exists());
    assert_eq!(found(&crew, "submodules/lib/head", "own"), "own");
}
