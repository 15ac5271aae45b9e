// drover-extension 1
//
// Drover's extension for pi: a control socket inside the agent, reminders, and delegates. One file, no build
// step; pi loads it with `-e`. The protocol is described in docs/design/pi.md.
//
// Without DROVER_CONTROL no socket is served. Nothing here uses the network, and nothing waits without a bound.
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as childProcess from "node:child_process";
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as net from "node:net";
import * as path from "node:path";

/** What Drover compares with its own; the first line of this file says the same. */
export const EXTENSION = 1;
/** The version of the protocol, in every request and every answer. */
export const PROTOCOL = 1;

const OPS = ["hello", "status", "send", "recall", "wait", "abort", "interrupt", "fresh", "command"];

/** A path that every system's socket address has room for. */
const MOST_PATH_BYTES = 103;
const MOST_LINE_BYTES = 16 << 20;
const MOST_TEXT_BYTES = 4 << 20;
const MOST_LAST_BYTES = 64 << 10;
const MOST_WORDS = 2_000;
const MOST_CONNECTIONS = 64;
const MOST_KEPT_MESSAGES = 256;
const PROBE_MS = 500;
const TAKE_MS = 10_000;
const SWITCH_MS = 30_000;
const SETTLE_MS = 10_000;
const MOST_WAIT_MS = 24 * 3_600_000;
const CALL_MS = 2_000;
const IDLE_CALL_MS = 120_000;

type Json = Record<string, any>;
type State = "starting" | "trust" | "dialog" | "busy" | "idle";
type Live = { pi: ExtensionAPI; ctx: ExtensionContext };
type Last = { turn: number; stop: string | null; text: string | null; error: string | null; aborted: boolean; at: number };
type Answer = Json & { ok: boolean };

/** A text that somebody had us send, known by its id so that a repeat is answered and not sent again. */
type Offered = {
	id: string;
	text: string;
	sawInput: boolean;
	answer: Answer | undefined;
	settled: Promise<Answer>;
	settle: (answer: Answer) => void;
};

/** All that outlives `/new` and `/reload`, which load this module anew. */
type Control = {
	instance: string;
	/** The copy of this module that serves the session; others that are loaded beside it stay inert. */
	owner: object | undefined;
	copies: Map<object, number>;
	live: Live | undefined;
	handle: (request: Json) => Promise<Answer>;
	server: net.Server | undefined;
	connections: Set<net.Socket>;
	path: string | undefined;
	inode: number | undefined;
	binding: Promise<void> | undefined;
	nested: boolean;
	state: State;
	since: number;
	turns: number;
	last: Last | undefined;
	run: { text: string | null; error: string | null; stop: string | null };
	dialog: { kind: string; title: string; since: number } | undefined;
	trust: string | undefined;
	failing: { error: string; since: number } | undefined;
	offered: Map<string, Offered>;
	waiters: Set<() => void>;
	operation: string | undefined;
	fresh: Offered | undefined;
	starts: Set<(reason: string) => void>;
	idleCall: { again: boolean } | undefined;
	reminded: { held: boolean; crew: boolean };
	/** Projects in which work was handed out since the last prompt; `""` is the usual one. */
	handedOut: Set<string>;
	delegates: Map<string, Delegate>;
	/** What is still to be told about delegates whose session has ended. */
	farewell: string[];
};

/** A helper that was asked from this session, and the call that waits for its answer. */
type Delegate = { name: string; state: string; begun: number; waiting: childProcess.ChildProcess | undefined };

const KEY = Symbol.for("drover.control.1");

function control(): Control {
	const world = globalThis as any;
	return (world[KEY] ??= {
		instance: crypto.randomBytes(8).toString("hex"),
		owner: undefined,
		copies: new Map(),
		live: undefined,
		handle: async () => failure("no_session", "pi has no session yet"),
		server: undefined,
		connections: new Set(),
		path: undefined,
		inode: undefined,
		binding: undefined,
		nested: false,
		state: "starting",
		since: Date.now(),
		turns: 0,
		last: undefined,
		run: { text: null, error: null, stop: null },
		dialog: undefined,
		trust: undefined,
		failing: undefined,
		offered: new Map(),
		waiters: new Set(),
		operation: undefined,
		fresh: undefined,
		starts: new Set(),
		idleCall: undefined,
		reminded: { held: false, crew: false },
		handedOut: new Set(),
		delegates: new Map(),
		farewell: [],
	} satisfies Control);
}

// --- small helpers ---------------------------------------------------------------------------------------

const failure = (error: string, detail: string, more: Json = {}): Answer => ({ ok: false, error, detail, ...more });

const words = (error: unknown): string => cut(error instanceof Error ? error.message : String(error), MOST_WORDS);

/** The text of a message's content, its other parts left out. */
export function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.filter((it) => it?.type === "text").map((it) => String(it.text ?? "")).join("");
}

