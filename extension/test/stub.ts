// A stand-in for pi: its events, its idle flag, its queue and its commands, as far as the extension uses them.
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import drover from "../drover.ts";

type Json = Record<string, any>;
type Handler = (event: any, ctx: any) => any;

/** What outlives a session in one process, forgotten so that the next test begins with nothing. */
export function forget(): void {
	delete (globalThis as any)[Symbol.for("drover.control.1")];
}

export class Pi {
	handlers = new Map<string, Handler[]>();
	commands = new Map<string, { handler: (args: string, ctx: any) => Promise<void> }>();
	tools = new Map<string, Json>();
	sent: string[] = [];
	custom: Json[] = [];
	queue: string[] = [];
	notes: string[] = [];
	busy = false;
	/** A text is taken into a turn at once, or never. */
	takes = true;
	session = "s-1";
	model: Json | undefined = { provider: "fake", id: "m" };

	constructor() {
		this.load();
	}

	/** Loads the extension, as pi does for each session. */
	load(): void {
		this.handlers.clear();
		drover(this.api() as any);
	}

	api(): Json {
		return {
			on: (name: string, handler: Handler) => {
				this.handlers.set(name, [...(this.handlers.get(name) ?? []), handler]);
			},
			registerCommand: (name: string, it: any) => this.commands.set(name, it),
			registerTool: (it: Json) => this.tools.set(it.name, it),
			getCommands: () => [...this.commands.keys()].map((name) => ({ name })),
			getThinkingLevel: () => "off",
			sendUserMessage: (text: string, options: Json = {}) => void this.prompt(text, options),
			sendMessage: (message: Json, options: Json = {}) => this.custom.push({ ...message, options }),
		};
	}

	ctx(): Json {
		return {
			cwd: "/",
			mode: "tui",
			hasUI: true,
			model: this.model,
			ui: { notify: (text: string) => this.notes.push(text), setStatus: () => {} },
			sessionManager: { getSessionId: () => this.session, getSessionFile: () => `/${this.session}.jsonl` },
			isIdle: () => !this.busy,
			hasPendingMessages: () => this.queue.length > 0,
			abort: () => void this.settle({ aborted: true, stop: "aborted" }),
			compact: (options: Json) => options.onError(new Error("Nothing to compact")),
			newSession: async (options: Json = {}) => {
				await this.switch("new");
				await options.withSession?.({ sendUserMessage: async (text: string) => this.prompt(text, {}) });
				return { cancelled: false };
			},
			reload: async () => this.switch("reload"),
		};
	}

	async emit(name: string, event: Json = {}): Promise<any[]> {
		const answers = [];
		for (const handler of this.handlers.get(name) ?? []) answers.push(await handler({ type: name, ...event }, this.ctx()));
		return answers;
	}

	async start(reason = "startup"): Promise<void> {
		await this.emit("session_start", { reason });
	}

	async switch(reason: string): Promise<void> {
		await this.emit("session_shutdown", { reason });
		this.session = reason === "new" ? `${this.session}+` : this.session;
		this.load();
		await this.start(reason);
	}

	async prompt(text: string, options: Json): Promise<void> {
		if (options.expandPromptTemplates && text.startsWith("/")) {
			const [name, ...args] = text.slice(1).split(" ");
			return this.commands.get(name!)!.handler(args.join(" "), this.ctx());
		}
		this.sent.push(text);
		const streamingBehavior = this.busy ? options.deliverAs : undefined;
		await this.emit("input", { text, source: "extension", streamingBehavior });
		if (this.busy) this.queue.push(text);
		else if (this.takes) await this.begin(text);
	}

	/** A turn with this text of the user's. */
	async begin(text: string): Promise<void> {
		this.busy = true;
		await this.emit("agent_start");
		await this.emit("message_start", { message: { role: "user", content: [{ type: "text", text }] } });
	}

	/** The end of the turn. */
	async settle({ text = "", stop = "stop", error = undefined as string | undefined, aborted = false } = {}): Promise<void> {
		const content = text ? [{ type: "text", text }] : [];
		await this.emit("message_end", { message: { role: "assistant", content, stopReason: stop, errorMessage: error } });
		await this.emit("agent_end", { messages: [] });
		this.busy = false;
		this.queue = [];
		await this.emit("agent_settled", { aborted });
	}
}

/** A private folder for a socket and a state directory. */
export function place(): { folder: string; socket: string } {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), "dx-"));
	fs.writeFileSync(path.join(folder, "wake"), "");
	const socket = path.join(folder, "s");
	Object.assign(process.env, { DROVER_CONTROL: socket, DROVER_AGENT_UID: "a-1", DROVER_STATE_DIR: folder });
	delete process.env.DROVER_BINARY;
	return { folder, socket };
}

/** Sends lines as they are over one connection, and returns as many answers. */
export function exchange(socket: string, lines: string[], answers = lines.length): Promise<Json[]> {
	return new Promise((resolve, reject) => {
		const connection = net.connect(socket);
		let text = "";
		connection.setEncoding("utf8");
		connection.on("error", reject);
		connection.on("close", () => resolve(parsed()));
		const parsed = () => text.split("\n").filter(Boolean).map((it) => JSON.parse(it));
		connection.on("data", (data) => {
			text += data;
			if (text.endsWith("\n") && parsed().length >= answers) {
				resolve(parsed());
				connection.destroy();
			}
		});
		connection.write(lines.map((it) => `${it}\n`).join(""));
	});
}

export async function ask(socket: string, request: Json): Promise<Json> {
	const [answer] = await exchange(socket, [JSON.stringify({ v: 1, ...request })]);
	return answer!;
}
