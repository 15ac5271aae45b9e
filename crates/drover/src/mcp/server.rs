//! What the protocol asks of a server: who it is, which tools there are, and their calls.

use std::time::Duration;

use drover_ops::waiting::Signals;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::interval;

use super::caller::Caller;
use super::tools::{self, Verb};
use super::words;
use crate::cli::{self, Global};
use crate::input::Input;
use crate::output::failure;
use crate::perform::{self, Answered};

/// How often a client that wants to know is told that a call is still going on.
const PROGRESS: Duration = Duration::from_secs(3);

const INSTRUCTIONS: &str = "Drover runs a crew of coding agents over one graph of tasks. Each tool is \
a verb of the `drover` command and answers with the same JSON: `ok`, `outcome`, `data`, and under \
`next` the commands that go on from there. Start with `state` (what needs somebody), `task_next` \
(what can start) or `me_show` (who you are and what you hold); `skill` has the guide. A call that \
waits can be cancelled.";

/// The verbs as tools, for the one who runs this process.
#[derive(Debug, Clone)]
pub(super) struct Server {
    /// The flags that the server was started with: they hold where a call says nothing.
    pub(super) global: Global,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("drover", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let global = self.global.clone();
        let listed = spawn_blocking(move || tools_for(&Caller::find(&global))).await;
        listed.map(ListToolsResult::with_all_items).map_err(|err| broken(&err))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(verb) = tools::find(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!("no tool is called {:?}", request.name),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        words::of(verb, &arguments).map_err(|it| ErrorData::invalid_params(it, None))?;
        let stop =
            Signals::new().map_err(|err| ErrorData::internal_error(err.to_string(), None))?;
        let (global, heeded) = (self.global.clone(), stop.clone());
        let call = spawn_blocking(move || heeded.heeded(|| carry_out(&global, verb, arguments)));
        let (envelope, exit) = ended(call, &stop, verb, &context).await?;
        let result = if exit == 0 {
            CallToolResult::structured(envelope)
        } else {
            CallToolResult::structured_error(envelope)
        };
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // What the protocol knows arrives here only when its parameters are not what they have to be.
        let is_known =
            ["tools/call", "tools/list", "initialize"].contains(&request.method.as_str());
        Err(if is_known {
            ErrorData::invalid_params(format!("the parameters of {} are off", request.method), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)
        })
    }
}

/// The tools that are for this caller.
pub(super) fn tools_for(caller: &Caller) -> Vec<Tool> {
    tools::all().iter().filter(|it| caller.may(it)).map(Verb::told).collect()
}

/// Waits for a call to end, says that it goes on, and has it stop when the client does not want it any more.
async fn ended(
    mut call: JoinHandle<(Value, u8)>,
    stop: &Signals,
    verb: &Verb,
    context: &RequestContext<RoleServer>,
) -> Result<(Value, u8), ErrorData> {
    let token = context.meta.get_progress_token();
    let mut ticks = interval(PROGRESS);
    ticks.tick().await;
    let mut seconds = 0;
    loop {
        tokio::select! {
            ended = &mut call => return ended.map_err(|err| broken(&err)),
            () = context.ct.cancelled() => {
                stop.stop();
                return call.await.map_err(|err| broken(&err));
            }
            _ = ticks.tick() => {
                seconds += PROGRESS.as_secs();
                if let Some(token) = token.clone() {
                    let progress = f64::from(u32::try_from(seconds).unwrap_or(u32::MAX));
                    let told = ProgressNotificationParam::new(token, progress)
                        .with_message(format!("{} has gone on for {seconds} s", verb.name));
                    // Who cannot be told will not hear the answer either.
                    let _ = context.peer.notify_progress(told).await;
                }
            }
        }
    }
}

/// Makes the call as the command line would, and returns its JSON and its exit code.
fn carry_out(server: &Global, verb: &Verb, mut arguments: Map<String, Value>) -> (Value, u8) {
    if let Err(spoken) = Caller::find(server).place(verb, &mut arguments) {
        return (failure(&spoken, &crate::output::Around::default()), spoken.exit());
    }
    let answered = match words::of(verb, &arguments) {
        Ok(call) => answer(server, &call),
        Err(off) => Answered::refused(&drover_ops::OpError::Usage(off)),
    };
    (answered.envelope(), answered.exit())
}

fn answer(server: &Global, call: &words::Words) -> Answered {
    let parsed = match cli::parse(&call.words) {
        Ok(parsed) => parsed,
        Err(err) => {
            let text = err.render().to_string();
            let sentence = text.trim_start_matches("error: ").trim_end().to_owned();
            return Answered::refused(&drover_ops::OpError::Usage(sentence));
        }
    };
    let Some(verb) = parsed.verb else {
        return Answered::refused(&drover_ops::OpError::Usage("that is no verb".to_owned()));
    };
    let mut global = parsed.global;
    global.project = global.project.or_else(|| server.project.clone());
    global.actor.clone_from(&server.actor);
    let input = Input::of_message(call.stdin.clone());
    match perform::open(&global, verb.as_ref()) {
        Ok(mut ctx) => perform::carry_out(&mut ctx, verb.as_ref(), (&call.words, &input)),
        Err(answered) => *answered,
    }
}

/// A call that ended without an answer, which is a fault of ours.
fn broken(err: &tokio::task::JoinError) -> ErrorData {
    ErrorData::internal_error(format!("the call broke off: {err}"), None)
}
