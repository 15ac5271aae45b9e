// The control socket, against a stand-in for pi.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as net from "node:net";
import * as path from "node:path";
import { afterEach, test } from "node:test";
import { cut, EXTENSION } from "../drover.ts";
import { ask, exchange, forget, Pi, place } from "./stub.ts";

let here = place();

afterEach(async () => {
	await current?.emit("session_shutdown", { reason: "quit" });
	current = undefined;
	forget();
	fs.rmSync(here.folder, { recursive: true, force: true });
	here = place();
});

let current: Pi | undefined;

async function started(): Promise<Pi> {
	current = new Pi();
	await current.start();
	return current;
}

const give = (text: string, message: string, more = {}) => ask(here.socket, { op: "send", text, message, ...more });

test("without its variable the extension serves nothing", async () => {
	delete process.env.DROVER_CONTROL;
	const pi = await started();
	assert.equal(fs.existsSync(here.socket), false);
	assert.deepEqual([...pi.commands.keys()], []);
});

test("inside a tool of another pi the extension is inert", () => {
	delete process.env.DROVER_CONTROL;
	process.env.PI_SESSION_ID = "outer";
	try {
		assert.equal(new Pi().handlers.size, 0);
	} finally {
		delete process.env.PI_SESSION_ID;
	}
});

test("it says who it is, and the socket is private", async () => {
	await started();
	const hello = await ask(here.socket, { op: "hello", id: 7 });
	assert.deepEqual([hello.v, hello.id, hello.ok, hello.agent, hello.extension], [1, 7, true, "a-1", EXTENSION]);
	assert.equal(fs.statSync(here.socket).mode & 0o777, 0o600);
	assert.deepEqual(fs.readdirSync(here.folder).sort(), ["s", "wake"]);
});

test("the version in the first line is the version that it says", () => {
	const source = fs.readFileSync(new URL("../drover.ts", import.meta.url), "utf8");
	assert.equal(source.split("\n")[0], `// drover-extension ${EXTENSION}`);
});

test("a text begins a turn, and its end is the turn's number with what was said last", async () => {
	const pi = await started();
	const taken = await give("hello", "m1");
	assert.deepEqual([taken.ok, taken.disposition, taken.turn, taken.session], [true, "started", 1, "s-1"]);
	assert.equal((await ask(here.socket, { op: "status" })).state, "busy");
	const waiting = ask(here.socket, { op: "wait", after: 0 });
	await pi.settle({ text: "done" });
	const ended = await waiting;
	assert.deepEqual([ended.turns, ended.last.turn, ended.last.text, ended.state], [1, 1, "done", "idle"]);
	assert.equal((await ask(here.socket, { op: "wait", after: 0 })).turns, 1);
	assert.equal((await ask(here.socket, { op: "wait", after: 1, timeout_ms: 20 })).error, "timeout");
});

test("a text that is repeated under its id is answered and not sent again", async () => {
	const pi = await started();
	const first = await give("hello", "m1");
	const again = await give("hello", "m1", { instance: (await ask(here.socket, { op: "hello" })).instance });
	assert.deepEqual([again.turn, again.repeated], [first.turn, true]);
	assert.deepEqual(pi.sent, ["hello"]);
	assert.equal((await give("hello", "m2", { instance: "another" })).error, "other_instance");
	assert.equal((await ask(here.socket, { op: "recall", message: "m1" })).turn, first.turn);
	assert.equal((await ask(here.socket, { op: "recall", message: "m2" })).error, "unknown_message");
	assert.deepEqual(pi.sent, ["hello"]);
});

test("a busy pi takes what joins its turn and refuses the rest", async () => {
	const pi = await started();
	await pi.begin("by hand");
	assert.equal((await give("x", "m1")).error, "busy");
	const steered = await give("y", "m2", { mode: "steer" });
	assert.deepEqual([steered.disposition, steered.turn], ["queued", 1]);
	assert.deepEqual(pi.queue, ["y"]);
	assert.equal((await give("z", "m3", { mode: "sideways" })).error, "bad_request");
});

