//! `agent list` over many live panes, to the one tmux call it needs.

use crate::measure::{Row, interleaved};
use crate::place::{place, time};

const FIELDS: [&str; 18] = [
    "pid",
    "pane_id",
    "window_id",
    "session_id",
    "pane_pid",
    "pane_dead",
    "pane_dead_status",
    "pane_dead_signal",
    "pane_dead_time",
    "pane_in_mode",
    "session_attached",
    "window_active",
    "pane_active",
    "pane_tty",
    "@drover_uid",
    "@drover_state",
    "pane_start_command",
    "pane_current_command",
];

/// The row of the panes.
pub(crate) fn rows(panes: usize) -> Vec<Row> {
    let env = place();
    for number in 0..panes {
        let name = format!("w{number}");
        env.drover(&["agent", "spawn", &name, "-p", "bench", "--command", "sleep 100000"]).ok();
    }
    // The fields that a listing needs, each behind a separator as it is asked for.
    let format: String = FIELDS.iter().flat_map(|it| ["0123456789abcdef|#{", it, "}"]).collect();
    let socket = env.tmux_server().socket().to_owned();
    let [tmux, list] = interleaved(
        20,
        [
            &mut || {
                let mut command = env.command("tmux");
                command.arg("-S").arg(&socket).args(["list-panes", "-a", "-F", &format]);
                time(&mut command)
            },
            &mut || {
                let mut command = env.command(env.binary());
                command.args(["agent", "list", "-p", "bench", "--json"]);
                time(&mut command)
            },
        ],
    );
    vec![Row::ratio(format!("agent list, {panes} live panes, to one tmux call"), list, tmux, 3.0)]
}
