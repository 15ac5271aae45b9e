//! What every verb works with: the database, the environment, who acts, and one transaction at a time.

use std::cell::OnceCell;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use drover_core::text::Text;
use drover_host::env::Env;
use drover_host::state_dir::{self, StateDir, StateDirError};
use drover_host::{clock, proc, random, signals};
use drover_store::agents::Process;
use drover_store::keys::{self, CallKey};
use drover_store::sql::{Fence, Reader};
use drover_store::{Durability, Opening, ReadTx, Store, StoreError, WriteTx, Writer, identity};
use jiff::Timestamp;

use crate::actor::{self, Actor};
use crate::config::Config;
use crate::digest::sha256_hex;
use crate::error::{ActorError, OpError, Result, at_file};

/// How a call wants its context.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--project`.
    pub project: Option<String>,
    /// `--actor`.
    pub actor: Option<String>,
    /// `--key`.
    pub key: Option<String>,
    /// `--dry-run`.
    pub dry_run: bool,
    /// Migrations beyond the known ones; given only by tests of migration.
    pub later_migrations: &'static [&'static str],
}

/// What every verb works with.
#[derive(Debug)]
pub struct Ctx {
    store: Store,
    env: Env,
    state: StateDir,
    machine: String,
    actor: Actor,
    group: String,
    options: Options,
    verb: String,
    pending_key: Option<CallKey>,
    committed: bool,
    effects: Vec<String>,
    warnings: Vec<String>,
    config: OnceCell<Config>,
}

impl Ctx {
    /// Opens the state directory and finds out who acts.
    pub fn open(env: Env, options: Options) -> Result<Self> {
        Self::open_as(env, options, None, Durability::Full)
    }

    /// Opens the state directory for a part of Drover that nobody called, such as its launcher.
    pub fn open_for_part(env: Env, part: &'static str) -> Result<Self> {
        Self::open_as(env, Options::default(), Some(Actor::Part(part)), Durability::Full)
    }

    /// The same for a part that an agent waits for: what it writes survives its end, not that of the machine.
    pub fn open_for_hook(env: Env, part: &'static str) -> Result<Self> {
        Self::open_as(env, Options::default(), Some(Actor::Part(part)), Durability::Process)
    }

    fn open_as(
        env: Env,
        options: Options,
        actor: Option<Actor>,
        durability: Durability,
    ) -> Result<Self> {
        signals::outlive_file_limit().map_err(at_file("the signals of this process"))?;
        let state = StateDir::open(&env.state_dir()?).map_err(|err| unwritable(&env, err))?;
        let machine_name = drover_host::env::machine_name();
        let store = Store::open(&Opening {
            directory: state.path(),
            machine_name: &machine_name,
            at: clock::now(),
            durability,
            later: options.later_migrations,
        })
        .map_err(|err| noticing_room(state.path(), err))?;
        let machine = identity::read(&store.read())
            .map_err(|err| explained(&store, err.into()))?
            .machine_name;
        let actor = match actor {
            Some(actor) => actor,
            None => actor::find(&store.read(), &env, options.actor.as_deref())
                .map_err(|err| explained(&store, err))?,
        };
        let group = random::group_id().map_err(OpError::Random)?;
        let (effects, warnings) = (Vec::new(), Vec::new());
        Ok(Self {
            store,
            env,
            state,
            machine,
            actor,
            group,
            options,
            verb: String::new(),
            pending_key: None,
            committed: false,
            effects,
            warnings,
            config: OnceCell::new(),
        })
    }

