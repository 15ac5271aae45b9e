//! What every kind must do; each part makes a world of its own.

use drover_host::workspace::git::{GitError, Refresh, Removal};
use drover_host::workspace::{Kind, repository};

use crate::world::{NAMES, World, refused, write};

pub(crate) fn all(kind: Kind) {
    for part in [
        a_source_is_found,
        one_is_made_whole_and_taken_back,
        whatever_is_not_in_its_last_commit_shows,
        only_a_clean_one_is_simply_removed,
        one_whose_directory_is_gone_is_remembered_until_it_is_forgotten,
        newer_work_is_brought_in_beside_its_own,
        a_conflict_leaves_it_as_it_was,
        a_file_in_the_way_is_not_written_over,
        what_is_kept_aside_is_found_again,
        its_work_is_committed_and_can_be_put_back,
        several_are_made_at_once,
    ] {
        part(&World::new(kind));
    }
}

fn a_source_is_found(world: &World) {
    let below = world.source().join("below");
    std::fs::create_dir(&below).unwrap();
    let asked = (world.kind == Kind::Copy).then_some(Kind::Copy);
    let place = if asked.is_some() { world.source() } else { below };
    let (kind, found) = repository(&place, asked).unwrap();
    assert_eq!((kind, &found.toplevel), (world.kind, &world.source()));
    assert_eq!(found.branch.as_deref(), world.has_history().then_some("main"));
    assert!(world.backend().has_source(&world.source()).unwrap());
    assert!(!world.backend().has_source(&world.source().join("gone")).unwrap());
}

fn one_is_made_whole_and_taken_back(world: &World) {
    let alice = world.made("alice");
    let status = alice.status();
    assert!(status.is_clean(), "{status:?}");
    assert_eq!(status.head.as_ref(), world.has_history().then_some(&alice.base));
    assert_eq!(status.branch.as_deref(), world.has_history().then_some("drover/web/alice"));
    assert_eq!(alice.read("file"), "one\ntwo\nthree\n");
    assert!(NAMES.iter().all(|it| alice.path.join(it).is_file()));
    world.backend().check(&alice.place()).unwrap();
    assert!(world.backend().is_remembered(&alice.place()).unwrap());
    let again = refused(world.backend().add(&world.locks, &alice.place()));
    assert!(
        matches!(
            again,
            GitError::DirectoryExists { .. }
                | GitError::WorktreeExists { .. }
                | GitError::BranchExists { .. }
        ),
        "{again}"
    );
    world.backend().take_back(&world.locks, &alice.place()).unwrap();
    assert!(!alice.path.exists());
    assert!(!world.backend().is_remembered(&alice.place()).unwrap());
    assert_eq!(alice.tip(), None);
    // Once more does no harm, and the place is free again.
    world.backend().take_back(&world.locks, &alice.place()).unwrap();
    world.backend().add(&world.locks, &alice.place()).unwrap();
    refused(world.backend().check(&world.checkout("bob").place()));
}

fn whatever_is_not_in_its_last_commit_shows(world: &World) {
    let alice = world.made("alice");
    alice.write("file", "changed\n");
    alice.write("new/größe 2", "x");
    alice.write("new/line\nfeed", "x");
    std::fs::remove_file(alice.path.join(NAMES[0])).unwrap();
    let expected = ["file", "new/größe 2", "new/line\nfeed", "two words"];
    assert_eq!(alice.changed(), expected);
    let files = world.backend().changes(&alice.place(), &alice.base).unwrap();
    let file = files.iter().find(|it| it.path.ends_with("file")).unwrap();
    assert_eq!((file.added, file.removed), (Some(1), Some(3)));
    let text = world.backend().diff(&alice.place(), &alice.base).unwrap();
    assert!(text.contains("-three\n+changed\n"), "{text}");
    if world.has_history() {
        alice.write(".env", "KEY=1");
        alice.write("inner/file", "x");
        crate::world::run(&alice.path.join("inner"), "git", &["init", "--quiet"]);
        let status = alice.status();
        assert_eq!(status.ignored, [std::path::PathBuf::from(".env")]);
        assert!(alice.changed().contains(&"inner/".to_owned()), "{status:?}");
    }
}

