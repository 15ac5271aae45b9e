//! Completions in the real shells, and manual pages as `man` reads them.

use std::fs;

use drover_testkit::TestEnv;

use crate::env;

/// Whether a program is there; without it a test has nothing to try.
fn is_there(env: &TestEnv, program: &str) -> bool {
    env.call("sh", &["-c", &format!("command -v {program}")]).run().exit == 0
}

/// Writes a shell's script to a file.
fn script(env: &TestEnv, shell: &str, file: &str) -> String {
    let path = env.home().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, env.drover(&["completions", shell]).ok().stdout).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What is completed, each with some of the words that must be offered and one that must not.
const WORDS: &[(&str, &[&str], &str)] = &[
    ("drover ta", &["task"], "agent"),
    ("drover task cl", &["claim", "close"], "add"),
    ("drover -p web task cl", &["claim", "close"], "add"),
    ("drover task close --as ", &["done", "wontfix"], "open"),
    ("drover task close --evi", &["--evidence"], "--as"),
    ("drover completions ", &["bash", "zsh", "fish"], "tcsh"),
    ("drover sql --confirm", &["--confirm-rows"], "--count"),
];

#[track_caller]
fn check(offered: &str, (words, expected, other): (&str, &[&str], &str)) {
    let offered: Vec<&str> = offered.split_whitespace().collect();
    for word in expected {
        assert!(offered.contains(word), "{words}: {word} is not in {offered:?}");
    }
    assert!(!offered.contains(&other), "{words}: {other} is in {offered:?}");
}

#[test]
fn bash_completes_nouns_verbs_flags_and_values() {
    let env = env();
    if !is_there(&env, "bash") {
        println!("skipped: bash is not installed");
        return;
    }
    let script = script(&env, "bash", "drover.bash");
    for (words, expected, other) in WORDS {
        let run = format!(
            "source {script}; COMP_WORDS=({words} ); [[ '{words}' == *' ' ]] && COMP_WORDS+=('');
             COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); COMP_LINE='{words}'; COMP_POINT=${{#COMP_LINE}};
             _drover drover \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let offered = env.call("bash", &["-c", &run]).run().ok().stdout;
        check(&offered, (words, expected, other));
    }
}

#[test]
fn fish_completes_nouns_verbs_flags_and_values() {
    let env = env();
    if !is_there(&env, "fish") {
        println!("skipped: fish is not installed");
        return;
    }
    let script = script(&env, "fish", "drover.fish");
    for (words, expected, other) in WORDS {
        let run = format!("source {script}; complete -C '{words}'");
        let printed = env.call("fish", &["--no-config", "-c", &run]).run().ok().stdout;
        let offered = printed.lines().filter_map(|it| it.split('\t').next());
        check(&offered.collect::<Vec<_>>().join(" "), (words, expected, other));
    }
}

/// Types words, Tab and Enter into a real zsh, in which drover says what it was called with.
const ZSH: &str = r#"
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $1/dump; drover() { print -r -- \"<\$*>\" }; echo RE''ADY"
zpty -r z seen '*READY*'
for words in "${@:2}"; do
  zpty -w -n z "$words"$'\t\n'
  zpty -r z seen '*<*>*'
  print -r -- "$seen"
done
zpty -d z
"#;

#[test]
fn zsh_completes_nouns_verbs_flags_and_values() {
    let env = env();
    if !is_there(&env, "zsh") {
        println!("skipped: zsh is not installed");
        return;
    }
    let script = script(&env, "zsh", "functions/_drover");
    env.call("zsh", &["-n", &script]).run().ok();
    let functions = env.home().join("functions");
    fs::write(env.home().join("type.zsh"), ZSH).unwrap();
    let typed = [
        ("drover tas", "task"),
        ("drover task clo", "task close"),
        ("drover -p web task clo", "-p web task close"),
        ("drover completions z", "completions zsh"),
        ("drover task close --as w", "task close --as wontfix"),
        ("drover task close --evi", "task close --evidence"),
    ];
    let mut words = vec!["-f", "type.zsh", functions.to_str().unwrap()];
    words.extend(typed.iter().map(|it| it.0));
    let seen = env.call("zsh", &words).run().ok().stdout;
    for (words, called) in typed {
        assert!(seen.contains(&format!("<{called}>")), "{words}: {called} is not in {seen}");
    }
}

#[test]
fn the_script_is_the_answer_and_needs_no_state() {
    let env = env();
    let plain = env.drover(&["completions", "bash"]).ok().stdout;
    let data = env.drover(&["completions", "bash", "--json"]).ok().data();
    assert_eq!(data["shell"], "bash");
    assert_eq!(data["script"].as_str().unwrap().trim_end(), plain.trim_end());
    assert!(!env.database().exists());
    env.drover(&["completions", "tcsh", "--json"]).refused(2, "usage");
    env.drover(&["completions", "--json"]).refused(2, "usage");
}

#[test]
fn every_noun_and_verb_has_a_page_that_man_reads() {
    let env = env();
    let page = env.drover(&["man", "task", "close"]).ok().stdout;
    for part in [
        ".TH drover-task-close 1",
        ".SH EXAMPLE\n.nf\n  drover task close",
        ".SH \"EXIT STATUS\"\n0 ",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(
        !page.contains("--json") && !page.contains("\\-\\-json"),
        "flags of every verb stand once"
    );
    assert!(env.drover(&["man"]).ok().stdout.contains("\\-\\-json"));
    env.drover(&["man", "task", "nope", "--json"]).refused(2, "usage");
    let dry = env.drover(&["man", "--to", "man1", "--dry-run", "--json"]).ok().data();
    assert!(!env.home().join("man1").exists());
    let written = env.drover(&["man", "--to", "man1", "--json"]).ok().data();
    assert_eq!(written, dry);
    let files = fs::read_dir(env.home().join("man1")).unwrap().count();
    assert_eq!(written["pages"]["count"], files);
    assert!(files > 60, "{files}");
    env.drover(&["man", "--to", "man1"]).ok();
    if is_there(&env, "man") && is_there(&env, "groff") {
        for file in fs::read_dir(env.home().join("man1")).unwrap() {
            let path = file.unwrap().path();
            let warned = env
                .call("groff", &["-man", "-Tutf8", "-ww", "-Wbreak", "-z", path.to_str().unwrap()])
                .run();
            assert_eq!((warned.exit, warned.stderr.as_str()), (0, ""), "{}", path.display());
        }
    }
}

#[test]
fn a_page_of_somebody_else_is_left_as_it_is() {
    let env = env();
    fs::create_dir(env.home().join("man1")).unwrap();
    let theirs = env.home().join("man1/drover.1");
    fs::write(&theirs, "theirs").unwrap();
    env.drover(&["man", "--to", "man1", "--json"]).refused(4, "file_exists");
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    assert_eq!(fs::read_dir(env.home().join("man1")).unwrap().count(), 1, "nothing was written");
    env.drover(&["man", "--to", "man1/drover.1", "--json"]).refused(5, "file_failed");
    env.drover(&["man", "--to", "man1", "--key", "k", "--json"]).refused(2, "usage");
}
