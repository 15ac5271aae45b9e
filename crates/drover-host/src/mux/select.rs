//! Which multiplexer is meant: for new panes by the environment, for others by their row.

use std::path::Path;

use super::Mux;
use super::error::MuxError;
use super::tmux::Tmux;
use crate::env::Env;

/// The server in which new panes are made: `DROVER_MUX` names the backend, tmux where it does not.
pub fn for_new_panes(env: &Env) -> Result<Box<dyn Mux>, MuxError> {
    match env.mux() {
        None | Some("tmux") => Ok(Box::new(Tmux::from_env(env))),
        Some(other) => Err(MuxError::Unknown { name: other.to_owned() }),
    }
}

/// The server that a row names by backend and socket.
pub fn recorded(env: &Env, backend: &str, socket: &Path) -> Result<Box<dyn Mux>, MuxError> {
    match backend {
        "tmux" => Ok(Box::new(Tmux::at(env, socket))),
        other => Err(MuxError::Unknown { name: other.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_that_is_not_known_is_refused_by_name() {
        let mut env = Env::default();
        assert_eq!(for_new_panes(&env).unwrap().name(), "tmux");
        env.set("DROVER_MUX", "screen");
        let Err(error) = for_new_panes(&env) else { panic!("accepted") };
        assert_eq!(error.to_string(), "screen is not a multiplexer drover can use (known: tmux)");
        let mux = recorded(&env, "tmux", Path::new("/s")).unwrap();
        assert_eq!(mux.socket(), Path::new("/s"));
        assert!(recorded(&env, "screen", Path::new("/s")).is_err());
    }
}