fn only_a_clean_one_is_simply_removed(world: &World) {
    let (alice, backend) = (world.made("alice"), world.backend());
    alice.write("file", "changed\n");
    let dirty = refused(backend.remove(&world.locks, &alice.place(), Removal::IfClean));
    assert!(matches!(dirty, GitError::Dirty { .. }), "{dirty}");
    assert_eq!(alice.read("file"), "changed\n");
    backend.remove(&world.locks, &alice.place(), Removal::WithChanges).unwrap();
    let bob = world.made("bob");
    backend.remove(&world.locks, &bob.place(), Removal::IfClean).unwrap();
    for gone in [alice, bob] {
        assert!(!gone.path.exists());
        assert!(!backend.is_remembered(&gone.place()).unwrap());
        assert_eq!(gone.tip().is_some(), world.has_history());
        if let Some(tip) = gone.tip() {
            backend.delete_branch(&gone.place(), &tip).unwrap();
            assert_eq!(gone.tip(), None);
        }
        // What a removal that was cut off has left may be nothing.
        backend.remove_rest(&world.locks, &gone.place()).unwrap();
    }
    assert!(world.source().join("file").is_file());
}

fn one_whose_directory_is_gone_is_remembered_until_it_is_forgotten(world: &World) {
    let (alice, backend) = (world.made("alice"), world.backend());
    refused(backend.forget(&world.locks, &alice.place()));
    std::fs::remove_dir_all(&alice.path).unwrap();
    refused(backend.check(&alice.place()));
    assert!(backend.is_remembered(&alice.place()).unwrap());
    backend.forget(&world.locks, &alice.place()).unwrap();
    assert!(!backend.is_remembered(&alice.place()).unwrap());
    std::fs::create_dir(&alice.path).unwrap();
    refused(backend.check(&alice.place()));
}

fn newer_work_is_brought_in_beside_its_own(world: &World) {
    let (alice, backend) = (world.made("alice"), world.backend());
    assert_eq!(backend.refresh(&alice.place(), &alice.base).unwrap(), Refresh::UpToDate);
    write(&world.source(), "newer/file", "newer\n");
    std::fs::remove_file(world.source().join(NAMES[2])).unwrap();
    let newest = world.advance("newer");
    assert_eq!(backend.refresh(&alice.place(), &newest).unwrap(), Refresh::Moved(newest.clone()));
    assert_eq!(alice.read("newer/file"), "newer\n");
    assert!(!alice.path.join(NAMES[2]).exists());
    assert!(alice.changed().is_empty());
    let own = alice.work("own", "own\n");
    write(&world.source(), "file", "newest\n");
    let newest = world.advance("newest");
    let Refresh::Moved(head) = backend.refresh(&alice.place(), &newest).unwrap() else {
        panic!("it did not move")
    };
    assert_eq!((alice.read("own"), alice.read("file")), ("own\n".into(), "newest\n".into()));
    if world.has_history() {
        use drover_host::workspace::git;
        assert!(git::is_ancestor(&alice.source, &own, &head).unwrap());
        assert!(git::is_ancestor(&alice.source, &newest, &head).unwrap());
        assert_eq!((alice.tip(), alice.changed()), (Some(head), Vec::new()));
    } else {
        assert_eq!(alice.changed(), ["own"]);
    }
}