test("a text that a person's own prompt overtook is not counted as taken by it", async () => {
	const pi = await started();
	pi.takes = false;
	let answer: any;
	const asked = give("ours", "m1").then((it) => (answer = it));
	while (pi.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
	await pi.begin("theirs");
	assert.equal(answer, undefined);
	await pi.emit("message_start", { message: { role: "user", content: "ours" } });
	assert.equal((await asked).ok, true);
});

test("without a model, before a session and with a dialog nothing is sent", async () => {
	const pi = await started();
	pi.model = undefined;
	await pi.switch("reload");
	assert.equal((await give("x", "m1")).error, "no_model");
	pi.model = { provider: "fake", id: "m" };
	await pi.switch("reload");
	await pi.emit("ui_prompt_start", { kind: "confirm", title: "Allow?" });
	const status = await ask(here.socket, { op: "status" });
	assert.deepEqual([status.state, status.dialog.kind, status.dialog.title], ["dialog", "confirm", "Allow?"]);
	for (const op of ["send", "interrupt", "fresh"]) {
		const refused = await ask(here.socket, { op, text: "x", message: op });
		assert.deepEqual([refused.error, refused.detail], ["dialog", "Allow?"]);
	}
	assert.equal((await ask(here.socket, { op: "abort" })).error, "dialog");
	await pi.emit("ui_prompt_end", { kind: "confirm" });
	assert.equal((await ask(here.socket, { op: "status" })).state, "idle");
	assert.deepEqual(pi.sent, []);
});

test("what a person is asked before there is a session is told", async () => {
	current = new Pi();
	const [answer] = await current.emit("project_trust", { cwd: "/srv/site" });
	assert.deepEqual(answer, { trusted: "undecided" });
	const status = await ask(here.socket, { op: "status" });
	assert.deepEqual([status.state, status.dialog.kind, status.dialog.title], ["trust", "trust", "Trust project folder? /srv/site"]);
	assert.equal((await give("x", "m1")).error, "dialog");
	await current.start();
	assert.equal((await ask(here.socket, { op: "status" })).state, "idle");
});

test("abort ends the turn; interrupt ends it and begins another", async () => {
	const pi = await started();
	assert.equal((await ask(here.socket, { op: "abort" })).was, "idle");
	await pi.begin("by hand");
	const stopped = await ask(here.socket, { op: "abort", timeout_ms: 1000 });
	assert.deepEqual([stopped.was, stopped.settled, stopped.turns, stopped.last.error], ["busy", true, 1, "aborted"]);
	await pi.begin("by hand");
	const taken = await ask(here.socket, { op: "interrupt", text: "stop", message: "m1" });
	assert.deepEqual([taken.ok, taken.turn, taken.was], [true, 3, "busy"]);
});

test("fresh begins a session with the text, once, and state outlives the change", async () => {
	const pi = await started();
	await pi.begin("by hand");
	const before = (await ask(here.socket, { op: "hello" })).instance;
	const taken = await ask(here.socket, { op: "fresh", text: "anew", message: "m1" });
	assert.deepEqual([taken.ok, taken.turn, taken.session], [true, 2, "s-1+"]);
	assert.equal((await ask(here.socket, { op: "fresh", text: "anew", message: "m1" })).repeated, true);
	assert.deepEqual(pi.sent, ["anew"]);
	assert.equal((await ask(here.socket, { op: "hello" })).instance, before);
});

test("commands are carried out or refused by pi's own word, and only one at a time", async () => {
	const pi = await started();
	assert.equal((await ask(here.socket, { op: "command", name: "new" })).session, "s-1+");
	assert.equal((await ask(here.socket, { op: "command", name: "reload" })).ok, true);
	assert.equal((await ask(here.socket, { op: "command", name: "compact" })).detail, "Nothing to compact");
	assert.equal((await ask(here.socket, { op: "command", name: "quit" })).error, "bad_request");
	await pi.begin("by hand");
	assert.equal((await ask(here.socket, { op: "command", name: "new" })).error, "busy");
	assert.equal((await ask(here.socket, { op: "command", name: "new", force: true })).ok, true);
	const both = await exchange(
		here.socket,
		["new", "reload"].map((name) => JSON.stringify({ v: 1, op: "command", name })),
	);
	assert.deepEqual(both.map((it) => it.error ?? "ok").sort(), ["in_flight", "ok"]);
});

test("an error after which pi tries again is told while it does, and the last one with the turn", async () => {
	const pi = await started();
	await give("x", "m1");
	await pi.emit("message_end", { message: { role: "assistant", content: [], stopReason: "error", errorMessage: "429: slow" } });
	assert.equal((await ask(here.socket, { op: "status" })).failing.error, "429: slow");
	await pi.settle({ stop: "error", error: "401: who are you" });
	const status = await ask(here.socket, { op: "status" });
	assert.deepEqual([status.failing, status.last.error, status.last.text], [null, "401: who are you", null]);
});

test("long texts are cut between two code points, with a line that says so", async () => {
	const pi = await started();
	await give("x", "m1");
	await pi.settle({ text: "é".repeat(50_000) });
	const { text } = (await ask(here.socket, { op: "status" })).last;
	assert.ok(Buffer.byteLength(text) <= 64 << 10);
	assert.match(text, /^é+\n\[cut: 100000 bytes in all\]$/);
	assert.equal(cut("short", 100), "short");
});

test("garbage, another version, an unknown operation and a line without end are answered in words", async () => {
	await started();
	const lines = ["what?", "[]", '{"v":2,"op":"hello"}', '{"v":1,"op":"fly","id":"x"}'];
	const answers = await exchange(here.socket, lines);
	assert.deepEqual(answers.map((it) => it.error).sort(), ["bad_request", "bad_request", "unknown_op", "version"]);
	assert.ok(answers.find((it) => it.error === "unknown_op")!.ops.includes("fresh"));
	const [long] = await exchange(here.socket, ["x".repeat(17 << 20)], 1);
	assert.equal(long!.error, "too_long");
	assert.equal((await ask(here.socket, { op: "hello" })).ok, true);
});

test("too many connections are refused, and those that are there are served", async () => {
	await started();
	const held = await Promise.all(
		Array.from({ length: 64 }, () => new Promise<net.Socket>((resolve) => {
			const it = net.connect(here.socket, () => resolve(it));
		})),
	);
	await new Promise((resolve) => setTimeout(resolve, 50));
	const [refused] = await exchange(here.socket, ['{"v":1,"op":"hello"}'], 1);
	assert.equal(refused!.error, "too_many");
	for (const it of held) it.destroy();
});

test("each change of state touches the wake file", async () => {
	const wake = path.join(here.folder, "wake");
	const pi = await started();
	const old = new Date(0);
	fs.utimesSync(wake, old, old);
	await pi.begin("by hand");
	assert.notEqual(fs.statSync(wake).mtimeMs, 0);
	fs.utimesSync(wake, old, old);
	await pi.settle();
	assert.notEqual(fs.statSync(wake).mtimeMs, 0);
});

test("a pi that becomes idle calls Drover, one call at a time and without the agent's token", async () => {
	const record = path.join(here.folder, "calls");
	const program = path.join(here.folder, "drover");
	fs.writeFileSync(program, `#!/bin/sh\necho "$1 $2 token=$DROVER_TOKEN" >> ${record}\nsleep 0.2\n`, { mode: 0o755 });
	Object.assign(process.env, { DROVER_BINARY: program, DROVER_TOKEN: "secret" });
	const pi = await started();
	for (let turn = 0; turn < 3; turn += 1) {
		await pi.begin("by hand");
		await pi.settle();
	}
	const calls = () => (fs.existsSync(record) ? fs.readFileSync(record, "utf8").trim().split("\n") : []);
	while (calls().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
	await new Promise((resolve) => setTimeout(resolve, 400));
	assert.deepEqual(calls(), ["agent-idle a-1 token=", "agent-idle a-1 token="]);
});

test("a socket that is served is left alone, and the second pi is inert", async () => {
	await started();
	const first = (await ask(here.socket, { op: "hello" })).instance;
	const outer = (globalThis as any)[Symbol.for("drover.control.1")];
	forget();
	const nested = new Pi();
	await nested.start();
	assert.equal((globalThis as any)[Symbol.for("drover.control.1")].nested, true);
	await nested.emit("session_shutdown", { reason: "quit" });
	(globalThis as any)[Symbol.for("drover.control.1")] = outer;
	assert.equal((await ask(here.socket, { op: "hello" })).instance, first);
	assert.deepEqual(fs.readdirSync(here.folder).sort(), ["s", "wake"]);
});

test("what a process that is gone left behind is replaced, and a plain file is not", async () => {
	// A socket whose server closed under another name stays, as after a kill.
	const server = net.createServer().listen(`${here.socket}.x`);
	await new Promise((resolve) => server.once("listening", resolve));
	fs.linkSync(`${here.socket}.x`, here.socket);
	await new Promise((resolve) => server.close(resolve));
	await started();
	assert.equal((await ask(here.socket, { op: "hello" })).ok, true);
	await current!.emit("session_shutdown", { reason: "quit" });
	assert.equal(fs.existsSync(here.socket), false);
	forget();
	fs.writeFileSync(here.socket, "mine");
	const pi = await started();
	assert.equal(fs.readFileSync(here.socket, "utf8"), "mine");
	assert.match(pi.notes.join(), /is not a socket/);
});

test("a path that no socket can have is named", async () => {
	process.env.DROVER_CONTROL = path.join(here.folder, "s".repeat(100));
	const pi = await started();
	assert.match(pi.notes.join(), /too long for a socket/);
});

test("of two copies in one pi the newest serves, and one alone", async () => {
	const pi = new Pi();
	current = pi;
	const first = new Map(pi.handlers);
	pi.load();
	for (const [name, handlers] of first) pi.handlers.set(name, [...handlers, ...pi.handlers.get(name)!]);
	await pi.start();
	const taken = await give("hello", "m1");
	await pi.settle();
	assert.deepEqual([taken.turn, (await ask(here.socket, { op: "status" })).turns], [1, 1]);
});
