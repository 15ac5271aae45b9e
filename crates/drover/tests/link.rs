//! `link` and `unlink`: what goes into a person's own settings, and comes out again.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use drover_testkit::{CommandOutput, TestEnv};
use serde_json::{Value, json};

use crate::env;

const CLIENTS: [&str; 3] = ["pi", "claude", "codex"];

/// Where a client keeps its settings, below the home directory.
fn settings(client: &str) -> &'static str {
    match client {
        "pi" => ".pi/agent/mcp.json",
        "claude" => ".claude.json",
        _ => ".codex/config.toml",
    }
}

/// Where a client keeps our skill, below the home directory.
fn skill(client: &str) -> &'static str {
    match client {
        "pi" => ".pi/agent/skills/drover",
        "claude" => ".claude/skills/drover",
        _ => ".codex/skills/drover",
    }
}

/// All that lies below a directory: its mode, and its text or where it leads.
fn tree(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let bytes = if metadata.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
            Vec::new()
        } else if metadata.is_symlink() {
            fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path).unwrap()
        };
        found.insert(path, (metadata.mode(), bytes));
    }
    found
}

#[track_caller]
fn write(env: &TestEnv, path: &str, text: &str) -> PathBuf {
    let path = env.home().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[track_caller]
fn done(output: &CommandOutput) -> Vec<(String, String)> {
    let data = output.data();
    let word = |it: &Value| it.as_str().unwrap().to_owned();
    let files = data["files"]["items"].as_array().unwrap();
    files.iter().map(|it| (word(&it["part"]), word(&it["done"]))).collect()
}

#[track_caller]
fn link(env: &TestEnv, words: &[&str]) -> CommandOutput {
    env.drover(&[&["link", "--json"], words].concat())
}

#[track_caller]
fn unlink(env: &TestEnv, words: &[&str]) -> CommandOutput {
    env.drover(&[&["unlink", "--json"], words].concat())
}

/// The state of each part of a client.
#[track_caller]
fn states(env: &TestEnv, client: &str) -> Vec<String> {
    let listed = link(env, &[client, "--list"]).ok().data();
    let items = listed["items"].as_array().unwrap();
    items.iter().map(|it| it["state"].as_str().unwrap().to_owned()).collect()
}

const JSON: &[&str] = &[
    "{}",
    "{}\n",
    "{\n}\n",
    "{\"a\":1}",
    "{\n  \"mcpServers\": {}\n}\n",
    "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"x\": {\n\t\t\t\"command\": \"y\"\n\t\t}\n\t}\n}",
    "{\r\n    \"a\": \"\\u00e9\",\r\n    \"b\": []\r\n}\r\n",
    "// mine\n{\n  \"a\": 1, // one\n  /* two */\n}\n",
];

const TOML: &[&str] = &[
    "",
    "\n",
    "model = \"m\"",
    "# mine\nmodel = \"m\"\n\n\n",
    "model = \"m\"\r\n[tui]\r\nx = 1\r\n",
    "[mcp_servers.other]\ncommand = \"x\" # theirs\n",
];

#[test]
fn must_show_02_6() {
    for client in CLIENTS {
        let shapes = if client == "codex" { TOML } else { JSON };
        for before in std::iter::once(None).chain(shapes.iter().map(Some)) {
            let env = env();
            if let Some(text) = before {
                let path = write(&env, settings(client), text);
                fs::set_permissions(path, Permissions::from_mode(0o640)).unwrap();
            }
            let untouched = tree(&env.home());
            assert_eq!(link(&env, &[client]).ok().json()["outcome"], "linked");
            let linked = tree(&env.home());
            let again = link(&env, &[client]).ok();
            assert_eq!(again.json()["outcome"], "unchanged", "{client}: {before:?}");
            assert!(done(&again).iter().all(|it| it.1 == "unchanged"), "{again}");
            assert_eq!(tree(&env.home()), linked, "{client}: {before:?}");
            assert_eq!(unlink(&env, &[client]).ok().json()["outcome"], "unlinked");
            assert_eq!(tree(&env.home()), untouched, "{client}: {before:?}");
            assert_eq!(unlink(&env, &[client]).ok().json()["outcome"], "unchanged");
        }
        hand_edited_is_kept(client);
    }
}

/// What a person changed in our places is left alone until `--force` says otherwise.
fn hand_edited_is_kept(client: &str) {
    let env = env();
    link(&env, &[client]).ok();
    let entry = env.home().join(settings(client));
    let page = env.home().join(skill(client)).join("SKILL.md");
    for (path, from, to) in [(&entry, "\"mcp\"", "\"mcp\", \"-p\""), (&page, "# Drover", "# Mine")]
    {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
        let edited = tree(&env.home());
        assert!(states(&env, client).contains(&"edited".to_owned()));
        link(&env, &[client]).refused(4, "file_edited");
        unlink(&env, &[client]).refused(4, "file_edited");
        assert_eq!(tree(&env.home()), edited, "{client}");
        let forced = link(&env, &[client, "--force"]).ok();
        assert!(done(&forced).iter().any(|it| it.1 == "replaced"), "{forced}");
        assert!(states(&env, client).iter().all(|it| it == "linked"));
    }
    let text = fs::read_to_string(&entry).unwrap();
    fs::write(&entry, text.replacen("\"mcp\"", "\"mcp\", \"-p\"", 1)).unwrap();
    unlink(&env, &[client, "--force"]).ok();
    assert!(states(&env, client).iter().all(|it| it == "absent"));
}

/// Fault I-05.
#[test]
fn settings_that_grew_meanwhile_lose_our_part_and_nothing_else() {
    let env = env();
    let path = write(&env, ".claude.json", "{\"a\":1}");
    link(&env, &["claude"]).ok();
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    settings["mcpServers"]["other"] = json!({ "command": "x" });
    settings["grown"] = json!(true);
    fs::write(&path, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
    assert_eq!(link(&env, &["claude"]).ok().json()["outcome"], "unchanged");
    unlink(&env, &["claude"]).ok();
    let left: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let expected = json!({ "a": 1, "mcpServers": { "other": { "command": "x" } }, "grown": true });
    assert_eq!(left, expected);
    // A file that was made for us stays when it holds more than us.
    link(&env, &["codex"]).ok();
    let path = env.home().join(".codex/config.toml");
    let text = fs::read_to_string(&path).unwrap() + "\n[tui]\nx = 1\n";
    fs::write(&path, text).unwrap();
    write(&env, ".codex/skills/drover/mine.md", "mine");
    unlink(&env, &["codex"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), "\n[tui]\nx = 1\n");
    assert!(env.home().join(".codex/skills/drover/mine.md").exists());
}

/// What refuses it, and what stands in the way.
type Obstacle = (&'static str, fn(&Path));

/// Fault I-09.
#[test]
fn what_is_no_file_of_ours_is_named_and_left_as_it_was() {
    for client in CLIENTS {
        let obstacles: [Obstacle; 6] = [
            ("file_is_link", |path| symlink("elsewhere", path).unwrap()),
            ("file_is_link", |path| {
                fs::write(path.with_extension("checkout"), "").unwrap();
                symlink(path.with_extension("checkout"), path).unwrap();
            }),
            ("file_unusable", |path| fs::create_dir(path).unwrap()),
            ("file_unusable", |path| {
                fs::write(path, "{}").unwrap();
                fs::set_permissions(path, Permissions::from_mode(0o444)).unwrap();
            }),
            ("file_unusable", |path| fs::write(path, "{ not = settings").unwrap()),
            ("file_unusable", |path| fs::write(path, b"\xff\xfe{}").unwrap()),
        ];
        for (outcome, make) in obstacles {
            let env = env();
            let path = env.home().join(settings(client));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(&path);
            refused_as_it_was(&env, client, outcome, &path);
        }
        let env = env();
        let checkout = env.root().join("checkout");
        fs::create_dir(&checkout).unwrap();
        let folder = env.home().join(skill(client));
        fs::create_dir_all(folder.parent().unwrap()).unwrap();
        symlink(&checkout, &folder).unwrap();
        refused_as_it_was(&env, client, "file_is_link", &folder);
        link(&env, &[client, "--force"]).ok();
        assert!(!folder.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_dir(&checkout).unwrap().count(), 0);
    }
}

#[track_caller]
fn refused_as_it_was(env: &TestEnv, client: &str, outcome: &str, path: &Path) {
    let before = tree(&env.home());
    let code = if outcome == "file_is_link" { 4 } else { 5 };
    let refused = link(env, &[client]);
    let error = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains(path.to_str().unwrap()), "{error}");
    refused.refused(code, outcome);
    assert_eq!(tree(&env.home()), before, "{client}: {outcome}");
    assert!(states(env, client).contains(&"unusable".to_owned()));
}

#[test]
fn a_file_of_another_user_is_left_alone() {
    let env = env();
    let path = write(&env, ".claude.json", "{}");
    if std::os::unix::fs::chown(&path, Some(54321), None).is_err() {
        println!("skipped: only root can give a file away");
        return;
    }
    refused_as_it_was(&env, "claude", "file_unusable", &path);
}

#[test]
fn a_link_in_the_way_is_itself_replaced_by_force() {
    let env = env();
    let checkout = write(&env, "dotfiles/claude.json", "{\"a\":1}");
    symlink(&checkout, env.home().join(".claude.json")).unwrap();
    link(&env, &["claude"]).refused(4, "file_is_link");
    link(&env, &["claude", "--force"]).ok();
    let path = env.home().join(".claude.json");
    assert!(!path.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(checkout).unwrap(), "{\"a\":1}");
    unlink(&env, &["claude"]).ok();
    assert_eq!(fs::read_to_string(path).unwrap(), "{\"a\":1}");
}

#[test]
fn what_another_version_wrote_is_brought_up_to_date() {
    let env = env();
    link(&env, &["claude"]).ok();
    let old = "an older page\n";
    let digest = drover_ops::sha256_hex(old.as_bytes());
    let old = format!("{old}<!-- drover-link: 0.0.9 {} f0 -->\n", &digest[..16]);
    let page = write(&env, ".claude/skills/drover/SKILL.md", &old);
    let gone = write(&env, ".claude/skills/drover/gone.md", &old);
    let listed = link(&env, &["claude", "--list"]).ok().data();
    assert_eq!(listed["items"][1]["state"], "stale");
    assert_eq!(listed["items"][1]["version"], "0.0.9");
    let examined = env.drover(&["doctor", "--json"]).json();
    let checks = examined["data"]["checks"]["items"].as_array().unwrap();
    let check = checks.iter().find(|it| it["name"] == "claude").unwrap();
    assert_eq!((&check["severity"], &check["fix"]), (&json!("warn"), &json!("drover link claude")));
    let updated = link(&env, &["claude"]).ok();
    assert!(done(&updated).contains(&("skill".to_owned(), "updated".to_owned())), "{updated}");
    assert!(!fs::read_to_string(page).unwrap().contains("an older page"));
    assert!(!gone.exists());
}

#[test]
fn places_follow_the_variables_of_each_client() {
    let mut env = env();
    for (name, client, file) in [
        ("PI_CODING_AGENT_DIR", "pi", "mcp.json"),
        ("CLAUDE_CONFIG_DIR", "claude", ".claude.json"),
        ("CODEX_HOME", "codex", "config.toml"),
    ] {
        let place = env.root().join(client);
        env.set(name, &place);
        link(&env, &[client]).ok();
        assert!(place.join(file).exists() && place.join("skills/drover/SKILL.md").exists());
        unlink(&env, &[client]).ok();
        assert!(!place.exists(), "{client}");
        env.set(name, "relative");
        assert_eq!(link(&env, &[client]).json()["ok"], false);
        env.unset(name);
    }
    assert_eq!(fs::read_dir(env.home()).unwrap().count(), 0);
}

#[test]
fn nothing_but_its_places_is_touched_and_a_preview_touches_nothing() {
    let env = env();
    for client in CLIENTS {
        let planned = link(&env, &[client, "--dry-run"]).ok();
        assert_eq!(planned.json()["dry_run"], true);
        assert!(done(&planned).iter().all(|it| it.1 == "added"), "{planned}");
    }
    assert!(!env.state().exists() && fs::read_dir(env.home()).unwrap().count() == 0);
    link(&env, &["claude"]).ok();
    assert!(!env.state().exists(), "no database is needed");
    let before = tree(&env.home());
    unlink(&env, &["claude", "--dry-run"]).ok();
    assert_eq!(tree(&env.home()), before);
}

#[test]
fn the_extension_of_pi_leads_to_the_kept_one_or_is_a_copy() {
    let env = env();
    link(&env, &["pi"]).ok();
    let path = env.home().join(".pi/agent/extensions/drover.ts");
    let kept = env.state().join("extension/drover.ts");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(kept.to_str().unwrap()) && kept.exists(), "{text}");
    fs::remove_file(&kept).unwrap();
    assert_eq!(states(&env, "pi")[2], "unusable");
    link(&env, &["pi"]).ok();
    assert_eq!(states(&env, "pi")[2], "linked");
    let copied = link(&env, &["pi", "--copy"]).ok();
    assert!(done(&copied).contains(&("extension".to_owned(), "updated".to_owned())), "{copied}");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&fs::read_to_string(kept).unwrap()), "{text}");
    assert!(states(&env, "pi").iter().all(|it| it == "linked"));
    unlink(&env, &["pi"]).ok();
    assert!(!path.exists());
}

