//! `config.toml`: engines and policy defaults of this person. Without the file everything works.

mod prices;
mod screen;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use drover_core::agent::screen::ScreenRules;
use drover_core::usage::Price;
use serde::Deserialize;

use self::screen::Screen;
use crate::error::{ConfigError, Result, at_file};
use crate::words;

/// What the file says.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Where it was read from; none when there is no file.
    pub path: Option<PathBuf>,
    /// The engines it describes, by name.
    pub engines: BTreeMap<String, EngineConfig>,
    /// Policy defaults as they were written, by key.
    pub policy: BTreeMap<String, String>,
    /// What models cost, by name.
    pub prices: BTreeMap<String, Price>,
}

/// What the file says about an engine.
#[derive(Debug, Clone, Default)]
pub struct EngineConfig {
    /// The program and its arguments.
    pub command: Option<Vec<String>>,
    /// What `me work` runs for each task.
    pub work: Option<Vec<String>>,
    /// How it takes work: `run`, `message` or `none`.
    pub takes_work: Option<String>,
    /// What its agents may write outside their directory.
    pub writable_roots: WritableRoots,
    /// What its screen shows.
    pub screen: ScreenRules,
}

/// What a sandboxed agent may write outside its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritableRoots {
    /// What a commit in its workspace writes in the repository behind it.
    pub repository: bool,
    /// And these directories.
    pub others: Vec<PathBuf>,
}

impl Default for WritableRoots {
    fn default() -> Self {
        Self { repository: true, others: Vec::new() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    engine: BTreeMap<String, Engine>,
    #[serde(default)]
    policy: BTreeMap<String, toml::Value>,
    #[serde(default)]
    price: BTreeMap<String, prices::Given>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    work: Option<String>,
    takes_work: Option<String>,
    writable_roots: Option<Roots>,
    #[serde(default)]
    screen: Screen,
}

/// Whether the repository is among them, or what else is.
#[derive(Deserialize)]
#[serde(untagged)]
enum Roots {
    Repository(bool),
    Others(Vec<PathBuf>),
}

impl Config {
    /// Reads the file; one that is missing says nothing.
    pub fn read(path: &Path) -> Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(err) => return Err(at_file(path)(err)),
        };
        Ok(Self {
            path: Some(path.to_owned()),
            ..parse(&text).map_err(|what| refused(path, what))?
        })
    }

    /// The person's or the built-in description of an engine.
    pub fn engine(&self, name: &str) -> EngineConfig {
        let built_in =
            || EngineConfig { screen: screen::built_in(name), ..EngineConfig::default() };
        self.engines.get(name).cloned().unwrap_or_else(built_in)
    }

    /// What a model costs, if the person says so.
    pub fn price(&self, model: &str) -> Option<&Price> {
        self.prices.get(model)
    }
}

fn refused(path: &Path, what: String) -> ConfigError {
    ConfigError::Refused { path: path.to_owned(), what }
}

fn parse(text: &str) -> std::result::Result<Config, String> {
    let file: File = toml::from_str(text).map_err(|err| err.to_string().trim_end().to_owned())?;
    let mut config = Config::default();
    for (name, engine) in file.engine {
        let described = engine.described(&name).map_err(|what| format!("engine.{name}: {what}"))?;
        config.engines.insert(name, described);
    }
    for (key, value) in file.policy {
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Array(items) => {
                let words = items.iter().map(|it| it.as_str().map(str::to_owned));
                let words: Option<Vec<String>> = words.collect();
                words.ok_or_else(|| format!("policy.{key}: its items must be texts"))?.join(",")
            }
            other => other.to_string(),
        };
        crate::policy_keys::check(&key, &value).map_err(|what| format!("policy.{key}: {what}"))?;
        config.policy.insert(key, value);
    }
    for (model, price) in file.price {
        let price = price.checked().map_err(|what| format!("price.{model}: {what}"))?;
        config.prices.insert(model, price);
    }
    Ok(config)
}

