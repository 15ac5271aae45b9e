//! A quoted line is the same to every shell that a person may have.

use std::path::Path;

use drover_core::shell;
use drover_host::env::Env;
use drover_host::process::{self, Command};

/// Each shell without its start-up files.
const SHELLS: &[&[&str]] =
    &[&["sh"], &["bash", "--norc"], &["zsh", "-f"], &["fish", "--no-config"], &["tcsh", "-f"]];

/// Signs that some shell takes for more than themselves, alone, at either end and amid blanks.
fn words() -> Vec<String> {
    let signs = (0x20..0x7f_u8).map(char::from).chain(['\t', 'ü', '字']);
    let placed = signs
        .flat_map(|it| [format!("{it}"), format!("{it}x"), format!("x{it}"), format!("x {it} y")]);
    let known = [
        "",
        "-n",
        "it's a \\ and \"two\" !!",
        "'\\''",
        "\\'",
        "$HOME `id` $(id) ${x} %self ^a^b",
        "~root/x =ls {a,b} [ab] * ? **",
        "a && b; c | d > e < f # g",
        "#(touch pwned) #{pane_id}",
    ];
    placed.chain(known.map(str::to_owned)).collect()
}

#[test]
fn a_quoted_line_is_read_back_alike_by_every_shell() {
    let words = words();
    let line = format!("env printf '%s\\n' {}", shell::join(words.iter().map(String::as_str)));
    for shell in SHELLS {
        let [program, options @ ..] = *shell else { continue };
        if process::find_program(Path::new(program), &Env::capture()).is_none() {
            println!("skipped: {program} is not installed");
            continue;
        }
        let output = Command::new(program, "/").args(options).args(["-c", &line]).run_ok().unwrap();
        let read: Vec<String> =
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(read, words, "{program}");
    }
}
