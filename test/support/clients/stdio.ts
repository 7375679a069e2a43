import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PROGRAM } from "../boards/board-process.ts";
import { eventually } from "../boards/client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any answer
type Message = any;

export const HANDSHAKE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1.0.0" },
};

/**
 * The command that starts `agent-board stdio`, in the form that clients take.
 * @param folder  of its data
 */
export const stdioCommand = (
  folder: string,
  args: readonly string[] = [],
  environment: Record<string, string> = {},
) => ({
  command: process.execPath,
  args: [...PROGRAM, "stdio", ...args],
  env: {
    PATH: process.env["PATH"] ?? "",
    DATA_DIR: folder,
    EMBEDDINGS: "off",
    LOG_LEVEL: "debug",
    ...environment,
  },
  cwd: join(import.meta.dirname, "../../.."),
});

/** `agent-board stdio` as a host runs it, line by line. */
export class StdioBoard {
  readonly process: ChildProcessWithoutNullStreams;
  /** In the order of arrival. A line of stdout that is not JSON fails the test. */
  readonly answers: Message[] = [];
  /** Resolves when the process is gone. */
  readonly ended: Promise<{ code: number | null; stderr: string }>;
  #requests = 0;

  constructor({ command, args, env, cwd }: ReturnType<typeof stdioCommand>) {
    const child = spawn(command, args, { env, cwd });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.answers.push(JSON.parse(line)));
    this.process = child;
    this.ended = new Promise((done) => child.once("close", (code) => done({ code, stderr })));
  }

  send(message: object): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Sends a request; returns its id. */
  request(method: string, params: unknown = {}): number {
    this.#requests += 1;
    this.send({ id: this.#requests, method, params });
    return this.#requests;
  }

  answer(id: number): Promise<Message> {
    return eventually(
      async () => this.answers.find((answer) => answer.id === id),
      (found) => found !== undefined,
      60_000,
    );
  }

  ask(method: string, params?: unknown): Promise<Message> {
    return this.answer(this.request(method, params));
  }

  async call(name: string, args: object = {}): Promise<string> {
    return (await this.ask("tools/call", { name, arguments: args })).result.content[0].text;
  }

  /** Sends the last lines and ends stdin; resolves when the process is gone. */
  end(lines = ""): Promise<{ code: number | null; stderr: string }> {
    this.process.stdin.end(lines);
    return this.ended;
  }
}