fn a_conflict_leaves_it_as_it_was(world: &World) {
    let (alice, backend) = (world.made("alice"), world.backend());
    let own = alice.work("file", "alice\n");
    write(&world.source(), "file", "other\n");
    write(&world.source(), "another", "x");
    let newest = world.advance("newer");
    let before = alice.status();
    let conflict = backend.refresh(&alice.place(), &newest).unwrap();
    assert_eq!(conflict, Refresh::Conflict(vec!["file".into()]));
    assert_eq!(alice.read("file"), "alice\n");
    assert!(!alice.path.join("another").exists());
    assert_eq!(alice.status(), before);
    assert_eq!(alice.tip(), world.has_history().then_some(own));
}

fn a_file_in_the_way_is_not_written_over(world: &World) {
    let (alice, backend) = (world.made("alice"), world.backend());
    alice.write("big.log", "mine\n");
    write(&world.source(), ".gitignore", ".env\n");
    write(&world.source(), "big.log", "theirs\n");
    let newest = world.advance("newer");
    let answer = backend.refresh(&alice.place(), &newest);
    assert!(
        matches!(answer, Err(GitError::WouldOverwrite { .. }) | Ok(Refresh::Conflict(_))),
        "{answer:?}"
    );
    assert_eq!(alice.read("big.log"), "mine\n");
}

fn what_is_kept_aside_is_found_again(world: &World) {
    let (alice, backend) = (world.made("alice"), world.backend());
    alice.work("own", "own\n");
    alice.write("file", "changed\n");
    alice.write("new", "new\n");
    let rescue = backend.rescue(&alice.place(), "refs/drover/rescue/web/alice/x").unwrap();
    let unkept = backend.unkept(&alice.place(), &alice.status()).unwrap();
    let Some(rescue) = rescue else {
        assert_eq!(unkept, ["file", "new", "own"].map(std::path::PathBuf::from));
        return;
    };
    assert!(unkept.is_empty(), "{unkept:?}");
    let own = alice.status().head.unwrap();
    backend.remove(&world.locks, &alice.place(), Removal::WithChanges).unwrap();
    backend.delete_branch(&alice.place(), &own).unwrap();
    let shown = |what: &str, file: &str| {
        let store = repository(&world.source(), Some(world.kind)).unwrap().1.git_common_dir;
        let name = format!("{what}:{file}");
        let command = drover_host::process::Command::new("git", &store).args(["show", &name]);
        command.run_ok().unwrap().text()
    };
    assert_eq!(shown(&rescue.head, "own"), "own");
    assert_eq!(shown(&rescue.tree, "file"), "changed");
    assert_eq!(shown(&rescue.tree, "new"), "new");
}

fn its_work_is_committed_and_can_be_put_back(world: &World) {
    let (alice, backend) = (world.made("alice"), world.backend());
    if !world.has_history() {
        let refusal = refused(backend.commit_all(&alice.place(), "work"));
        assert!(matches!(refusal, GitError::NoHistory { .. }), "{refusal}");
        refused(backend.set_back(&alice.place(), &alice.base));
        return;
    }
    assert_eq!(backend.commit_all(&alice.place(), "nothing").unwrap(), None);
    alice.write("new", "new\n");
    let head = backend.commit_all(&alice.place(), "work\n\nDrover-Task: x\n").unwrap().unwrap();
    assert_eq!((alice.tip(), alice.changed()), (Some(head), Vec::new()));
    alice.write("file", "left\n");
    alice.write("left", "left\n");
    backend.set_back(&alice.place(), &alice.base).unwrap();
    let status = alice.status();
    assert!(status.is_clean(), "{status:?}");
    assert_eq!(
        (status.head.as_ref(), alice.tip().as_ref()),
        (Some(&alice.base), Some(&alice.base))
    );
    assert!(!alice.path.join("new").exists() && !alice.path.join("left").exists());
    assert_eq!(alice.read("file"), "one\ntwo\nthree\n");
}

fn several_are_made_at_once(world: &World) {
    let names = ["a", "b", "c", "d"];
    std::thread::scope(|scope| {
        for name in names {
            scope.spawn(move || world.made(name));
        }
    });
    for name in names {
        assert!(world.checkout(name).status().is_clean());
    }
}
