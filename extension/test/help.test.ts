// Reminders and delegates, against a stand-in for pi and a script in Drover's place.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { calls, crewAtWork, handsOut, told } from "../drover.ts";
import { forget, Pi, place } from "./stub.ts";

let here: { folder: string; socket: string };
let pi: Pi;

/** Drover's answers by the first words of a call; `sleep` holds one back. */
function drover(answers: Record<string, unknown>, sleep = 0): void {
	const cases = Object.entries(answers).map(([words, answer]) => `"${words}"*) echo '${JSON.stringify(answer)}';;`);
	const script = `#!/bin/sh\necho "$*" >> ${here.folder}/calls\ncat > ${here.folder}/input\nsleep ${sleep}\ncase "$*" in\n${cases.join("\n")}\nesac\n`;
	fs.writeFileSync(path.join(here.folder, "drover"), script, { mode: 0o755 });
	process.env.DROVER_BINARY = path.join(here.folder, "drover");
}

/** The calls so far, but those that a pi makes whenever it becomes idle. */
function made(): string[] {
	const calls = fs.readFileSync(path.join(here.folder, "calls"), "utf8").trim().split("\n");
	return calls.filter((it) => !it.startsWith("agent-idle"));
}

async function until(what: () => boolean): Promise<void> {
	for (let tries = 0; tries < 500 && !what(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
	assert.ok(what());
}

beforeEach(async () => {
	here = place();
	for (const name of ["DROVER_ROLE", "DROVER_AGENT", "DROVER_REMINDERS", "DROVER_DELEGATE"]) delete process.env[name];
});

afterEach(async () => {
	await pi?.emit("session_shutdown", { reason: "quit" });
	forget();
	fs.rmSync(here.folder, { recursive: true, force: true });
});

/** The end of a turn, with what the extension adds to it. */
async function ends(outcome = "completed") {
	const answers = await pi.emit("agent_before_settle", { outcome, entries: [], continue: false, context: {} });
	return answers.find((it) => it);
}

const held = { ok: true, data: { tasks: { items: [{ id: "mend", title: "Mend the fence" }] } } };
const busy = { ok: true, data: { projects: { items: [{ project: "web", in_progress: { items: [{ id: "mend", claimed_by: "w1@here" }] }, agents: { items: [] } }] } } };

test("a worker that holds a task is reminded once a prompt and the turn goes on once", async () => {
	drover({ me: held });
	process.env.DROVER_ROLE = "worker";
	pi = new Pi();
	await pi.start();
	const reminder = await ends();
	assert.equal(reminder.continue, true);
	assert.match(reminder.entries[0].content, /still hold mend \(Mend the fence\)/);
	assert.equal(await ends(), undefined);
	await pi.emit("input", { source: "interactive", text: "next" });
	assert.ok(await ends());
});

test("nobody is pushed on after an error, by another role, when nothing is held, or when it is turned off", async () => {
	drover({ me: held });
	process.env.DROVER_ROLE = "worker";
	pi = new Pi();
	await pi.start();
	assert.equal(await ends("error"), undefined);
	assert.equal(await ends("aborted"), undefined);
	process.env.DROVER_ROLE = "coordinator";
	assert.equal(await ends(), undefined);
	process.env.DROVER_ROLE = "worker";
	drover({ me: { ok: true, data: { tasks: { items: [] } } } });
	assert.equal(await ends(), undefined);
	await pi.emit("session_shutdown", { reason: "quit" });
	forget();
	process.env.DROVER_REMINDERS = "0";
	drover({ me: held });
	pi = new Pi();
	await pi.start();
	assert.equal(await ends(), undefined);
});

test("a call that gives no answer, or none that can be read, costs its time and reminds of nothing", async () => {
	process.env.DROVER_ROLE = "worker";
	drover({ me: held }, 10);
	pi = new Pi();
	await pi.start();
	const begun = Date.now();
	assert.equal(await ends(), undefined);
	assert.ok(Date.now() - begun < 4_000);
	fs.writeFileSync(path.join(here.folder, "drover"), "#!/bin/sh\necho what\n");
	assert.equal(await ends(), undefined);
	process.env.DROVER_BINARY = "/nonexistent/drover";
	assert.equal(await ends(), undefined);
});

test("whoever handed work out since the prompt is reminded of the crew", async () => {
	drover({ state: busy });
	pi = new Pi();
	await pi.start();
	assert.equal(await ends(), undefined);
	await pi.emit("tool_call", { toolName: "bash", input: { command: "drover -p web task claim mend --for w1" } });
	const reminder = await ends();
	assert.match(reminder.entries[0].content, /drover task wait web\/mend/);
	assert.deepEqual(made(), ["state -p web --json"]);
	assert.equal(await ends(), undefined);
	await pi.emit("input", { source: "interactive", text: "next" });
	assert.equal(await ends(), undefined);
});

test("what is the caller's own is not the crew's, and agents without a task count while they work", () => {
	process.env.DROVER_AGENT = "boss";
	const own = { project: "web", in_progress: { items: [{ id: "mine", claimed_by: "boss@here" }] }, agents: { items: [{ name: "boss", state: "working" }] } };
	assert.equal(crewAtWork([own]), undefined);
	const agents = { items: [{ name: "w1", state: "working" }, { name: "w2", state: "idle" }] };
	assert.match(crewAtWork([{ ...own, agents }])!, /web\/w1 is working for you/);
});

test("a call of Drover is one where it is a command, not where it is text", () => {
	const check = (command: string, expected: string[][]) => assert.deepEqual(calls(command), expected, command);
	check("drover agent send w1 hi", [["drover", "agent", "send", "w1", "hi"]]);
	check("cd x && A=1 B=2 /opt/drover dispatch; true", [["/opt/drover", "dispatch"]]);
	check("echo 'drover dispatch'; echo drover dispatch", []);
	check("cat <<'EOF'\ndrover dispatch\nEOF\ndrover state", [["drover", "state"]]);
	check("drover agent send w1 'a; drover dispatch' | cat", [["drover", "agent", "send", "w1", "a; drover dispatch"]]);
	check("# drover dispatch\ndrover \\\n dispatch", [["drover", "dispatch"]]);
	check("x=$(drover dispatch)", [["drover", "dispatch"]]);
	check("'unclosed drover dispatch", []);
});

test("work is handed out by a claim for somebody, a message, a spawn or a dispatch", () => {
	const check = (line: string, expected: string | undefined) => assert.equal(handsOut(line.split(" ")), expected, line);
	check("drover dispatch", "");
	check("drover dispatch --project=web", "web");
	check("drover agent spawn web/w1", "web");
	check("drover -p web agent send w1 hi", "web");
	check("drover task claim mend --for w1", "");
	check("drover task claim mend", undefined);
	check("drover agent list", undefined);
});

const delegated = (state: string, more = {}) => ({ ok: true, data: { delegate: { name: "delegate-x", project: "scratch", state, label: "x", ...more } } });

test("a helper is asked with its flags, its task on standard input, and its answer begins a turn", async () => {
	drover({ "agent delegate --answer": delegated("done", { answer: "42" }), "agent delegate -": delegated("starting") });
	pi = new Pi();
	await pi.start();
	const params = { task: "what is it?", label: "x y", cwd: "/w", timeout: 1.5, keep: true };
	const answer = await pi.tools.get("drover_delegate")!.execute("id", params);
	assert.match(answer.content[0].text, /^delegate-x is at work/);
	assert.equal(made()[0], "agent delegate - --timeout 2s --label=x y --cwd=/w --keep --json");
	await until(() => pi.custom.length === 1);
	const [message] = pi.custom;
	assert.match(message!.content, /^delegate-x answers after \d+ s:\n\n42$/);
	assert.deepEqual(message!.options, { triggerTurn: true, deliverAs: "followUp" });
	assert.equal(message!.details.outcome, "done");
	assert.match(made()[1]!, /^agent delegate --answer delegate-x --wait --timeout \d+s --json$/);
});

test("a refusal is the tool's error, and a cancelled helper is told once", async () => {
	drover({ "agent delegate -": { ok: false, outcome: "delegates_full", error: "no room" } });
	pi = new Pi();
	await pi.start();
	const ask = () => pi.tools.get("drover_delegate")!.execute("id", { task: "t" });
	await assert.rejects(ask, /no room/);
	drover({ "agent delegate --cancel": delegated("cancelled"), "agent delegate -": delegated("queued") });
	fs.appendFileSync(path.join(here.folder, "drover"), "case \"$*\" in *--answer*) exec sleep 60;; esac\n");
	assert.match((await ask()).content[0].text, /is queued/);
	const cancelled = await pi.tools.get("drover_delegate_cancel")!.execute("id", { name: "delegate-x" });
	assert.equal(cancelled.content[0].text, "delegate-x is stopped.");
	assert.deepEqual(pi.custom, []);
});

test("answers that would come to another session are named there", async () => {
	drover({ "agent delegate -": delegated("starting") });
	fs.appendFileSync(path.join(here.folder, "drover"), "case \"$*\" in *--answer*) exec sleep 60;; esac\n");
	pi = new Pi();
	await pi.start();
	await pi.tools.get("drover_delegate")!.execute("id", { task: "t" });
	await pi.switch("reload");
	assert.deepEqual(pi.notes, []);
	await pi.switch("new");
	assert.match(pi.notes.join(), /delegate-x is still at work.*--answer delegate-x --wait/);
});

test("every end of a helper is told with what can be done about it", () => {
	const helper = { name: "delegate-x", state: "running", begun: Date.now(), waiting: undefined };
	const check = (answer: any, expected: RegExp) => assert.match(told(helper, answer), expected);
	check(undefined, /Nothing is heard.*--answer delegate-x --wait/);
	check(delegated("empty", { screen: "$" }), /without a word\.\n\nThe end of its screen:\n\$$/);
	check(delegated("error", { reason: "401" }), /failed: error \(401\)\. Its pane is left open: drover agent attach scratch\/delegate-x/);
	check(delegated("died"), /failed: died/);
	check({ ...delegated("running"), outcome: "needs_person" }, /waits for a person/);
	check({ ...delegated("running"), outcome: "timed_out" }, /waited for no longer/);
	check(delegated("done", { answer: "é".repeat(50_000) }), /\[cut: 100000 bytes in all\]$/);
});

test("a worker, a nested pi and one where it is turned off have no such tool", async () => {
	drover({});
	process.env.DROVER_ROLE = "worker";
	pi = new Pi();
	await pi.start();
	assert.deepEqual([...pi.tools.keys()], []);
	process.env.DROVER_ROLE = "coordinator";
	process.env.DROVER_DELEGATE = "0";
	await pi.switch("reload");
	assert.deepEqual([...pi.tools.keys()], []);
	delete process.env.DROVER_DELEGATE;
	await pi.switch("reload");
	assert.deepEqual([...pi.tools.keys()], ["drover_delegate", "drover_delegate_cancel"]);
});
