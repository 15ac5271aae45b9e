//! Uids: what the log and other machines know a row by, whatever it is called.

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::name::ProjectName;

/// A text that is not a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a uid; a uid is a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct UidError {
    /// The text as given.
    pub given: String,
}

/// The uid of a row: a UUID in lower case with hyphens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(String);

impl Uid {
    /// Reads a uid; capitals and the forms without hyphens are brought to the one stored form.
    pub fn parse(text: &str) -> Result<Self, UidError> {
        match Uuid::try_parse(text) {
            Ok(uuid) => Ok(Self::from_uuid(uuid)),
            Err(_) => Err(UidError { given: text.to_owned() }),
        }
    }

    /// The uid with the value of `uuid`.
    pub fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid.hyphenated().to_string())
    }

    /// The stored form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl AsRef<str> for Uid {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The uid of a project, the same on every machine that uses the name in that generation.
pub fn project_uid(name: &ProjectName, generation: u32) -> Uid {
    let mut hasher = Sha256::new();
    hasher.update(b"drover/project\0");
    hasher.update(name.as_str());
    hasher.update(b"\0");
    hasher.update(generation.to_string());
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(hasher.finalize()) {
        *to = from;
    }
    Uid::from_uuid(Builder::from_custom_bytes(bytes).into_uuid())
}

/// The uid of the edge by which `from` blocks `to`: derived, so that two machines that
/// draw the same edge draw one.
pub fn edge_uid(from: &Uid, to: &Uid) -> String {
    format!("{from}>{to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ProjectName {
        ProjectName::parse(text).unwrap()
    }

    #[test]
    fn the_uid_of_a_project_is_fixed_by_its_name_and_generation() {
        assert_eq!(project_uid(&name("demo"), 1).as_str(), "026091cb-895b-8203-ba6a-ecd007f38ba4");
        assert_eq!(project_uid(&name("demo"), 2).as_str(), "4a476890-d135-8c74-81c3-e01abaa14ac2");
    }

    #[test]
    fn a_uid_has_one_stored_form() {
        let uid = Uid::parse("01890A5DAC96774BBCCEB302099A8057").unwrap();
        assert_eq!(uid.as_str(), "01890a5d-ac96-774b-bcce-b302099a8057");
        assert!(Uid::parse("demo").is_err());
    }

    #[test]
    fn the_uid_of_an_edge_names_both_ends_in_order() {
        let (one, two) = (project_uid(&name("a"), 1), project_uid(&name("b"), 1));
        assert_eq!(edge_uid(&one, &two), format!("{one}>{two}"));
    }
}