impl Engine {
    fn described(self, name: &str) -> std::result::Result<EngineConfig, String> {
        let split = |line: String| words::split(&line).map_err(|err| err.to_string());
        let command = self.command.map(split).transpose()?;
        if command.is_none() && !self.args.is_empty() {
            return Err("args without a command".to_owned());
        }
        let command = command.map(|mut words| {
            words.extend(self.args);
            words
        });
        if let Some(word) = &self.takes_work
            && !["run", "message", "none"].contains(&word.as_str())
        {
            return Err(format!("takes_work is {word:?}; it is one of run, message, none"));
        }
        Ok(EngineConfig {
            command,
            work: self.work.map(split).transpose()?,
            takes_work: self.takes_work,
            writable_roots: roots(self.writable_roots)?,
            screen: self.screen.over(name)?,
        })
    }
}

fn roots(given: Option<Roots>) -> std::result::Result<WritableRoots, String> {
    match given {
        None => Ok(WritableRoots::default()),
        Some(Roots::Repository(repository)) => Ok(WritableRoots { repository, others: Vec::new() }),
        Some(Roots::Others(others)) => match others.iter().find(|it| !it.is_absolute()) {
            Some(bad) => Err(format!("writable_roots: {} is not absolute", bad.display())),
            None => Ok(WritableRoots { repository: true, others }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn refusal(text: &str) -> String {
        parse(text).err().unwrap_or_else(|| panic!("{text} was taken"))
    }

    #[test]
    fn an_engine_is_described_by_command_work_and_screen() {
        let config = parse(
            "[engine.mine]\ncommand = \"my-agent --fast 'a b'\"\nargs = [\"-x\"]\ntakes_work = \"message\"\n\
             [engine.mine.screen]\ncomposer = [\"^> (.*)$\"]\ndialog = [{ pattern = \"Proceed\\\\?\", label = \"permission\" }]\n",
        );
        let mine = config.unwrap().engine("mine");
        assert_eq!(mine.command.unwrap(), ["my-agent", "--fast", "a b", "-x"]);
        assert_eq!(mine.screen.dialog.len(), 1);
    }

    #[test]
    fn a_list_of_screen_rules_takes_the_place_of_the_built_in_one_and_the_others_stay() {
        let config = parse("[engine.claude.screen]\nbusy = [\"mine\"]\ndialog = []\n").unwrap();
        let (mine, built_in) = (config.engine("claude").screen, super::screen::built_in("claude"));
        assert_eq!((mine.busy.len(), mine.dialog.len()), (1, 0));
        assert_eq!(mine.composer.len(), built_in.composer.len());
        assert_eq!(mine.cursor, built_in.cursor);
        let other = parse("[engine.claude]\ncommand = \"claude\"\n").unwrap();
        assert_eq!(other.engine("claude").screen.dialog.len(), built_in.dialog.len());
        assert!(parse("").unwrap().engine("mine").screen.is_empty());
    }

    #[test]
    fn what_is_unknown_or_wrong_is_named() {
        assert!(refusal("[sync]\nfolder = \"/x\"\n").contains("sync"));
        assert!(refusal("[engine.mine]\ncomand = \"x\"\n").contains("comand"));
        assert!(refusal("[engine.mine]\ntakes_work = \"typed\"\n").contains("takes_work"));
        assert!(refusal("[price.m]\ninput = 1.0\n").contains("output"));
        assert!(refusal("[price.m]\ninput = -1.0\noutput = 2.0\n").contains("price.m"));
        assert!(refusal("[engine.mine]\nwritable_roots = [\"here\"]\n").contains("here"));
        assert!(refusal("[engine.mine.screen]\nbusy = [\"(\"]\n").contains("engine.mine"));
        assert!(refusal("[policy]\nwipp = 3\n").contains("wipp"));
        assert!(refusal("[policy]\nwip = 0\n").contains("policy.wip"));
    }
}
