import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { IndexEntry } from "../../../src/ports/search-index.ts";
import { openIndex } from "./open-index.ts";

/** What the process is told; it answers each with a list of ids, empty for what it commits. */
type Order = { put: IndexEntry[] } | { remove: string[] } | { suspend: string } | { find: string };

/** An index in a process of its own, on the files of a folder. */
export class IndexProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(folder: string): Promise<IndexProcess> {
    const child = fork(import.meta.filename, [folder], { execArgv: ["--import", "tsx"] });
    await once(child, "message");
    return new IndexProcess(child);
  }

  /** Resolves once the process has committed, or answered. */
  async tell(order: Order): Promise<string[]> {
    const answered = once(this.#child, "message");
    this.#child.send(order);
    return (await answered)[0] as string[];
  }

  async end(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }
}

if (process.argv[1] === import.meta.filename && process.send !== undefined) serve(process.argv[2] ?? "");

function serve(folder: string): void {
  const opened = openIndex(folder);
  const answer = async (order: Order): Promise<string[]> => {
    if ("find" in order) return opened.find(order.find);
    opened.write((index) => {
      if ("put" in order) for (const entry of order.put) index.put(entry);
      else if ("remove" in order) for (const id of order.remove) index.remove(id);
      else index.putPublisher(order.suspend, { verified: false, suspended: true });
    });
    return [];
  };
  process.on("message", (order: Order) => void answer(order).then((ids) => process.send?.(ids)));
  process.send?.("ready");
}