/// Faults I-10, X-04.
#[test]
fn what_would_do_nothing_is_refused_and_an_agent_changes_no_settings() {
    let env = env();
    let usage: [&[&str]; 6] = [
        &["claude", "--copy"],
        &["--force"],
        &["claude", "--list", "--force"],
        &["vim"],
        &["claude", "--key", "k"],
        &["--list", "--dry-run"],
    ];
    for words in usage {
        link(&env, words).refused(2, "usage");
    }
    let call = env.drover_call(&["link", "claude", "--json"]);
    let call = call.variable("DROVER_AGENT", "w1").variable("DROVER_TOKEN", "t");
    call.run().refused(3, "people_only");
    assert_eq!(fs::read_dir(env.home()).unwrap().count(), 0);
}

/// Fault I-08.
#[test]
fn an_unknown_flag_or_verb_makes_nothing() {
    let env = env();
    let words: [&[&str]; 7] = [
        &["-v"],
        &["--versoin"],
        &["lnik", "claude"],
        &["link", "-v"],
        &["task", "ad", "x"],
        &["project", "init", "--frobnicate"],
        &["project", "init", "-v"],
    ];
    for words in words {
        let output = env.drover(words);
        assert_eq!(output.exit, 2, "{output}");
    }
    for words in [["--version"].as_slice(), &["help"], &["--help", "extra"], &["help", "link"]] {
        let output = env.drover(words).ok();
        assert!(output.stdout.contains("drover"), "{output}");
    }
    assert!(!env.state().exists() && fs::read_dir(env.home()).unwrap().count() == 0);
}
