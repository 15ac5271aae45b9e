//! A server and what a call of ours may start it with.

use std::path::{Path, PathBuf};

use crate::env::Env;

/// Which configuration a server starts with when a call of ours starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Configuration {
    /// The person's.
    User,
    /// None, for a private server.
    None,
}

/// A tmux server, known by its socket.
#[derive(Debug, Clone)]
pub struct Tmux {
    pub(super) socket: PathBuf,
    pub(super) configuration: Configuration,
    /// What a server started by us starts with, and what a client on a terminal sees.
    pub(super) env: Env,
}

impl Tmux {
    /// The server for new panes: `DROVER_TMUX_SOCKET`, else the one around us, else the default.
    pub fn from_env(env: &Env) -> Self {
        let socket = env
            .tmux_socket()
            .or_else(|| env.surrounding_tmux_socket())
            .unwrap_or_else(|| default_socket(env));
        Self::at(env, socket)
    }

    /// The server on a recorded socket.
    pub fn at(env: &Env, socket: impl Into<PathBuf>) -> Self {
        let socket = socket.into();
        let is_private = env.tmux_socket().as_ref() == Some(&socket);
        let configuration = if is_private { Configuration::None } else { Configuration::User };
        Self { socket, configuration, env: env.clone() }
    }

    /// The directory of the socket, if it is the one that tmux itself would use.
    pub(super) fn default_directory(&self) -> Option<&Path> {
        if self.socket == default_socket(&self.env) { self.socket.parent() } else { None }
    }

    pub(super) fn socket_path(&self) -> &Path {
        &self.socket
    }
}

/// Where tmux itself would look.
fn default_socket(env: &Env) -> PathBuf {
    let directory = env.get("TMUX_TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let user = rustix::process::getuid().as_raw();
    directory.join(format!("tmux-{user}")).join("default")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&str, &str)], expected: &str) {
        let env = pairs.iter().map(|(name, value)| (name.into(), value.into())).collect();
        assert_eq!(Tmux::from_env(&env).socket_path(), Path::new(expected));
    }

    #[test]
    fn the_socket_is_the_private_one_else_the_surrounding_one_else_the_default() {
        let user = rustix::process::getuid().as_raw();
        let around = ("TMUX", "/tmp/tmux-1/other,12,0");
        check(&[("DROVER_TMUX_SOCKET", "/p/s"), around], "/p/s");
        check(&[around], "/tmp/tmux-1/other");
        check(&[("TMUX_TMPDIR", "/run/me")], &format!("/run/me/tmux-{user}/default"));
        check(&[], &format!("/tmp/tmux-{user}/default"));
    }
}
