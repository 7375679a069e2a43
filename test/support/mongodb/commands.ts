import type { Document, MongoClient } from "mongodb";

/** A command that a client sent, with the times of its start and end in milliseconds of `performance.now()`. */
export interface SentCommand {
  name: string;
  collection: string;
  began: number;
  ended: number;
}

/** What keeps connections alive, ends sessions and follows changes runs beside every call. */
const BESIDE: ReadonlySet<string> = new Set([
  "hello",
  "ismaster",
  "ping",
  "endSessions",
  "getMore",
  "killCursors",
]);
const WRITES: ReadonlySet<string> = new Set([
  "insert",
  "update",
  "delete",
  "findAndModify",
  "bulkWrite",
  "commitTransaction",
]);

/** Notes the commands of a client, whose URL needs `monitorCommands=true`. */
export class CommandLog {
  #commands: SentCommand[] = [];

  constructor(client: MongoClient) {
    const open = new Map<number, SentCommand>();
    client.on("commandStarted", ({ requestId, commandName, command }) => {
      if (BESIDE.has(commandName) || isOfFeed(commandName, command)) return;
      const began = performance.now();
      const collection = String(command[commandName]);
      const sent = { name: commandName, collection, began, ended: Number.POSITIVE_INFINITY };
      open.set(requestId, sent);
      this.#commands.push(sent);
    });
    const end = ({ requestId }: { requestId: number }) => {
      const sent = open.get(requestId);
      if (sent !== undefined) sent.ended = performance.now();
      open.delete(requestId);
    };
    client.on("commandSucceeded", end);
    client.on("commandFailed", end);
  }

  /** The commands of a call. */
  async of(call: () => Promise<unknown>): Promise<SentCommand[]> {
    this.#commands = [];
    await call();
    return this.#commands;
  }
}

/** How many commands waited for each other, one after another. */
export function inARow(commands: readonly SentCommand[]): number {
  const lengths: number[] = [];
  for (const [i, { began }] of commands.entries()) {
    const before = commands.slice(0, i).map((one, at) => (one.ended <= began ? (lengths[at] ?? 0) : 0));
    lengths.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...lengths);
}

export const writesAmong = (commands: readonly SentCommand[]): SentCommand[] =>
  commands.filter(({ name }) => WRITES.has(name));

/** The index reads what changed in sessions that follow the stream's time. */
function isOfFeed(name: string, command: Document): boolean {
  if (command["readConcern"]?.afterClusterTime !== undefined) return true;
  return name === "aggregate" && command["pipeline"]?.[0]?.$changeStream !== undefined;
}
