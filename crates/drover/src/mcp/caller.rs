//! Who calls: the one who runs this server, by token or pane, and what follows for a call.

use std::path::{Path, PathBuf};

use drover_core::agent::Role;
use drover_ops::actor::Actor;
use drover_ops::{Ctx, Env, roles};
use serde_json::{Map, Value, json};

use super::tools::Verb;
use crate::cli::Global;
use crate::output::Spoken;
use crate::perform;

/// Who calls.
#[derive(Debug)]
pub(super) struct Caller {
    role: Role,
    /// The directory that file arguments must lie in; `None` for one who may name any.
    root: Option<PathBuf>,
}

impl Caller {
    /// Finds out; each call asks again, because a role and a token can end.
    ///
    /// Where it cannot be found out, each call will say why: what shows a token is shown the least.
    pub(super) fn find(global: &Global) -> Self {
        let env = Env::capture();
        let is_agent = env.token().is_some();
        match Ctx::open(env, perform::options(global)) {
            Ok(ctx) => Self::of(&ctx),
            Err(_) if is_agent => Self { role: Role::Reviewer, root: Some(PathBuf::new()) },
            Err(_) => Self { role: Role::Operator, root: None },
        }
    }

    fn of(ctx: &Ctx) -> Self {
        let role = roles::role(ctx);
        let root = match ctx.actor() {
            Actor::Agent(agent) if role != Role::Operator => {
                Some(PathBuf::from(&agent.profile.cwd))
            }
            Actor::Agent(_) | Actor::Person { .. } | Actor::Part(_) => None,
        };
        Self { role, root }
    }

    /// Whether a verb is for this caller.
    pub(super) fn may(&self, verb: &Verb) -> bool {
        roles::may(self.role, &verb.name)
    }

    /// Has file arguments name the very file that was looked at, or refuses one that lies elsewhere.
    pub(super) fn place(
        &self,
        verb: &Verb,
        arguments: &mut Map<String, Value>,
    ) -> Result<(), Box<Spoken>> {
        let Some(root) = &self.root else { return Ok(()) };
        for property in verb.properties.iter().filter(|it| it.is_path) {
            let Some(Value::String(given)) = arguments.get_mut(&property.name) else { continue };
            if given == "-" {
                continue;
            }
            *given = match below(root, Path::new(given)) {
                Some(path) => path,
                None => return Err(Box::new(self.refusal(root, &property.name, given))),
            };
        }
        Ok(())
    }

    fn refusal(&self, root: &Path, name: &str, given: &str) -> Spoken {
        let error = format!(
            "{name:?} names {given}, which is not below {}: a {} brings files of its own directory only",
            root.display(),
            self.role
        );
        let data =
            json!({ "argument": name, "path": given, "directory": root.display().to_string() });
        Spoken::new("outside_workspace", error).data(data)
    }
}

/// Where a path leads, with every link followed, if that is below the directory.
///
/// What does not exist yet counts by its directory.
fn below(root: &Path, given: &Path) -> Option<String> {
    let root = root.canonicalize().ok()?;
    let given = root.join(given);
    let found = match given.canonicalize() {
        Ok(found) => found,
        Err(_) if given.symlink_metadata().is_err() => {
            given.parent()?.canonicalize().ok()?.join(given.file_name()?)
        }
        Err(_) => return None,
    };
    found.starts_with(&root).then(|| found.to_str().map(str::to_owned)).flatten()
}
