import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { eventually } from "./client.ts";

/** What Node runs the program by: a run of tests has it compiled, which starts a third sooner; else from its sources. */
export const PROGRAM: readonly string[] =
  process.env["TEST_PROGRAM"] === undefined
    ? fromSource(resolve(import.meta.dirname, "../../../src/main.ts"))
    : [process.env["TEST_PROGRAM"]];

function fromSource(main: string): string[] {
  return ["--import", "tsx", main];
}

/**
 * A module of the program for a script in a process of its own, compiled where the program is.
 * @param path  below `src`, without `.ts`
 * @returns what the script imports, and what Node needs to read it
 */
export function moduleOf(path: string): { href: string; node: string[] } {
  const program = process.env["TEST_PROGRAM"];
  const file =
    program === undefined
      ? resolve(import.meta.dirname, "../../../src", `${path}.ts`)
      : resolve(dirname(program), `${path}.js`);
  return {
    href: pathToFileURL(file).href,
    node: program === undefined ? ["--import", import.meta.resolve("tsx")] : [],
  };
}

/** A board as an operator runs it: in its own process, on the same port after each restart. */
export class BoardProcess {
  readonly api: string;
  readonly site: string;
  readonly #environment: Record<string, string>;
  readonly #program: readonly string[];
  #child: ChildProcess | null = null;

  private constructor(port: number, environment: Record<string, string>, program: readonly string[]) {
    this.#program = program;
    this.site = `http://127.0.0.1:${port}`;
    this.api = `${this.site}/api/v1`;
    this.#environment = boardEnvironment({ PORT: String(port), ...environment });
  }

  /**
   * Starts a board on a free port; resolves once it is ready.
   * @param main  the source of another program, to compare with
   * @param patienceMs  a large board whose index has no snapshot yet reads all its texts before it opens
   */
  static async start(
    environment: Record<string, string>,
    main?: string,
    patienceMs?: number,
  ): Promise<BoardProcess> {
    const board = new BoardProcess(
      await freePort(),
      environment,
      main === undefined ? PROGRAM : fromSource(main),
    );
    await board.start(patienceMs);
    return board;
  }

  /** @throws when the process ends, or is not ready in time; then it is killed */
  async start(patienceMs = 60_000): Promise<void> {
    const child = spawn(process.execPath, this.#program, {
      env: this.#environment,
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#child = child;
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const isReady = await eventually(
      () => this.isReady(),
      (ready) => ready || hasEnded(),
      patienceMs,
    ).catch(() => false);
    if (isReady) return;
    const how = hasEnded() ? `ended with ${child.exitCode ?? child.signalCode}` : "was not ready in time";
    await this.kill();
    throw new Error(`the board at ${this.site} ${how}`);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  isReady(): Promise<boolean> {
    return fetch(`${this.site}/readyz`, { signal: AbortSignal.timeout(10_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** SIGKILL, unless another signal is named; resolves to the exit code, null after a SIGKILL, once the process is gone. */
  kill(signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> {
    const child = this.#child;
    return new Promise((done) => {
      if (child === null || child.exitCode !== null || child.signalCode !== null) {
        return done(child?.exitCode ?? null);
      }
      child.once("exit", (code) => done(code));
      child.kill(signal);
    });
  }
}

/** The environment of a board in its own process: no model and no limits, unless `more` sets them. */
export function boardEnvironment(more: Record<string, string>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    ...Object.fromEntries(inherited),
    EMBEDDINGS: "off",
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
    ...more,
  };
}

const PORTS = { first: 10_000, each: 100, processes: 220 } as const;
let portsGiven = randomInt(PORTS.each);

/**
 * An unused port for a process that is about to start: nobody else gets it in the seconds until that listens. Ports from
 * 32,768 on are those that systems assign to connections and to listeners on port 0, so it is one below. Each process takes
 * turns among a hundred of its own, by its id.
 */
export function freePort(): Promise<number> {
  portsGiven += 1;
  const mine = PORTS.first + (process.pid % PORTS.processes) * PORTS.each;
  const port = mine + (portsGiven % PORTS.each);
  return new Promise((done) => {
    const listener = createServer().once("error", () => done(freePort()));
    listener.listen(port, "127.0.0.1", () => listener.close(() => done(port)));
  });
}

/** What a command printed, and its exit code. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of the program to its end, in its own process.
 * @param before  what Node gets before the program
 * @param cwd  where it runs, unless here
 * @param input  what it reads from stdin
 */
export function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  { before = [], cwd, input = "" }: { before?: readonly string[]; cwd?: string; input?: string } = {},
): Promise<Ran> {
  const options = { env: boardEnvironment(environment), cwd, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [...before, ...PROGRAM, ...args],
      options,
      (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.on("error", () => {}).end(input);
  });
}