/** At most so many bytes of UTF-8, cut between two code points, with a line that says so. */
export function cut(text: string, most: number): string {
	const bytes = Buffer.from(text, "utf8");
	if (bytes.length <= most) return text;
	const mark = `\n[cut: ${bytes.length} bytes in all]`;
	let end = Math.max(0, most - Buffer.byteLength(mark));
	while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
	return bytes.subarray(0, end).toString("utf8") + mark;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The number of a request's field, within its bounds. */
function bounded(value: unknown, fallback: number, most: number): number {
	return typeof value === "number" && value >= 0 ? Math.min(value, most) : Math.min(fallback, most);
}

/** pi's own version, from the package that the running program belongs to. */
function piVersion(): string | null {
	try {
		let folder = path.dirname(fs.realpathSync(process.argv[1] ?? ""));
		for (let depth = 0; depth < 5; depth += 1, folder = path.dirname(folder)) {
			const file = path.join(folder, "package.json");
			if (!fs.existsSync(file)) continue;
			const version = JSON.parse(fs.readFileSync(file, "utf8")).version;
			if (typeof version === "string") return version;
		}
	} catch {}
	return null;
}

// --- what pi is doing ------------------------------------------------------------------------------------

function stateNow(g: Control): State {
	if (g.trust !== undefined) return "trust";
	if (!g.live) return "starting";
	if (g.dialog) return "dialog";
	return isBusy(g) ? "busy" : "idle";
}

function isBusy(g: Control): boolean {
	// pi still says that it is idle for a moment after it was given a text.
	return !g.live!.ctx.isIdle() || [...g.offered.values()].some((it) => !it.answer);
}

/** Notes a change of state, wakes those who wait for one, and has due messages delivered when it is idle. */
function changed(g: Control): void {
	const now = stateNow(g);
	const before = g.state;
	if (now !== before) {
		g.state = now;
		g.since = Date.now();
	}
	wake();
	for (const waiter of [...g.waiters]) waiter();
	if (now === "idle" && before !== "idle") callWhenIdle(g);
}

/** Whoever watches this file looks again. */
function wake(): void {
	const state = process.env.DROVER_STATE_DIR;
	if (!state || control().nested) return;
	try {
		const now = new Date();
		fs.utimesSync(path.join(state, "wake"), now, now);
	} catch {}
}

/** Starts Drover's delivery of due messages, one call at a time. */
function callWhenIdle(g: Control): void {
	const program = process.env.DROVER_BINARY;
	const agent = process.env.DROVER_AGENT_UID;
	if (!program || !agent || g.nested) return;
	if (g.idleCall) {
		g.idleCall.again = true;
		return;
	}
	const call = { again: false };
	g.idleCall = call;
	// The agent's token is not for this call: it speaks for Drover, not for the agent.
	const { DROVER_TOKEN: _token, ...env } = process.env;
	const over = () => {
		if (g.idleCall !== call) return;
		g.idleCall = undefined;
		if (call.again && g.live && stateNow(g) === "idle") callWhenIdle(g);
	};
	try {
		const child = childProcess.spawn(program, ["agent-idle", agent], { detached: true, stdio: "ignore", env, cwd: "/" });
		child.on("error", over);
		child.on("exit", over);
		child.unref();
		setTimeout(() => {
			if (g.idleCall === call) child.kill("SIGKILL");
		}, IDLE_CALL_MS).unref();
	} catch {
		over();
	}
}

function status(g: Control): Json {
	const { ctx, pi } = g.live ?? {};
	const model = ctx?.model;
	return {
		agent: process.env.DROVER_AGENT_UID ?? null,
		pid: process.pid,
		instance: g.instance,
		extension: EXTENSION,
		state: stateNow(g),
		since: g.since,
		turns: g.turns,
		pending: ctx?.hasPendingMessages() ?? false,
		dialog: g.trust !== undefined ? { kind: "trust", title: g.trust, since: g.since } : (g.dialog ?? null),
		failing: g.failing ?? null,
		model: model ? `${model.provider}/${model.id}` : null,
		thinking: pi?.getThinkingLevel() ?? null,
		session: ctx?.sessionManager.getSessionId() ?? null,
		file: ctx?.sessionManager.getSessionFile() ?? null,
		cwd: ctx?.cwd ?? process.cwd(),
		last: g.last ?? null,
	};
}

// --- operations ------------------------------------------------------------------------------------------

async function handle(request: Json): Promise<Answer> {
	const g = control();
	switch (request.op) {
		case "hello":
			return { ok: true, agent: process.env.DROVER_AGENT_UID ?? null, pid: process.pid, instance: g.instance, extension: EXTENSION, pi: piVersion(), ops: OPS };
		case "status":
			return { ok: true, ...status(g) };
		case "wait":
			return wait(g, request);
		case "send":
			return send(g, request);
		case "recall":
			return repeated(g, request) ?? failure("unknown_message", "no such text was offered, or it is long ago");
		case "abort":
			return abort(g, request);
		case "interrupt":
			return alone(g, "interrupt", () => interrupt(g, request));
		case "fresh":
			return alone(g, "fresh", () => fresh(g, request));
		case "command":
			return alone(g, "command", () => command(g, request));
		default:
			return failure("unknown_op", `there is no operation ${JSON.stringify(request.op)}`, { ops: OPS });
	}
}

/** One of the operations that replace or stop something at a time. */
async function alone(g: Control, name: string, operation: () => Promise<Answer>): Promise<Answer> {
	if (g.operation) return failure("in_flight", `${g.operation} is under way`);
	g.operation = name;
	try {
		return await operation();
	} finally {
		g.operation = undefined;
	}
}

/** Answers once a turn with a number above `after` has ended, or at the end of its time. */
function wait(g: Control, request: Json): Promise<Answer> {
	const after = bounded(request.after, g.turns, Number.MAX_SAFE_INTEGER);
	return new Promise((resolve) => {
		const look = () => {
			if (g.turns > after) over({ ok: true, ...status(g) });
		};
		const over = (answer: Answer) => {
			clearTimeout(timer);
			g.waiters.delete(look);
			resolve(answer);
		};
		const late = () => over(failure("timeout", `no turn above ${after} ended in time`, status(g)));
		const timer = setTimeout(late, bounded(request.timeout_ms, 60_000, MOST_WAIT_MS));
		if (g.waiters.size >= MOST_CONNECTIONS) return over(failure("too_many", "too many wait already"));
		g.waiters.add(look);
		look();
	});
}

/** Whether pi became idle in time. */
function untilIdle(g: Control, ms: number): Promise<boolean> {
	return new Promise((resolve) => {
		const look = () => {
			if (g.live && stateNow(g) === "idle") over(true);
		};
		const over = (isIdle: boolean) => {
			clearTimeout(timer);
			clearInterval(ticking);
			g.waiters.delete(look);
			resolve(isIdle);
		};
		const timer = setTimeout(() => over(false), ms);
		// The end of a compaction has no event of its own when it was stopped early.
		const ticking = setInterval(look, 50);
		g.waiters.add(look);
		look();
	});
}

/** What stands against sending, by the mode; nothing was sent where this says something. */
function obstacle(g: Control, request: Json, needsIdle: boolean): Answer | undefined {
	if (request.instance !== undefined && request.instance !== g.instance)
		return failure("other_instance", "the pi that was asked before has ended");
	if (typeof request.text !== "string" || request.text.trim() === "") return failure("bad_request", "text is missing");
	if (Buffer.byteLength(request.text) > MOST_TEXT_BYTES) return failure("too_long", `a text has ${MOST_TEXT_BYTES} bytes at most`);
	if (typeof request.message !== "string" || request.message === "" || request.message.length > 128)
		return failure("bad_request", "message, the id of the text, is missing");
	const state = stateNow(g);
	if (state === "trust" || state === "dialog") return failure("dialog", g.trust ?? g.dialog?.title ?? "a dialog stands");
	if (!g.live || state === "starting") return failure("no_session", "pi has no session yet");
	if (!g.live.ctx.model) return failure("no_model", "pi has no model: log in, or choose one");
	if (needsIdle && state === "busy") return failure("busy", "a turn is running");
	return undefined;
}

async function send(g: Control, request: Json): Promise<Answer> {
	const known = repeated(g, request);
	if (known) return known;
	const mode = request.mode ?? "none";
	if (!["none", "steer", "followUp"].includes(mode)) return failure("bad_request", `there is no mode ${JSON.stringify(mode)}`);
	const refused = obstacle(g, request, mode === "none");
	if (refused) return refused;
	return give(g, request.message, request.text, mode === "steer" ? "steer" : "followUp");
}

/** The answer to a text that was offered before. */
function repeated(g: Control, request: Json): Promise<Answer> | undefined {
	if (request.instance !== undefined && request.instance !== g.instance) return undefined;
	const known = typeof request.message === "string" ? g.offered.get(request.message) : undefined;
	return known?.settled.then((answer) => ({ ...answer, repeated: true }));
}

function offer(g: Control, id: string, text: string): Offered {
	for (const [old, it] of g.offered) {
		if (g.offered.size < MOST_KEPT_MESSAGES) break;
		if (it.answer) g.offered.delete(old);
	}
	let resolve!: (answer: Answer) => void;
	const settled = new Promise<Answer>((it) => (resolve = it));
	const offered: Offered = { id, text, sawInput: false, answer: undefined, settled, settle: () => {} };
	offered.settle = (answer) => {
		if (offered.answer) return;
		offered.answer = answer;
		offered.text = "";
		resolve(answer);
		changed(g);
	};
	g.offered.set(id, offered);
	return offered;
}

/** Gives pi a text, and answers when pi has it: in a turn that began, or in its queue. */
async function give(g: Control, id: string, text: string, deliverAs: "steer" | "followUp"): Promise<Answer> {
	const wasBusy = isBusy(g);
	const offered = offer(g, id, text);
	changed(g);
	try {
		// Named also while pi is idle: whatever a person starts in this very moment, nothing is lost.
		g.live!.pi.sendUserMessage(text, { deliverAs });
	} catch (error) {
		offered.settle(failure("not_taken", words(error)));
		return offered.settled;
	}
	return taken(g, offered, wasBusy);
}

async function taken(g: Control, offered: Offered, mayQueue: boolean): Promise<Answer> {
	const until = Date.now() + TAKE_MS;
	while (!offered.answer && Date.now() < until) {
		await Promise.race([offered.settled, sleep(20)]);
		if (!offered.answer && mayQueue && offered.sawInput && g.live?.ctx.hasPendingMessages())
			offered.settle({ ok: true, disposition: "queued", turn: g.turns + 1, message: offered.id, session: sessionId(g) });
	}
	const why = offered.sawInput ? "pi began no turn with it" : "pi did not take it as input";
	offered.settle(failure("not_taken", `${why} within ${TAKE_MS / 1000} s`));
	return offered.settled;
}

const sessionId = (g: Control): string | null => g.live?.ctx.sessionManager.getSessionId() ?? null;

/** A message of the user's has entered the conversation: perhaps one of ours. */
function userMessageBegan(g: Control, text: string): void {
	const waiting = [...g.offered.values()].filter((it) => !it.answer);
	const ours = waiting.find((it) => it.text === text) ?? waiting.find((it) => it.sawInput && text.includes(it.text));
	ours?.settle({ ok: true, disposition: "started", turn: g.turns + 1, message: ours.id, session: sessionId(g) });
}

async function abort(g: Control, request: Json): Promise<Answer> {
	if (!g.live) return failure("no_session", "pi has no session yet");
	const was = stateNow(g);
	if (was === "dialog") return failure("dialog", g.dialog?.title ?? "a dialog stands, and only its answer ends it");
	const pending = g.live.ctx.hasPendingMessages();
	if (was === "busy") g.live.ctx.abort();
	const settled = was !== "busy" || (await untilIdle(g, bounded(request.timeout_ms, 0, MOST_WAIT_MS)));
	return { ok: true, was, was_pending: pending, settled, ...status(g) };
}

async function interrupt(g: Control, request: Json): Promise<Answer> {
	const known = repeated(g, request);
	if (known) return known;
	const refused = obstacle(g, request, false);
	if (refused) return refused;
	const stopped = await abort(g, { timeout_ms: bounded(request.timeout_ms, SETTLE_MS, SWITCH_MS) });
	if (!stopped.ok) return stopped;
	if (!stopped.settled) return failure("timeout", "the turn did not stop in time; nothing was sent");
	const late = obstacle(g, request, true);
	if (late) return late;
	const given = await give(g, request.message, request.text, "followUp");
	return { ...given, was: stopped.was, was_pending: stopped.was_pending };
}

/** A new session that begins with this text; a running turn is stopped first. */
async function fresh(g: Control, request: Json): Promise<Answer> {
	const known = repeated(g, request);
	if (known) return known;
	const refused = obstacle(g, request, false);
	if (refused) return refused;
	const stopped = await abort(g, { timeout_ms: SETTLE_MS });
	if (!stopped.ok) return stopped;
	if (!stopped.settled) return failure("timeout", "the turn did not stop in time; nothing was sent");
	const offered = offer(g, request.message, request.text);
	g.fresh = offered;
	const timer = setTimeout(() => offered.settle(failure("not_taken", "no new session began in time")), SWITCH_MS);
	try {
		run(g, "fresh");
		return await offered.settled;
	} finally {
		clearTimeout(timer);
		g.fresh = undefined;
	}
}

async function command(g: Control, request: Json): Promise<Answer> {
	if (!g.live) return failure("no_session", "pi has no session yet");
	const { name } = request;
	if (!["new", "reload", "compact"].includes(name)) return failure("bad_request", `there is no command ${JSON.stringify(name)}`);
	const state = stateNow(g);
	if (state === "dialog") return failure("dialog", g.dialog?.title ?? "a dialog stands");
	if (state === "busy" && !request.force) return failure("busy", "a turn is running");
	if (state === "busy" && !(await abort(g, { timeout_ms: SETTLE_MS })).settled) return failure("timeout", "the turn did not stop in time");
	if (name === "compact") return compact(g, typeof request.instructions === "string" ? request.instructions : undefined);
	const started = new Promise<boolean>((resolve) => {
		const look = (reason: string) => {
			if (reason === name) over(true);
		};
		const over = (did: boolean) => {
			clearTimeout(timer);
			g.starts.delete(look);
			resolve(did);
		};
		const timer = setTimeout(() => over(false), SWITCH_MS);
		g.starts.add(look);
	});
	run(g, name);
	return (await started) ? { ok: true, ...status(g) } : failure("timeout", `${name} did not happen in time`);
}

/** Answers when the compaction began, or with pi's refusal. */
function compact(g: Control, instructions: string | undefined): Promise<Answer> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => resolve(failure("timeout", "no compaction began in time")), SWITCH_MS);
		const over = (answer: Answer) => {
			clearTimeout(timer);
			resolve(answer);
			changed(g);
		};
		g.live!.ctx.compact({
			customInstructions: instructions,
			onComplete: () => over({ ok: true, ...status(g) }),
			onError: (error: Error) => over(failure("refused", words(error))),
		});
		const look = () => {
			if (!g.live?.ctx.isIdle()) over({ ok: true, ...status(g) });
		};
		setTimeout(look, 100);
	});
}

