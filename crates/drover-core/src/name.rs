//! Names of projects, agents and tasks: the rules, and how a name is made from a title.

use std::fmt;

const LONGEST: usize = 64;
const LONGEST_SLUG: usize = 40;

/// What a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A project.
    Project,
    /// An agent.
    Agent,
    /// A task.
    Task,
}

impl NameKind {
    fn noun(self) -> &'static str {
        match self {
            Self::Project => "project name",
            Self::Agent => "agent name",
            Self::Task => "task id",
        }
    }

    fn rule(self) -> &'static str {
        match self {
            Self::Project | Self::Agent => {
                "it is 1 to 64 of a-z, 0-9, '_' and '-', the first a letter or a digit"
            }
            Self::Task => "it is 1 to 64 of a-z, 0-9, '_' and '-', the first a letter",
        }
    }

    fn reserved(self) -> Option<&'static str> {
        match self {
            Self::Project => Some("scratch"),
            Self::Agent => Some("trunk"),
            Self::Task => None,
        }
    }

    fn may_begin(self, character: char) -> bool {
        character.is_ascii_lowercase() || (self != Self::Task && character.is_ascii_digit())
    }
}

impl fmt::Display for NameKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.noun())
    }
}

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty.
    #[error("the {kind} is empty; {}", kind.rule())]
    Empty {
        /// What it should have named.
        kind: NameKind,
    },
    /// The text is too long.
    #[error("the {kind} {given:?} has {length} characters; {}", kind.rule())]
    TooLong {
        /// What it should have named.
        kind: NameKind,
        /// The text.
        given: String,
        /// How many characters it has.
        length: usize,
    },
    /// A character may not stand where it stands.
    #[error("the {kind} {given:?} has {character:?} as character {position}; {}", kind.rule())]
    Character {
        /// What it should have named.
        kind: NameKind,
        /// The text.
        given: String,
        /// The first character that is wrong.
        character: char,
        /// Where it stands, from 1.
        position: usize,
    },
    /// The name is kept for Drover's own use.
    #[error("the {kind} {given:?} is reserved")]
    Reserved {
        /// What it should have named.
        kind: NameKind,
        /// The name.
        given: String,
    },
    /// A title has nothing a task id could be made of.
    #[error("the title {title:?} has no letter a-z and no digit to make a task id of")]
    NothingToName {
        /// The title.
        title: String,
    },
    /// A reference has more than one `/`.
    #[error("{given:?} is not a reference; it is <name> or <project>/<name>")]
    Reference {
        /// The text.
        given: String,
    },
}

/// A checked name of one kind of thing.
pub trait Name: Sized {
    /// What it names.
    const KIND: NameKind;

    /// Reads a name.
    fn parse_name(text: &str) -> Result<Self, NameError>;
}

macro_rules! name_type {
    ($(#[$meta:meta])* $Name:ident, $Kind:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $Name(String);

        impl $Name {
            /// Reads a name that may exist already, a reserved one included.
            pub fn parse(text: &str) -> Result<Self, NameError> {
                check(NameKind::$Kind, text)?;
                Ok(Self(text.to_owned()))
            }

            /// Reads the name of a thing to be made or renamed: a reserved one is refused.
            pub fn parse_new(text: &str) -> Result<Self, NameError> {
                let name = Self::parse(text)?;
                if name.is_reserved() {
                    return Err(NameError::Reserved { kind: NameKind::$Kind, given: name.0 });
                }
                Ok(name)
            }

            /// Whether Drover keeps this name for its own use.
            pub fn is_reserved(&self) -> bool {
                NameKind::$Kind.reserved() == Some(self.as_str())
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Name for $Name {
            const KIND: NameKind = NameKind::$Kind;

            fn parse_name(text: &str) -> Result<Self, NameError> {
                Self::parse(text)
            }
        }

        impl fmt::Display for $Name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.0)
            }
        }

        impl AsRef<str> for $Name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}

name_type!(
    /// The name of a project; `scratch` is reserved.
    ProjectName,
    Project
);
name_type!(
    /// The name of an agent within its project; `trunk` is reserved for the integration branch.
    AgentName,
    Agent
);
name_type!(
    /// The short id of a task within its project.
    TaskId,
    Task
);

impl ProjectName {
    /// The reserved project for helpers without tasks.
    pub fn scratch() -> Self {
        Self("scratch".to_owned())
    }
}

impl TaskId {
    /// An id as like another program's as the rule allows: lower case, other characters as `_`.
    pub fn like(foreign: &str) -> Self {
        let allowed = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        let mut id: String = foreign
            .chars()
            .flat_map(char::to_lowercase)
            .map(|it| if allowed(it) { it } else { '_' })
            .take(LONGEST)
            .collect();
        if !id.starts_with(|first: char| NameKind::Task.may_begin(first)) {
            let kept = id.len().min(LONGEST - 2);
            id = format!("t_{}", id.get(..kept).unwrap_or_default());
        }
        Self(id.trim_end_matches('_').to_owned())
    }

    /// This id with `_<number>` behind it, shortened so that the whole still is an id.
    #[must_use]
    pub fn numbered(&self, number: u32) -> Self {
        let suffix = format!("_{number}");
        let stem: String = self.0.chars().take(LONGEST.saturating_sub(suffix.len())).collect();
        Self(stem + &suffix)
    }
}

fn check(kind: NameKind, text: &str) -> Result<(), NameError> {
    if text.is_empty() {
        return Err(NameError::Empty { kind });
    }
    for (index, character) in text.chars().enumerate() {
        let fits = if index == 0 {
            kind.may_begin(character)
        } else {
            character.is_ascii_lowercase()
                || character.is_ascii_digit()
                || matches!(character, '_' | '-')
        };
        if !fits {
            let position = index + 1;
            return Err(NameError::Character { kind, given: text.to_owned(), character, position });
        }
    }
    if text.len() > LONGEST {
        return Err(NameError::TooLong { kind, given: text.to_owned(), length: text.len() });
    }
    Ok(())
}

/// A name, with the project it is looked up in if the reference says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<N> {
    /// The project, when the reference is `<project>/<name>`.
    pub project: Option<ProjectName>,
    /// The name within the project.
    pub name: N,
}

