//! Every recorded screen shows what its name says, read by the rules that Drover brings.

use std::path::{Path, PathBuf};

use drover_core::agent::dialog::{Answer, Dialog};
use drover_core::agent::screen::{Composer, ScreenVerdict};

use super::*;

/// The screens of the programs, by engine and version.
fn captures() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    let list = |folder: &Path| -> Vec<PathBuf> {
        let mut entries: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        entries.sort();
        entries
    };
    let name = |it: &Path| it.file_name().unwrap().to_str().unwrap().to_owned();
    let files = |folder: PathBuf| {
        let engine = name(&folder).split('-').next().unwrap().to_owned();
        list(&folder).into_iter().map(move |it| (engine.clone(), it))
    };
    list(&folder).into_iter().flat_map(files).collect()
}

/// What a screen shows, as the first word of a capture's name.
fn shown(engine: &str, screen: &str) -> String {
    match built_in(engine).verdict(screen) {
        ScreenVerdict::Dialog { label, .. } => label.unwrap(),
        ScreenVerdict::Busy { label } => label.unwrap().replace("turn", "busy"),
        ScreenVerdict::Composer(Composer::Empty) => "idle".to_owned(),
        ScreenVerdict::Composer(Composer::Draft(_)) => "draft".to_owned(),
        ScreenVerdict::Nothing => "nothing".to_owned(),
    }
}

/// Faults D-01, H-10.
#[test]
fn every_recorded_screen_shows_what_its_name_says() {
    let captures = captures();
    assert!(captures.len() > 30, "{}", captures.len());
    let mut wrong = Vec::new();
    for (engine, path) in captures {
        let screen = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let (expected, shown) = (name.split('-').next().unwrap(), shown(&engine, &screen));
        if expected != shown {
            wrong.push(format!("{}: {shown}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Fault H-06.
#[test]
fn the_rows_of_every_recorded_permission_are_read_by_their_labels() {
    let check = |capture: &str, labels: &[&str], allow: usize, deny: usize| {
        let engine = capture.split('-').next().unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
        let screen = std::fs::read_to_string(folder.join(capture)).unwrap();
        let rules = built_in(engine);
        let dialog = Dialog::read(&rules, &screen).unwrap();
        let rows: Vec<&str> = dialog.rows.iter().map(|it| it.label.as_str()).collect();
        assert_eq!(rows.len(), labels.len(), "{rows:?}");
        for (row, label) in rows.iter().zip(labels) {
            assert!(row.starts_with(label), "{row}");
        }
        assert_eq!(dialog.row(&rules, &Answer::Allow), Ok(allow));
        assert_eq!(dialog.row(&rules, &Answer::Deny), Ok(deny));
        assert_eq!(dialog.chosen(), Some(0));
    };
    let claude = ["Yes", "Yes, and always allow access", "Yes, and switch to auto mode", "No"];
    check("claude-2.1.332/permission.txt", &claude, 0, 3);
    check("claude-2.1.332/permission-write.txt", &["Yes", "Yes, and switch", "No"], 0, 2);
    let codex = ["Yes, proceed (y)", "Yes, and don't ask again", "No, and tell Codex"];
    check("codex-0.171.0/permission.txt", &codex, 0, 2);
    check("pi-1.6.0/permission.txt", &["Yes", "No"], 0, 1);
}

/// Fault H-10.
#[test]
fn a_dialog_that_an_agent_only_prints_is_none() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    for engine in ["claude-2.1.332", "codex-0.171.0", "pi-1.6.0"] {
        let read = |name: &str| std::fs::read_to_string(folder.join(engine).join(name)).unwrap();
        let (dialog, idle) = (read("permission.txt"), read("draft.txt"));
        let both = format!("{}\n\n{}", dialog.trim_end(), idle.trim_start_matches('\n'));
        assert_eq!(shown(engine.split('-').next().unwrap(), &both), "draft", "{engine}");
    }
}

/// Fault H-06.
#[test]
fn a_dialog_of_another_command_has_another_digest() {
    for capture in ["claude-2.1.332", "codex-0.171.0", "pi-1.6.0"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(capture);
        let screen = std::fs::read_to_string(folder.join("permission.txt")).unwrap();
        let rules = built_in(capture.split('-').next().unwrap());
        let digest = |screen: &str| Dialog::read(&rules, screen).unwrap().digest;
        let other = screen.replace("touch marker", "rm -r /").replace("echo danger", "rm -r /");
        assert_ne!(screen, other);
        assert_ne!(digest(&screen), digest(&other), "{capture}");
    }
}

#[test]
fn the_embedded_rules_can_all_be_read() {
    let file: File = toml::from_str(BUILT_IN).unwrap();
    assert_eq!(file.engine.keys().collect::<Vec<_>>(), ["claude", "codex", "pi"]);
    for (engine, described) in file.engine {
        let rules = described.screen.rules(ScreenRules::default()).unwrap();
        assert!(!rules.composer.is_empty() && rules.cursor.is_some(), "{engine}");
    }
}