/** What only a command may do in pi is done by one of ours; another copy of it serves as well. */
const COMMAND = "drover-control";

function run(g: Control, what: string): void {
	const { pi } = g.live!;
	const name = pi.getCommands().map((it) => it.name).find((it) => it === COMMAND || it.startsWith(`${COMMAND}:`)) ?? COMMAND;
	pi.sendUserMessage(`/${name} ${what}`, { expandPromptTemplates: true });
}

async function carryOut(what: string, ctx: ExtensionCommandContext): Promise<void> {
	const g = control();
	const offered = g.fresh;
	if (what === "reload") return ctx.reload();
	if (what === "new") {
		await ctx.newSession();
		return;
	}
	if (what !== "fresh" || !offered || offered.answer) {
		ctx.ui.notify("this command is for Drover", "warning");
		return;
	}
	const made = await ctx.newSession({
		withSession: async (next) => {
			if (!offered.answer) await next.sendUserMessage(offered.text, { deliverAs: "followUp" });
		},
	});
	if (made.cancelled) offered.settle(failure("refused", "another extension kept the session"));
}

// --- the socket ------------------------------------------------------------------------------------------

/** Serves the socket at its public path, unless a process that lives does. */
async function bind(g: Control, target: string): Promise<void> {
	if (g.server && g.path === target && inodeOf(target) === g.inode) return;
	closeServer(g);
	const own = `${target}.${process.pid}`;
	if (Buffer.byteLength(own) > MOST_PATH_BYTES) return complain(`${own} is too long for a socket: ${MOST_PATH_BYTES} bytes at most`);
	if (!(await isFree(target))) {
		g.nested = true;
		return;
	}
	remove(own);
	const server = net.createServer((socket) => accept(g, socket));
	const listening = new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(own, resolve);
	});
	try {
		await listening;
		fs.chmodSync(own, 0o600);
		// A name of its own first: whoever comes second finds the public name taken and takes nothing away.
		fs.linkSync(own, target);
	} catch (error) {
		server.close();
		remove(own);
		if ((error as NodeJS.ErrnoException).code === "EEXIST") g.nested = true;
		else complain(`the control socket ${target} cannot be served: ${words(error)}`);
		return;
	}
	g.inode = inodeOf(own);
	remove(own);
	server.on("error", () => {});
	server.unref();
	Object.assign(g, { server, path: target, nested: false });
}

