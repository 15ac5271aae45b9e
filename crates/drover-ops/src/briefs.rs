//! Briefs: what a worker is told about its task, as a private file.

use std::fmt::Write as _;
use std::path::PathBuf;

use drover_core::message;
use drover_host::state_dir::Folder;
use drover_host::{files, random};
use drover_store::notes::{self, Note};
use drover_store::projects::Project;
use drover_store::tasks::Task;

use crate::ctx::Ctx;
use crate::error::{OpError, Result, at_file};

/// Writes the brief of a task to `<state>/briefs/<task uid>.md` (0600) and returns its path.
pub(crate) fn write(ctx: &Ctx, project: &Project, task: &Task) -> Result<PathBuf> {
    let notes = notes::of_task(&ctx.read(), task.pk)?;
    let nonce = random::nonce().map_err(OpError::Random)?;
    let path = ctx.state().folder(Folder::Briefs)?.join(format!("{}.md", task.uid));
    let text = render(project, task, &notes, &nonce)?;
    files::write_atomic(&path, text.as_bytes()).map_err(at_file(&path))?;
    Ok(path)
}

/// The brief in words. What others wrote stands between fences, so that it reads as quoted.
fn render(project: &Project, task: &Task, notes: &[Note], nonce: &str) -> Result<String> {
    let mut text = format!("# Task {} of the project {}\n\n", task.id, project.name);
    text.push_str(&quoted("title", nonce, &task.title)?);
    if let Some(verify) = &task.verify {
        let _ = write!(text, "\nIt is done when this command passes:\n\n");
        text.push_str(&quoted("command", nonce, verify)?);
    }
    let owns: Vec<String> = serde_json::from_str(&task.owns).unwrap_or_default();
    if !owns.is_empty() {
        let _ = write!(text, "\nStay within these paths: {}\n", owns.join(", "));
    }
    for note in notes {
        let _ = write!(text, "\nA note by {} of {}:\n\n", note.author, note.created_at);
        text.push_str(&quoted("note", nonce, &note.text)?);
    }
    let _ = write!(
        text,
        "\nWhen it is done: drover task close {0} --evidence \"<what shows it>\"\nWhen you cannot go on: drover task release {0}\n",
        task.id
    );
    Ok(text)
}

fn quoted(label: &str, nonce: &str, text: &str) -> Result<String> {
    message::fence(label, nonce, text).map_err(|err| OpError::Usage(err.to_string()))
}