impl<N: Name> Reference<N> {
    /// Reads `<name>` or `<project>/<name>`.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let Some((project, name)) = text.split_once('/') else {
            return Ok(Self { project: None, name: N::parse_name(text)? });
        };
        if name.contains('/') {
            return Err(NameError::Reference { given: text.to_owned() });
        }
        Ok(Self { project: Some(ProjectName::parse(project)?), name: N::parse_name(name)? })
    }
}

/// A task id made from a title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slug {
    /// The id; the caller numbers it when it is taken.
    pub id: TaskId,
    /// Whether part of the title was cut off.
    pub truncated: bool,
    /// What the id would have been without the cut.
    pub full: String,
}

/// Makes a task id from a title: lower case, words joined by `_`, cut at a word within 40.
pub fn slug(title: &str) -> Result<Slug, NameError> {
    let mut full = String::new();
    for character in title.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            full.push(character);
        } else if !full.is_empty() && !full.ends_with('_') {
            full.push('_');
        }
    }
    full.truncate(full.trim_end_matches('_').len());
    if full.is_empty() {
        return Err(NameError::NothingToName { title: title.to_owned() });
    }
    let kept = shorten(&full);
    let truncated = kept.len() < full.len();
    let id = if kept.starts_with(|first: char| first.is_ascii_lowercase()) {
        kept.to_owned()
    } else {
        format!("t_{kept}")
    };
    Ok(Slug { id: TaskId(id), truncated, full })
}

fn shorten(slug: &str) -> &str {
    if slug.len() <= LONGEST_SLUG {
        return slug;
    }
    let window = slug.get(..=LONGEST_SLUG).unwrap_or(slug);
    let cut = window.rfind('_').unwrap_or(LONGEST_SLUG);
    slug.get(..cut).unwrap_or(slug)
}

