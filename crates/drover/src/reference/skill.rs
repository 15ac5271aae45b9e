//! The skill and its recipes: every command in them is one of this program.

use std::ffi::OsString;

use drover_ops::{skill, words};

/// The commands of a page: what stands in its blocks for a shell, and between backticks.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    for line in page.lines() {
        let trimmed = line.trim();
        if let Some(language) = trimmed.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(language.to_owned()) };
        } else if let Some(language) = &block {
            let is_command = language == "sh" && !trimmed.is_empty();
            found.extend(is_command.then(|| trimmed.to_owned()));
        } else {
            let inline = trimmed.split('`').skip(1).step_by(2);
            found.extend(inline.filter(|it| it.starts_with("drover ")).map(str::to_owned));
        }
    }
    found
}

/// The words of a command up to what only a shell reads.
fn own_words(command: &str) -> Vec<OsString> {
    let words = words::split(command).unwrap_or_else(|err| panic!("{command}: {err}"));
    let own = words.into_iter().take_while(|it| !["<", "|", ">", "&&"].contains(&it.as_str()));
    own.map(OsString::from).collect()
}

#[test]
fn every_command_of_the_skill_is_one_of_this_program() {
    for (name, page) in skill::FILES {
        for command in commands(page) {
            assert!(command.starts_with("drover "), "{name}: {command}: only drover is called");
            let words = own_words(&command);
            match crate::cli::parse(&words) {
                Ok(call) => {
                    let is_complete = call.verb.is_some() || words.len() <= 2;
                    assert!(is_complete, "{name}: {command}: the verb is missing");
                }
                Err(err) => assert_eq!(
                    err.kind(),
                    clap::error::ErrorKind::DisplayHelp,
                    "{name}: {command}: {err}"
                ),
            }
        }
    }
}

#[test]
fn the_guide_names_every_recipe_and_stays_short() {
    let guide = skill::find(None).unwrap();
    assert!(guide.starts_with("---\nname: drover\ndescription: "));
    for name in skill::recipes() {
        assert!(guide.contains(&format!("| `{name}` |")), "the guide does not name {name}");
        let page = skill::find(Some(name)).unwrap();
        assert!(page.starts_with("# ") && page.len() < 4_500, "{name}: {} bytes", page.len());
    }
    assert!(guide.len() < 7_000, "{} bytes", guide.len());
}

#[test]
fn recipes_that_a_page_names_are_there() {
    for (page, text) in skill::FILES {
        for named in text.split("recipe `").skip(1).chain(text.split("recipes `").skip(1)) {
            let name = named.split('`').next().unwrap_or_default();
            assert!(skill::find(Some(name)).is_some(), "{page} names the recipe {name}");
        }
    }
}
