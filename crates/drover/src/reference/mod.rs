//! Pages under `docs/` that follow from the code: each test here writes one and holds it true.

mod cli;
mod outcomes;
mod parity;
mod roles;
mod schema;
mod skill;

use clap::Command;

/// The whole command with every noun and verb in place, as long help at 100 columns shows it.
fn command() -> Command {
    let mut command = crate::cli::command().term_width(100);
    command.build();
    command
}

/// The verbs that people can see, each with its full name, nouns before their verbs.
fn verbs(command: &Command) -> Vec<(String, &Command)> {
    fn walk<'a>(above: &str, command: &'a Command, found: &mut Vec<(String, &'a Command)>) {
        let shown =
            command.get_subcommands().filter(|it| it.get_name() != "help" && !it.is_hide_set());
        for verb in shown {
            let name = format!("{above} {}", verb.get_name()).trim_start().to_owned();
            found.push((name.clone(), verb));
            walk(&name, verb, found);
        }
    }
    let mut found = Vec::new();
    walk("", command, &mut found);
    found
}
