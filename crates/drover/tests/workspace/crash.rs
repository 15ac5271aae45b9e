//! A verb that is cut off at any step is completed by the same call again.

use super::Crew;

/// Cuts a call off at its n-th step for every n, each time in a fresh crew, and says how many there were.
fn walk(make: fn(&Crew), words: &[&str], check: fn(&Crew)) -> u32 {
    for step in 1..500 {
        let crew = Crew::new();
        make(&crew);
        let all: Vec<&str> = words.iter().copied().chain(["--json", "--key", "walk"]).collect();
        let call = crew.env.drover_call(&all).variable("DROVER_CRASH_AT", step.to_string());
        let first = call.run();
        if first.exit == 0 {
            check(&crew);
            return step - 1;
        }
        let second = crew.env.drover(&all);
        assert_eq!(second.exit, 0, "after a crash at step {step}: {}", second.stdout);
        check(&crew);
        let orphans = crew.drover(&["workspace", "orphans"]).ok().data();
        assert_eq!(orphans["count"], 0, "after a crash at step {step}: {orphans}");
    }
    panic!("it has no end");
}

#[test]
fn a_removal_that_is_cut_off_is_completed_and_keeps_everything() {
    let make = |crew: &Crew| {
        let alice = crew.agent("alice");
        alice.work("a", "x\n");
        alice.write("b", "y\n");
        alice.write(".env", "KEY=1\n");
    };
    let check = |crew: &Crew| {
        assert!(!crew.env.state().join("workspaces/web/alice").exists());
        assert_eq!(crew.branches(), "drover/web/trunk\nmain");
        let found = |place, name| super::free::found(crew, place, name);
        assert_eq!(found("branch", "a"), "x");
        assert_eq!(found("tree", "b"), "y");
        assert_eq!(found("trash", ".env"), "KEY=1");
    };
    let words = ["workspace", "free", "alice", "--discard", "--yes"];
    println!("free --discard: {} steps", walk(make, &words, check));
}

#[test]
fn an_init_that_is_cut_off_is_completed() {
    let make = |crew: &Crew| drop(crew.env.repository("other"));
    let check = |crew: &Crew| {
        let shown = crew.drover(&["project", "show", "app"]).ok().data();
        let trunk = shown["project"]["repository"]["base_sha"].as_str().unwrap().to_owned();
        let other = crew.env.root().join("other");
        let words = ["rev-parse", "drover/app/trunk"];
        let found = crew.env.call("git", &words).directory(other).run().ok().stdout;
        assert_eq!(found.trim_end(), trunk);
    };
    let words = ["project", "init", "app", "--repo", "../other"];
    println!("project init: {} steps", walk(make, &words, check));
}
