//! What a request asks, in each of the three wire formats.

use serde_json::{Value, json};

use super::directive::Step;
use super::format::{Format, Tool};

/// A request, read.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) is_streaming: bool,
    /// The blocks of the last prompt.
    pub(super) texts: Vec<String>,
    /// The blocks of the prompts before it.
    earlier: Vec<String>,
    /// What came of the calls since the last prompt.
    pub(super) results: Vec<String>,
    /// The names of the tools.
    pub(super) tools: Vec<String>,
}

impl Asked {
    pub(super) fn read(format: Format, body: &Value) -> Self {
        let mut asked = Self { is_streaming: body["stream"] == true, ..Self::default() };
        for tool in items(&body["tools"]) {
            let name = [&tool["function"]["name"], &tool["name"], &tool["type"]]
                .into_iter()
                .find_map(Value::as_str);
            // Codex offers the tools of a server together, and wants their space named in a call.
            let within = items(&tool["tools"]).filter_map(|it| it["name"].as_str());
            let space = name.unwrap_or_default();
            asked.tools.extend(within.map(|it| format!("{space}/{it}")));
            asked.tools.extend(name.map(str::to_owned));
        }
        let said = if format == Format::Responses { &body["input"] } else { &body["messages"] };
        if let Some(text) = said.as_str() {
            asked.prompted(vec![text.to_owned()]);
        }
        for item in items(said) {
            asked.take(item);
        }
        asked
    }

    fn take(&mut self, item: &Value) {
        let content = &item["content"];
        let results: Vec<&Value> =
            items(content).filter(|it| it["type"] == "tool_result").collect();
        let kind = item["type"].as_str().unwrap_or("message");
        match item["role"].as_str() {
            _ if kind.ends_with("_output") => self.results.push(joined(&item["output"])),
            Some("tool") => self.results.push(joined(content)),
            Some("user") if !results.is_empty() => {
                self.results.extend(results.into_iter().map(|it| joined(&it["content"])));
            }
            Some("user") => self.prompted(blocks(content)),
            _ => {}
        }
    }

    fn prompted(&mut self, texts: Vec<String>) {
        if texts.iter().all(|it| it.trim().is_empty()) {
            return;
        }
        self.earlier.append(&mut self.texts);
        self.texts = texts;
        self.results.clear();
    }

    /// The first line of an earlier prompt with this word.
    pub(super) fn recall(&self, word: &str) -> String {
        let lines = self.earlier.iter().flat_map(|it| it.lines());
        let found = lines.map(str::trim).find(|it| it.contains(word));
        found.map_or_else(|| "recalled nothing".to_owned(), |it| format!("recalled: {it}"))
    }

    /// The call that a step asks for, if there is such a tool.
    pub(super) fn call(&self, step: &Step) -> Option<Tool> {
        let (name, arguments) = match step {
            Step::Shell(command) => self.shell(command)?,
            Step::Call { tool, arguments } => {
                let endings = [format!("__{tool}"), format!("/{tool}")];
                let is_it =
                    |it: &&String| *it == tool || endings.iter().any(|ending| it.ends_with(ending));
                let name = self.tools.iter().find(is_it);
                (name?.clone(), arguments.clone())
            }
        };
        let text = self.results.iter().enumerate().fold(arguments, |text, (number, result)| {
            let quoted = json!(result.trim()).to_string();
            let inner = quoted.trim_matches('"');
            text.replace(&format!("${}", number + 1), inner)
        });
        Some(Tool { name, arguments: text })
    }

    /// The agent's shell, as each names it.
    fn shell(&self, command: &str) -> Option<(String, String)> {
        let has = |name: &str| self.tools.iter().any(|it| it == name);
        let arguments = |name: &str| match name {
            "bash" => json!({"command": command}),
            "Bash" => json!({"command": command, "description": "what was asked for"}),
            "shell" => json!({"command": ["bash", "-lc", command]}),
            _ => json!({"cmd": command}),
        };
        let name = ["bash", "Bash", "exec_command", "shell"].into_iter().find(|it| has(it))?;
        Some((name.to_owned(), arguments(name).to_string()))
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The blocks of text of a content.
fn blocks(content: &Value) -> Vec<String> {
    if let Some(text) = content.as_str() {
        return vec![text.to_owned()];
    }
    let is_text =
        |it: &&Value| matches!(it["type"].as_str(), Some("text" | "input_text" | "output_text"));
    let texts = items(content).filter(is_text).filter_map(|it| it["text"].as_str());
    texts.map(str::to_owned).collect()
}

fn joined(content: &Value) -> String {
    blocks(content).join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Asked, Format};
    use serde_json::json;

    #[test]
    fn the_last_prompt_and_what_came_of_its_calls_are_found_in_each_format() {
        let check = |format: Format, body: serde_json::Value| {
            let asked = Asked::read(format, &body);
            assert_eq!(asked.texts, ["two"], "{format:?}");
            assert_eq!(asked.results, ["out"], "{format:?}");
            assert_eq!(asked.tools, ["bash"], "{format:?}");
            assert_eq!(asked.recall("on"), "recalled: one", "{format:?}");
        };
        check(
            Format::Chat,
            json!({"tools": [{"type": "function", "function": {"name": "bash"}}], "messages": [
                {"role": "system", "content": "be kind"},
                {"role": "user", "content": "one"},
                {"role": "tool", "content": "old"},
                {"role": "user", "content": [{"type": "text", "text": "two"}]},
                {"role": "assistant", "content": null},
                {"role": "tool", "content": "out"},
            ]}),
        );
        check(
            Format::Messages,
            json!({"tools": [{"name": "bash"}], "messages": [
                {"role": "user", "content": "one"},
                {"role": "user", "content": "two"},
                {"role": "assistant", "content": [{"type": "tool_use"}]},
                {"role": "user", "content": [{"type": "tool_result", "content": "out"}, {"type": "text", "text": "a hint"}]},
            ]}),
        );
        check(
            Format::Responses,
            json!({"tools": [{"type": "function", "name": "bash"}], "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]},
                {"role": "user", "content": [{"type": "input_text", "text": "two"}]},
                {"type": "function_call_output", "output": "out"},
            ]}),
        );
    }
}