    /// Leave to read; inside a verb's open transaction it sees what the verb wrote.
    pub fn read(&self) -> ReadTx<'_> {
        self.store.read()
    }

    /// Writes the verb's last rows. The wrapper commits them, together with the answer of a key.
    ///
    /// No effect may follow in the same verb; a verb that goes on uses [`Ctx::step`]. When `change`
    /// fails, everything since the last commit is rolled back.
    pub fn write<T>(
        &mut self,
        intent: &str,
        change: impl FnOnce(&WriteTx<'_>) -> Result<T>,
    ) -> Result<T> {
        self.begin(intent)?;
        let changed = self.store.with_writer(change);
        changed.map_err(|err| {
            self.rollback();
            self.explain(err)
        })
    }

    /// Fences in what a person writes; `is_over` says whether a statement has had its time.
    pub(crate) fn fence(
        &mut self,
        reader: Reader,
        is_over: impl FnMut() -> bool + Send + 'static,
    ) -> Result<Fence> {
        Ok(self.store.fence(reader, is_over)?)
    }

    /// Says what an error of the database means for its file.
    pub fn explain(&self, err: OpError) -> OpError {
        explained(&self.store, err)
    }

    /// Writes rows and commits them at once, because an effect follows. In a dry run they stay uncommitted.
    pub fn step<T>(
        &mut self,
        intent: &str,
        change: impl FnOnce(&WriteTx<'_>) -> Result<T>,
    ) -> Result<T> {
        let changed = self.write(intent, change)?;
        if !self.options.dry_run {
            self.commit()?;
        }
        Ok(changed)
    }

    fn begin(&mut self, intent: &str) -> Result<()> {
        let writer = Writer {
            actor: self.actor.word(),
            intent: intent.to_owned(),
            group: self.group.clone(),
            at: clock::now(),
        };
        let is_new = self.store.begin(&writer)?;
        match (self.options.key.as_deref(), self.pending_key.as_ref()) {
            (Some(key), Some(call)) if is_new => {
                self.store.with_writer(|tx| Ok(keys::begin(tx, key, call)?))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn commit(&mut self) -> Result<()> {
        if self.store.is_writing() {
            self.store.commit()?;
            self.committed = true;
        }
        Ok(())
    }

    pub(crate) fn rollback(&mut self) {
        self.store.rollback();
    }

    pub(crate) fn check_references(&self) -> Result<()> {
        Ok(self.store.check_references()?)
    }

    pub(crate) fn has_committed(&self) -> bool {
        self.committed
    }

    /// Whether the caller names this call, so that its repeat is answered and not done again.
    pub fn has_key(&self) -> bool {
        self.options.key.is_some()
    }

    pub(crate) fn key(&self) -> Option<&str> {
        self.options.key.as_deref()
    }

    pub(crate) fn set_pending_key(&mut self, call: CallKey) {
        self.pending_key = Some(call);
    }

    /// Leaves the key free: nothing was done under it.
    pub(crate) fn drop_pending_key(&mut self) {
        self.pending_key = None;
    }

    pub(crate) fn set_verb(&mut self, verb: &str) {
        verb.clone_into(&mut self.verb);
    }

    /// The verb that was called, as `task claim`.
    pub(crate) fn verb(&self) -> &str {
        &self.verb
    }

    /// Does something outside, or, in a dry run, only lists it and returns `None`.
    pub fn act<T>(
        &mut self,
        what: impl Into<String>,
        effect: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        if self.options.dry_run {
            self.effects.push(what.into());
            return Ok(None);
        }
        debug_assert!(
            !self.store.is_writing(),
            "no program, socket or file wait inside a transaction"
        );
        effect().map(Some)
    }

    /// Gives the room of removed rows back to the system; in a dry run only says so.
    pub(crate) fn vacuum(&mut self) -> Result<Option<bool>> {
        if self.options.dry_run {
            self.effects.push("give the free room of the database back".to_owned());
            return Ok(None);
        }
        let shrunk = self.store.vacuum().map_err(OpError::from);
        shrunk.map(Some).map_err(|err| self.explain(err))
    }

    /// A token that an outside effect carries, so that a repeat of the key finds what was begun.
    ///
    /// `scope` names the effect, as `agent/web/w1`: one call may have several. Without a key the
    /// token is a fresh one.
    pub fn token_for(&self, scope: &str) -> Result<String> {
        match &self.pending_key {
            Some(call) => {
                Ok(sha256_hex(format!("drover/token\0{}\0{scope}", call.token).as_bytes()))
            }
            None => random::token().map_err(OpError::Random),
        }
    }

    /// This process, told apart from a later one with the same number.
    pub fn own_process(&self) -> Result<Process> {
        let path = "/proc/self/stat";
        let missing =
            || OpError::File { path: path.into(), source: std::io::ErrorKind::NotFound.into() };
        let mine = proc::own_identity().ok_or_else(missing)?;
        Ok(Process { pid: i64::from(mine.pid), started: mine.start })
    }

    /// Starts a new change group, so that what follows is undone by itself.
    pub fn new_group(&mut self) -> Result<()> {
        self.group = random::group_id().map_err(OpError::Random)?;
        Ok(())
    }

    /// The change group of this call.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// Whether this call only shows what it would do.
    pub fn is_dry_run(&self) -> bool {
        self.options.dry_run
    }

    /// Who acts.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Does something as a part of Drover and in a change group of its own, as the reaper does.
    pub fn as_part<T>(
        &mut self,
        part: &'static str,
        run: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let actor = std::mem::replace(&mut self.actor, Actor::Part(part));
        let group = self.group.clone();
        let result = self.new_group().and_then(|()| run(self));
        self.actor = actor;
        self.group = group;
        result
    }

    /// Refuses an agent: the verb is for people.
    pub fn people_only(&self, verb: &str) -> Result<()> {
        match &self.actor {
            Actor::Person { .. } | Actor::Part(_) => Ok(()),
            Actor::Agent(agent) => {
                Err(ActorError::PeopleOnly { verb: verb.to_owned(), agent: agent.name.clone() }
                    .into())
            }
        }
    }

    /// Who holds what the actor claims, as it is stored.
    pub fn holder(&self) -> String {
        self.actor.holder(&self.machine)
    }

    /// This machine's name.
    pub fn machine(&self) -> &str {
        &self.machine
    }

    /// `--project`.
    pub fn project_flag(&self) -> Option<&str> {
        self.options.project.as_deref()
    }

    /// Means this project from here on, as `run` does after making it.
    pub fn mean(&mut self, project: &str) {
        self.options.project = Some(project.to_owned());
    }

    /// Does something to what its own name says, whatever project the caller means.
    pub(crate) fn meaning_none<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let meant = self.options.project.take();
        let done = run(self);
        self.options.project = meant;
        done
    }

    /// The environment as it was at the start.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// What `config.toml` says; read when it is first asked for.
    pub fn config(&self) -> Result<&Config> {
        if let Some(config) = self.config.get() {
            return Ok(config);
        }
        let config = Config::read(&self.env.config_path()?)?;
        Ok(self.config.get_or_init(|| config))
    }

    /// The state directory.
    pub fn state(&self) -> &StateDir {
        &self.state
    }

    /// Where the state directory is.
    pub fn state_path(&self) -> &Path {
        self.state.path()
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The wall clock.
    pub fn now(&self) -> Timestamp {
        clock::now()
    }

    /// When a time that begins now is over.
    pub fn after(&self, time: Duration) -> Timestamp {
        self.now().saturating_add(time).unwrap_or(Timestamp::MAX)
    }

    /// Warns when secrets were removed from a text.
    pub fn note_redactions(&mut self, text: &Text) {
        if text.redactions() > 0 {
            self.warn(format!("redacted: {}", text.redactions()));
        }
    }

    /// Says something that the answer carries beside its result.
    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// The warnings so far, taken out.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The effects that a dry run would have had, taken out.
    pub fn take_effects(&mut self) -> Vec<String> {
        std::mem::take(&mut self.effects)
    }
}

/// An agent that may not write where every verb writes runs in a sandbox; a person has something to repair.
fn unwritable(env: &Env, err: StateDirError) -> OpError {
    let denied = match &err {
        StateDirError::ReadOnly { path } => Some(path),
        StateDirError::Io { path, source } if source.kind() == ErrorKind::PermissionDenied => {
            Some(path)
        }
        _ => None,
    };
    match denied.filter(|_| env.agent().is_some()) {
        Some(path) => {
            ActorError::SandboxDenies { what: format!("writing to {}", path.display()) }.into()
        }
        None => err.into(),
    }
}

fn explained(store: &Store, err: OpError) -> OpError {
    match err {
        OpError::Store(err) => OpError::Store(noticing_room(store.file(), store.explain(err))),
        other => other,
    }
}

/// SQLite says of some full disks only that a call failed.
fn noticing_room(place: &Path, err: StoreError) -> StoreError {
    match err {
        StoreError::Io { path, .. } if !state_dir::has_room(place) => StoreError::Full { path },
        other => other,
    }
}