/// The candidates most like `wanted`, best first, at most `count`; what is not alike is left out.
pub fn nearest<S: AsRef<str>>(
    wanted: &str,
    candidates: impl IntoIterator<Item = S>,
    count: usize,
) -> Vec<String> {
    let mut alike: Vec<(f64, String)> = candidates
        .into_iter()
        .map(|candidate| {
            (strsim::jaro_winkler(wanted, candidate.as_ref()), candidate.as_ref().to_owned())
        })
        .filter(|(likeness, _)| *likeness >= 0.75)
        .collect();
    alike.sort_by(|one, two| two.0.total_cmp(&one.0).then_with(|| one.1.cmp(&two.1)));
    alike.into_iter().take(count).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_wrong_name_is_refused_with_the_character_and_the_rule() {
        let err = ProjectName::parse("v3.1").unwrap_err();
        assert_eq!(
            err.to_string(),
            "the project name \"v3.1\" has '.' as character 3; it is 1 to 64 of a-z, 0-9, '_' \
             and '-', the first a letter or a digit"
        );
    }

    /// Faults P-05, X-01.
    #[test]
    fn names_that_a_multiplexer_or_shell_would_read_are_refused() {
        let long = "a".repeat(65);
        for text in [
            "", "-x", "_x", "=x", "$1", "%3", "@x", "a/b", "a.b", "a:b", "a b", "x\n", "é", "A",
            "#(x)", "`x`", &long,
        ] {
            assert!(ProjectName::parse(text).is_err(), "{text:?}");
            assert!(AgentName::parse(text).is_err(), "{text:?}");
            assert!(TaskId::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_task_id_begins_with_a_letter_and_other_names_may_begin_with_a_digit() {
        assert!(ProjectName::parse("3d").is_ok());
        assert!(AgentName::parse("3d").is_ok());
        assert!(TaskId::parse("3d").is_err());
    }

    #[test]
    fn control_characters_in_a_refused_name_are_shown_as_escapes() {
        assert!(!AgentName::parse("a\u{1b}[2J").unwrap_err().to_string().contains('\u{1b}'));
    }

    #[test]
    fn reserved_names_can_be_found_and_not_made() {
        assert!(ProjectName::parse("scratch").unwrap().is_reserved());
        assert!(matches!(ProjectName::parse_new("scratch"), Err(NameError::Reserved { .. })));
        assert!(matches!(AgentName::parse_new("trunk"), Err(NameError::Reserved { .. })));
        assert!(TaskId::parse_new("trunk").is_ok());
    }

    #[test]
    fn a_reference_may_name_its_project() {
        let reference: Reference<TaskId> = Reference::parse("demo/fix_it").unwrap();
        assert_eq!(reference.project.unwrap().as_str(), "demo");
        assert_eq!(reference.name.as_str(), "fix_it");
        assert_eq!(Reference::<TaskId>::parse("fix_it").unwrap().project, None);
        assert!(Reference::<TaskId>::parse("a/b/c").is_err());
        assert!(Reference::<TaskId>::parse("/b").is_err());
    }

    fn check_slug(title: &str, id: &str) {
        assert_eq!(slug(title).unwrap().id.as_str(), id);
    }

    #[test]
    fn a_title_becomes_lower_case_words_joined_by_underscores() {
        check_slug("Fix the  Build!", "fix_the_build");
        check_slug("  --Über Größe-- ", "ber_gr_e");
        check_slug("3 wise men", "t_3_wise_men");
        check_slug("$(touch pwned)", "touch_pwned");
    }

    #[test]
    fn a_long_title_is_cut_at_a_word_and_says_so() {
        let title = format!("{} bcd", "a".repeat(40));
        let cut = slug(&title).unwrap();
        assert_eq!(cut.id.as_str(), "a".repeat(40));
        assert!(cut.truncated);
        check_slug("write the migration runner for the store crate today", {
            "write_the_migration_runner_for_the_store"
        });
        check_slug(&"a".repeat(50), &"a".repeat(40));
        assert!(!slug(&"a".repeat(40)).unwrap().truncated);
    }

    #[test]
    fn a_title_without_letters_or_digits_is_refused() {
        assert!(matches!(slug("日本"), Err(NameError::NothingToName { .. })));
    }

    #[test]
    fn an_id_of_another_program_is_kept_as_far_as_the_rule_allows() {
        let check = |foreign: &str, id: &str| {
            assert_eq!(TaskId::like(foreign).as_str(), id);
            assert_eq!(TaskId::parse(id).unwrap(), TaskId::like(foreign));
        };
        check("pl-00cu", "pl-00cu");
        check("Web-12.3", "web-12_3");
        check("12", "t_12");
        check("", "t");
        check("日本", "t");
        check(&"x".repeat(70), &"x".repeat(64));
        check(&"1".repeat(70), &format!("t_{}", "1".repeat(62)));
    }

    #[test]
    fn a_numbered_id_stays_an_id() {
        let longest = TaskId::parse(&"a".repeat(64)).unwrap();
        assert!(TaskId::parse(longest.numbered(999).as_str()).is_ok());
        assert_eq!(TaskId::parse("fix").unwrap().numbered(2).as_str(), "fix_2");
    }

    #[test]
    fn the_nearest_names_come_best_first() {
        let known = ["design", "desk", "deploy", "api_schema"];
        assert_eq!(nearest("desing", known, 1), ["design"]);
        assert_eq!(nearest("api", known, 3), ["api_schema"]);
        assert!(nearest("zzz", known, 3).is_empty());
    }

    proptest! {
        #[test]
        fn every_slug_is_a_task_id(title in "\\PC{0,120}") {
            if let Ok(slug) = slug(&title) {
                prop_assert!(TaskId::parse(slug.id.as_str()).is_ok());
            }
        }
    }
}
