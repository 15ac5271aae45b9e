//! Briefs: what a worker is told about its task, as a private file or as a message.

use std::fmt::Write as _;
use std::path::PathBuf;

use drover_core::message;
use drover_host::state_dir::Folder;
use drover_host::{files, random};
use drover_store::agents::Agent;
use drover_store::notes;
use drover_store::projects::Project;
use drover_store::tasks::Task;
use drover_store::workspaces;

use crate::ctx::Ctx;
use crate::error::{OpError, Result, at_file};

/// Writes the brief of a task to `<state>/briefs/<task uid>.md` (0600) and returns its path.
pub(crate) fn write(ctx: &Ctx, project: &Project, task: &Task) -> Result<PathBuf> {
    let path = ctx.state().folder(Folder::Briefs)?.join(format!("{}.md", task.uid));
    let mut text = of_task(ctx, project, task)?;
    text.push_str(
        "\nWhat you leave in the working tree is committed for you, and the task is closed, when your command \
         ends with code 0.\nAny other code gives the task back.\n",
    );
    files::write_atomic(&path, text.as_bytes()).map_err(at_file(&path))?;
    Ok(path)
}

/// The brief of a task for an agent that is told in a message.
pub(crate) fn for_message(
    ctx: &Ctx,
    project: &Project,
    task: &Task,
    agent: &Agent,
) -> Result<String> {
    let mut text = of_task(ctx, project, task)?;
    let id = format!("{}/{}", project.name, task.id);
    if let Some(workspace) = workspaces::of_agent(&ctx.read(), agent.pk)? {
        let _ = write!(
            text,
            "\nWork in {} and commit all of it on its branch {}.\n",
            workspace.path, workspace.branch
        );
    }
    let proof = if task.verify.is_some() { "--verify" } else { "--evidence \"<what shows it>\"" };
    let _ = write!(
        text,
        "\nWhen it is done: drover task close {id} {proof}\nWhen you cannot go on: drover task release {id}\n"
    );
    Ok(text)
}

/// What is known of a task. What others wrote stands between fences, so that it reads as quoted.
fn of_task(ctx: &Ctx, project: &Project, task: &Task) -> Result<String> {
    let nonce = random::nonce().map_err(OpError::Random)?;
    let mut text = format!("# Task {} of the project {}\n\n", task.id, project.name);
    text.push_str(&quoted("title", &nonce, &task.title)?);
    if let Some(verify) = &task.verify {
        let _ = write!(text, "\n\nIt is done when this command passes:\n\n");
        text.push_str(&quoted("command", &nonce, verify)?);
    }
    let owns: Vec<String> = serde_json::from_str(&task.owns).unwrap_or_default();
    if !owns.is_empty() {
        let _ = write!(text, "\n\nStay within these paths:\n\n");
        text.push_str(&quoted("paths", &nonce, &owns.join("\n"))?);
    }
    for note in notes::of_task(&ctx.read(), task.pk)? {
        let label = format!("note by {} of {}", note.author, note.created_at);
        let _ = write!(text, "\n\n{}", quoted(&label, &nonce, &note.text)?);
    }
    text.push('\n');
    Ok(text)
}

fn quoted(label: &str, nonce: &str, text: &str) -> Result<String> {
    message::fence(label, nonce, text).map_err(|err| OpError::Usage(err.to_string()))
}