/** Whether the path may be taken; what a process that is gone left there is removed. */
async function isFree(target: string): Promise<boolean> {
	const before = inodeOf(target);
	if (before === undefined) return true;
	if (!fs.lstatSync(target).isSocket()) {
		complain(`${target} is not a socket`);
		return false;
	}
	if (await answers(target)) return false;
	if (inodeOf(target) === before) remove(target);
	return true;
}

/** Whether somebody listens; no answer in time counts as one who does. */
function answers(target: string): Promise<boolean> {
	return new Promise((resolve) => {
		const probe = net.connect(target);
		const over = (isLive: boolean) => {
			clearTimeout(timer);
			probe.destroy();
			resolve(isLive);
		};
		const timer = setTimeout(() => over(true), PROBE_MS);
		probe.on("connect", () => over(true));
		probe.on("error", (error: NodeJS.ErrnoException) => over(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"));
	});
}

function accept(g: Control, socket: net.Socket): void {
	socket.on("error", () => socket.destroy());
	if (g.connections.size >= MOST_CONNECTIONS) {
		socket.end(`${JSON.stringify({ v: PROTOCOL, ...failure("too_many", "too many connections") })}\n`);
		return;
	}
	g.connections.add(socket);
	socket.on("close", () => g.connections.delete(socket));
	let parts: Buffer[] = [];
	let held = 0;
	socket.on("data", (data: Buffer) => {
		let rest = data;
		for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
			const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString("utf8");
			[parts, held, rest] = [[], 0, rest.subarray(end + 1)];
			if (line.trim() !== "") void answer(g, socket, line);
		}
		parts.push(rest);
		held += rest.length;
		if (held > MOST_LINE_BYTES) {
			write(socket, failure("too_long", `a line has ${MOST_LINE_BYTES} bytes at most`));
			// Whoever goes on writing is heard no longer, and soon cut off.
			[parts, held] = [[], 0];
			socket.removeAllListeners("data");
			socket.resume();
			socket.end();
			setTimeout(() => socket.destroy(), 1000).unref();
		}
	});
}

async function answer(g: Control, socket: net.Socket, line: string): Promise<void> {
	let id: unknown = null;
	try {
		const request = JSON.parse(line);
		if (typeof request !== "object" || request === null || Array.isArray(request)) throw new Error("not an object");
		id = request.id ?? null;
		if (request.v !== PROTOCOL) {
			write(socket, failure("version", `this extension speaks version ${PROTOCOL}`, { id }));
			return;
		}
		write(socket, { id, ...(await g.handle(request)) });
	} catch (error) {
		write(socket, failure("bad_request", words(error), { id }));
	}
}

function write(socket: net.Socket, reply: Json): void {
	if (socket.destroyed || !socket.writable) return;
	socket.write(`${JSON.stringify({ v: PROTOCOL, ...reply })}\n`);
	if (socket.writableLength > 2 * MOST_LINE_BYTES) socket.destroy();
}

function closeServer(g: Control): void {
	const { server, path: target, inode } = g;
	Object.assign(g, { server: undefined, path: undefined, inode: undefined });
	if (!server) return;
	for (const socket of g.connections) socket.end();
	server.close();
	if (target && inodeOf(target) === inode) remove(target);
}

function inodeOf(file: string): number | undefined {
	try {
		return fs.lstatSync(file).ino;
	} catch {
		return undefined;
	}
}

function remove(file: string): void {
	try {
		fs.unlinkSync(file);
	} catch {}
}

function complain(what: string): void {
	const { live } = control();
	if (live?.ctx.hasUI) live.ctx.ui.notify(`drover: ${what}`, "error");
	else process.stderr.write(`drover: ${what}\n`);
}

// --- pi's events -----------------------------------------------------------------------------------------

/** Makes one copy of this module, of all that are loaded in this process, the one that serves the session. */
function own(pi: ExtensionAPI, g: Control, began: (reason: string) => Promise<void>): () => boolean {
	const me = {};
	g.copies.set(me, EXTENSION);
	const mine = () => g.owner === me;
	pi.on("session_start", async (event, ctx) => {
		// Of two copies, as of a linked one beside ours, the newest serves.
		if (g.owner || Math.max(...g.copies.values()) > EXTENSION) return;
		g.owner = me;
		Object.assign(g, { live: { pi, ctx }, handle, trust: undefined, dialog: undefined, failing: undefined });
		await began(event.reason);
	});
	pi.on("session_shutdown", (event) => {
		g.copies.delete(me);
		if (!mine()) return;
		g.owner = undefined;
		g.live = undefined;
		if (event.reason !== "reload") leaveDelegates(g, event.reason === "quit");
		if (event.reason !== "quit") return changed(g);
		for (const it of g.offered.values()) it.settle(failure("ended", "pi ended"));
		closeServer(g);
		wake();
	});
	return mine;
}

function serve(pi: ExtensionAPI, g: Control, target: string): () => boolean {
	pi.registerCommand(COMMAND, {
		description: "used by Drover",
		handler: (args: string, ctx: ExtensionCommandContext) => carryOut(args.trim(), ctx),
	});
	pi.on("project_trust", async (event) => {
		// The person is asked before there is a session; what they are asked is told from here on.
		if (!g.live) {
			g.trust = `Trust project folder? ${event.cwd}`;
			g.handle = handle;
			await (g.binding ??= bind(g, target));
			changed(g);
		}
		return { trusted: "undecided" };
	});
	const mine = own(pi, g, async (reason) => {
		await g.binding;
		g.binding = bind(g, target);
		await g.binding;
		for (const look of [...g.starts]) look(reason);
		registerDelegates(pi, g);
		changed(g);
	});
	watchTurns(pi, g, mine);
	watchDialogs(pi, g, mine);
	process.once("exit", () => closeServer(g));
	return mine;
}

function watchTurns(pi: ExtensionAPI, g: Control, mine: () => boolean): void {
	pi.on("input", (event) => {
		if (!mine() || event.source !== "extension") return;
		const ours = [...g.offered.values()].find((it) => !it.answer && it.text === event.text);
		if (ours) ours.sawInput = true;
	});
	pi.on("agent_start", () => {
		if (mine()) changed(g);
	});
	pi.on("message_start", (event) => {
		if (mine() && event.message.role === "user") userMessageBegan(g, textOf(event.message.content));
	});
	pi.on("message_end", (event) => {
		if (!mine() || event.message.role !== "assistant") return;
		const { stopReason, errorMessage, content } = event.message;
		const error = stopReason === "error" ? cut(errorMessage ?? "unknown error", MOST_LAST_BYTES) : null;
		g.run = { text: cut(textOf(content), MOST_LAST_BYTES) || null, error, stop: stopReason ?? null };
		g.failing = error === null ? undefined : { error: cut(error, MOST_WORDS), since: g.failing?.since ?? Date.now() };
		if (error !== null) changed(g);
	});
	pi.on("agent_settled", (event) => {
		if (!mine()) return;
		g.turns += 1;
		const aborted = event.aborted === true;
		g.last = { turn: g.turns, ...g.run, error: g.run.error ?? (aborted ? "aborted" : null), aborted, at: Date.now() };
		g.run = { text: null, error: null, stop: null };
		g.failing = undefined;
		changed(g);
	});
	for (const event of ["session_before_compact", "session_compact", "session_compact_failed"] as const) {
		(pi.on as any)(event, () => {
			// pi says that it compacts, or no longer does, only after this.
			if (mine()) setTimeout(() => g.live && changed(g), 10).unref();
		});
	}
}

function watchDialogs(pi: ExtensionAPI, g: Control, mine: () => boolean): void {
	pi.on("ui_prompt_start", (event) => {
		if (!mine()) return;
		g.dialog = { kind: event.kind, title: cut(event.title ?? "", MOST_WORDS), since: Date.now() };
		changed(g);
	});
	pi.on("ui_prompt_end", () => {
		if (!mine()) return;
		g.dialog = undefined;
		changed(g);
	});
}

// --- calls of Drover's own -------------------------------------------------------------------------------

/** The program that Drover was started as, else the one on the path. */
const program = () => process.env.DROVER_BINARY || "drover";

/** Starts a call; it is over with its answer, or with none where there was none in time. */
function call(args: string[], ms: number, over: (answer: Json | undefined) => void, input = "", cwd?: string): childProcess.ChildProcess | undefined {
	const options = { timeout: ms, killSignal: "SIGKILL" as const, maxBuffer: 8 << 20, encoding: "utf8" as const, cwd };
	try {
		const child = childProcess.execFile(program(), [...args, "--json"], options, (_error, stdout) => {
			try {
				over(JSON.parse(stdout));
			} catch {
				over(undefined);
			}
		});
		child.stdin?.on("error", () => {});
		child.stdin?.end(input);
		return child;
	} catch {
		over(undefined);
		return undefined;
	}
}

const ask = (args: string[], ms: number, input = "", cwd?: string) =>
	new Promise<Json | undefined>((resolve) => void call(args, ms, resolve, input, cwd));

// --- reminders -------------------------------------------------------------------------------------------

const HEREDOC = /<<-?\s*(['"]?)([A-Za-z_]\w*)\1/g;

/** The calls of Drover in a shell command, each as its words; what is quoted or in a here-document is no call. */
export function calls(command: string): string[][] {
	const simple: string[][] = [[]];
	let word: string | undefined;
	const endWord = () => {
		if (word !== undefined) simple.at(-1)!.push(word);
		word = undefined;
	};
	const endCommand = () => {
		endWord();
		simple.push([]);
	};
	const text = withoutHeredocs(command);
	for (let at = 0; at < text.length; at += 1) {
		const sign = text[at]!;
		if (sign === "\\") {
			at += 1;
			if (text[at] !== "\n") word = (word ?? "") + (text[at] ?? "");
		} else if (sign === "'" || sign === '"') {
			const end = closing(text, at);
			word = (word ?? "") + text.slice(at + 1, end);
			at = end;
		} else if (sign === "#" && word === undefined) {
			while (at + 1 < text.length && text[at + 1] !== "\n") at += 1;
		} else if (";&|(){}\n`".includes(sign)) endCommand();
		else if (/\s/.test(sign)) endWord();
		else word = (word ?? "") + sign;
	}
	endWord();
	return simple.map(behindAssignments).filter((it) => it[0] !== undefined && path.basename(it[0]) === "drover");
}

const behindAssignments = (argv: string[]) => argv.slice(Math.max(0, argv.findIndex((it) => !/^\w+=/.test(it))));

function closing(text: string, open: number): number {
	for (let at = open + 1; at < text.length; at += 1) {
		if (text[open] === '"' && text[at] === "\\") at += 1;
		else if (text[at] === text[open]) return at;
	}
	return text.length;
}

function withoutHeredocs(command: string): string {
	const kept: string[] = [];
	const ends: string[] = [];
	for (const line of command.split("\n")) {
		if (ends.length > 0) {
			if (line.trim() === ends[0]) ends.shift();
			continue;
		}
		kept.push(line);
		for (const found of line.matchAll(HEREDOC)) ends.push(found[2]!);
	}
	return kept.join("\n");
}

/** The project in which a call hands work out, `""` for the usual one; none for another call. */
export function handsOut(argv: string[]): string | undefined {
	const words: string[] = [];
	let project = "";
	let claimsFor = false;
	for (let at = 1; at < argv.length; at += 1) {
		const [flag, value] = argv[at]!.split(/=(.*)/s);
		if (["-p", "--project", "-w", "--workstream"].includes(flag!)) project = value ?? argv[(at += 1)] ?? "";
		else if (flag === "--for") claimsFor = true;
		else if (!flag!.startsWith("-")) words.push(argv[at]!);
	}
	const [noun, verb, name] = words;
	const does = noun === "dispatch" || (noun === "agent" && ["send", "spawn"].includes(verb ?? "")) || (noun === "task" && verb === "claim" && claimsFor);
	if (!does) return undefined;
	return project || (name?.includes("/") ? name.slice(0, name.indexOf("/")) : "");
}

function remind(pi: ExtensionAPI, g: Control, mine: () => boolean): void {
	if (process.env.DROVER_REMINDERS === "0") return;
	pi.on("input", () => {
		if (!mine()) return;
		g.reminded = { held: false, crew: false };
		g.handedOut.clear();
	});
	pi.on("tool_call", (event) => {
		if (!mine() || event.toolName !== "bash") return;
		const command = (event.input as Json).command;
		if (typeof command !== "string" || command.length > 100_000) return;
		for (const call of calls(command)) {
			const project = handsOut(call);
			if (project !== undefined && g.handedOut.size < 8) g.handedOut.add(project);
		}
	});
	pi.on("agent_before_settle", async (event, ctx) => {
		if (!mine() || g.nested || event.outcome !== "completed" || event.continue || ctx.hasPendingMessages()) return;
		const reminder = (await ofHeldTasks(g)) ?? (await ofBusyCrew(g));
		if (!reminder) return;
		const entry = { type: "custom_message" as const, customType: "drover-reminder", content: reminder, display: true };
		return { entries: [...event.entries, entry], continue: true };
	});
}

/** For a worker that ends its turn while it holds a task. */
async function ofHeldTasks(g: Control): Promise<string | undefined> {
	if (g.reminded.held || process.env.DROVER_ROLE !== "worker") return undefined;
	const held: Json[] = (await ask(["me"], CALL_MS))?.data?.tasks?.items ?? [];
	if (held.length === 0) return undefined;
	g.reminded.held = true;
	const tasks = held.slice(0, 8).map((it) => `${it.id} (${cut(String(it.title ?? ""), 100)})`);
	return [
		`Your turn ends and you still hold ${tasks.join(", ")}.`,
		`If it is done, close it: drover task close ${held[0]!.id} --evidence "what shows that it is done"`,
		`If you cannot go on, give it back: drover task release ${held[0]!.id} --evidence "why"`,
		"If you wait for somebody, say in one line for whom and for what, and end your turn.",
	].join("\n");
}

/** For one who handed work out and ends its turn while the crew is at it. */
async function ofBusyCrew(g: Control): Promise<string | undefined> {
	if (g.reminded.crew || g.handedOut.size === 0) return undefined;
	const until = Date.now() + CALL_MS;
	for (const project of g.handedOut) {
		const left = until - Date.now();
		if (left <= 0) return undefined;
		const state = await ask(["state", ...(project ? ["-p", project] : [])], left);
		const reminder = crewAtWork(state?.data?.projects?.items ?? []);
		if (reminder) {
			g.reminded.crew = true;
			return reminder;
		}
	}
	return undefined;
}

export function crewAtWork(projects: Json[]): string | undefined {
	const me = process.env.DROVER_AGENT;
	for (const it of projects) {
		const tasks: Json[] = (it.in_progress?.items ?? []).filter((task: Json) => !me || !String(task.claimed_by ?? "").startsWith(`${me}@`));
		const agents: Json[] = (it.agents?.items ?? []).filter((agent: Json) => agent.state === "working" && agent.name !== me);
		if (tasks.length > 0) {
			const ids = tasks.slice(0, 8).map((task) => `${it.project}/${task.id}`);
			return [
				`Your turn ends while your crew is at work on ${ids.join(", ")}${tasks.length > 8 ? " and more" : ""}.`,
				`Wait for them and take up what they bring: drover task wait ${ids.join(" ")}`,
				"If you mean to leave them to themselves, say so in one line and end your turn.",
			].join("\n");
		}
		if (agents.length > 0) {
			const names = agents.slice(0, 8).map((agent) => `${it.project}/${agent.name}`);
			return [
				`Your turn ends while ${names.join(", ")} ${names.length > 1 ? "are" : "is"} working for you.`,
				`Wait and take up the answer: drover agent wait ${names.join(" ")}`,
				"If you mean to leave them to themselves, say so in one line and end your turn.",
			].join("\n");
		}
	}
	return undefined;
}

// --- delegates -------------------------------------------------------------------------------------------

const MOST_DELEGATES = 32;
const DELEGATE_START_MS = 120_000;
const STATUS_KEY = "drover-delegate";

const described = (description: string) => ({ type: "string", description });

const DELEGATE_PARAMETERS = {
	type: "object",
	properties: {
		task: described("What to do, with all that the helper must know; it sees nothing of this conversation"),
		label: described("What it is about, in a word or two: part of the helper's name"),
		brief: described("What it is told before the task, as its role"),
		cwd: described("The directory it works in; this one when absent"),
		timeout: { type: "number", exclusiveMinimum: 0, description: "How many seconds it may take; 3600 when absent" },
		workspace: { type: "boolean", description: "Give it a checkout of its own" },
		engine: described("What it runs: pi, codex or claude"),
		model: { type: "string", pattern: "^[A-Za-z0-9._:/@+-]+$", description: "The model it is to use" },
		keep: { type: "boolean", description: "Leave its pane open when it is done" },
		record: described("A task on which its verdict is noted"),
	},
	required: ["task"],
	additionalProperties: false,
};

const CANCEL_PARAMETERS = {
	type: "object",
	properties: { name: described("The helper's name, as the tool that started it returned it") },
	required: ["name"],
	additionalProperties: false,
};

/** Whether this pi may start helpers: not one whose role forbids it, and not without Drover's program. */
function mayDelegate(g: Control): boolean {
	if (g.nested || process.env.DROVER_DELEGATE === "0") return false;
	if (["worker", "reviewer"].includes(process.env.DROVER_ROLE ?? "")) return false;
	if (process.env.DROVER_BINARY) return true;
	const folders = (process.env.PATH ?? "").split(":").filter((it) => path.isAbsolute(it));
	return folders.some((it) => isExecutable(path.join(it, "drover")));
}

function isExecutable(file: string): boolean {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
}

const said = (words: string, details: Json) => ({ content: [{ type: "text" as const, text: words }], details });

function registerDelegates(pi: ExtensionAPI, g: Control): void {
	if (!mayDelegate(g)) return;
	pi.registerTool({
		name: "drover_delegate",
		label: "Delegate",
		description:
			"Have a helper agent work on a task in a terminal pane of its own. Returns at once with the helper's name; its answer comes later as a message. Use it for work that can go on beside yours.",
		parameters: DELEGATE_PARAMETERS as any,
		execute: async (_id: string, params: any) => delegate(g, params),
	});
	pi.registerTool({
		name: "drover_delegate_cancel",
		label: "Cancel a delegate",
		description: "Stop a helper that drover_delegate started.",
		parameters: CANCEL_PARAMETERS as any,
		execute: async (_id: string, params: any) => cancel(g, params.name),
	});
	for (const line of g.farewell.splice(0)) g.live?.ctx.ui.notify(line, "warning");
	showDelegates(g);
}

async function delegate(g: Control, params: Json) {
	const open = [...g.delegates.values()].filter((it) => it.waiting).length;
	if (open >= MOST_DELEGATES) throw new Error(`${open} helpers are at work for this session; wait for one`);
	const seconds = typeof params.timeout === "number" ? Math.ceil(params.timeout) : 3_600;
	const args = ["agent", "delegate", "-", "--timeout", `${seconds}s`];
	for (const name of ["label", "brief", "cwd", "engine", "model", "record"]) {
		if (typeof params[name] === "string" && params[name] !== "") args.push(`--${name}=${params[name]}`);
	}
	for (const name of ["workspace", "keep"]) if (params[name] === true) args.push(`--${name}`);
	if (params.workspace === true) args.splice(0, args.length, ...args.filter((it) => !it.startsWith("--cwd=")));
	const answer = await ask(args, DELEGATE_START_MS, String(params.task), g.live?.ctx.cwd);
	if (!answer) throw new Error(`${program()} gave no answer; see drover agent delegate --list`);
	if (!answer.ok || !answer.data?.delegate) throw new Error(String(answer.error ?? answer.outcome));
	const { name, state, project } = answer.data.delegate;
	awaitAnswer(g, { name, state, begun: Date.now(), waiting: undefined }, seconds);
	const words = [
		`${name} is ${state === "queued" ? "queued" : "at work"}; its answer comes as a message, so go on with other work or end your turn.`,
		`To look at it: drover agent attach ${project}/${name}. To stop it: drover_delegate_cancel ${name}.`,
	];
	return said(words.join("\n"), { name, project, state });
}

/** Has a call wait for the answer of a helper, which then comes as a message that begins a turn. */
function awaitAnswer(g: Control, helper: Delegate, seconds: number): void {
	g.delegates.set(helper.name, helper);
	// Its own time begins when it starts, which may be long after it was asked.
	const limit = Math.min(4 * seconds * 1000 + 600_000, MOST_WAIT_MS);
	const args = ["agent", "delegate", "--answer", helper.name, "--wait", "--timeout", `${Math.ceil(limit / 1000)}s`];
	helper.waiting = call(args, limit + 30_000, (answer) => {
		if (g.delegates.get(helper.name) !== helper) return;
		g.delegates.delete(helper.name);
		showDelegates(g);
		g.live?.pi.sendMessage(
			{ customType: "drover-delegate", content: told(helper, answer), display: true, details: detailsOf(helper, answer) },
			{ triggerTurn: true, deliverAs: "followUp" },
		);
	});
	showDelegates(g);
}

const elapsed = (helper: Delegate) => Math.round((Date.now() - helper.begun) / 1000);

function detailsOf(helper: Delegate, answer: Json | undefined): Json {
	const { project, state, label, turn } = answer?.data?.delegate ?? {};
	return { name: helper.name, project, label, turn, outcome: state ?? answer?.outcome ?? "unknown", elapsed_s: elapsed(helper) };
}

/** What is told of a helper that has ended, or that is waited for no longer. */
export function told(helper: Delegate, answer: Json | undefined): string {
	const { name } = helper;
	const take = `drover agent delegate --answer ${name} --wait`;
	const it = answer?.data?.delegate;
	if (!it) return `Nothing is heard of ${name} any more. What it answers is kept: ${take}`;
	const place = `${it.project}/${name}`;
	const why = it.reason ? ` (${it.reason})` : "";
	const screen = it.screen ? `\n\nThe end of its screen:\n${cut(it.screen, MOST_LAST_BYTES)}` : "";
	switch (it.state) {
		case "done":
			return `${name} answers after ${elapsed(helper)} s:\n\n${cut(it.answer ?? "", MOST_LAST_BYTES)}`;
		case "empty":
			return `${name} ended without a word${why}.${screen}`;
		case "cancelled":
			return `${name} was stopped${why}.`;
		case "queued":
		case "starting":
		case "running":
			return answer?.outcome === "needs_person"
				? `${name} waits for a person${why}: drover agent explain ${place}. Its answer can be taken afterwards: ${take}`
				: `${name} is waited for no longer; its answer does not come by itself. Take it: ${take}`;
		default:
			return `${name} failed: ${it.state}${why}. Its pane is left open: drover agent attach ${place}. Ask anew, or treat what it was to find out as not known.${screen}`;
	}
}

async function cancel(g: Control, name: string) {
	const helper = g.delegates.get(name);
	// Its end is told as the result of this call, and not once more as a message.
	g.delegates.delete(name);
	const answer = await ask(["agent", "delegate", "--cancel", name], DELEGATE_START_MS);
	if (!answer?.ok) {
		if (helper) g.delegates.set(name, helper);
		const call = helper?.waiting;
		// The call that waited may have ended meanwhile, unheard; asked again, a kept answer comes at once.
		if (helper && call && (call.exitCode !== null || call.signalCode !== null)) awaitAnswer(g, helper, 3600);
		throw new Error(answer ? String(answer.error ?? answer.outcome) : `${program()} gave no answer; see drover agent delegate --list`);
	}
	helper?.waiting?.kill("SIGKILL");
	showDelegates(g);
	const it = answer.data?.delegate;
	// An answer that landed meanwhile is not thrown away.
	const words = it?.state === "done" ? told(helper ?? { name, state: "done", begun: Date.now(), waiting: undefined }, answer) : `${name} is stopped.`;
	return said(words, { name, outcome: it?.state ?? answer.outcome });
}

function showDelegates(g: Control): void {
	const open = [...g.delegates.values()];
	const queued = open.filter((it) => it.state === "queued").length;
	const parts = [[open.length - queued, "at work"], [queued, "queued"]].filter(([count]) => count).map((it) => it.join(" "));
	try {
		g.live?.ctx.ui.setStatus(STATUS_KEY, parts.length > 0 ? `delegates: ${parts.join(", ")}` : undefined);
	} catch {}
}

/** The session ends, and answers that are on their way find nobody: they are named. */
function leaveDelegates(g: Control, isQuit: boolean): void {
	const left = [...g.delegates.values()];
	g.delegates.clear();
	for (const it of left) it.waiting?.kill("SIGKILL");
	if (left.length === 0) return;
	const lines = left.map((it) => `drover: ${it.name} is ${it.state === "queued" ? "still queued" : "still at work"}, and its answer comes to no session; take it: drover agent delegate --answer ${it.name} --wait`);
	if (isQuit) process.once("exit", () => process.stderr.write(`${lines.join("\n")}\n`));
	else g.farewell.push(...lines);
}

/** A pi of Drover's serves its socket; one that a person started, and whose own pi no other pi is, is only helped. */
export default function drover(pi: ExtensionAPI): void {
	const g = control();
	const target = process.env.DROVER_CONTROL;
	// The tools of a pi tell what they run which session they belong to.
	if (!target && process.env.PI_SESSION_ID) return;
	const mine = target ? serve(pi, g, target) : own(pi, g, async () => registerDelegates(pi, g));
	remind(pi, g, mine);
}
