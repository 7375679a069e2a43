import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { Command } from "commander";
import createPost from "../../tools/create_post.ts";
import { parseInput } from "../adapters/calls/input.ts";
import { BoardError } from "../board/failures.ts";
import type { OpenBoard } from "../open-board.ts";
import type { StoredPublisher } from "../ports/store/index.ts";
import type { PostInput } from "../schema/post.ts";
import { isExport } from "../transfer/import-board.ts";
import { linesOf } from "../transfer/lines.ts";
import { importExport } from "./import-board.ts";
import { withServices } from "./open-store.ts";
import { createProgress, jsonOption, print } from "./output.ts";

interface Options {
  publisher?: string;
  otherSecretKey: boolean;
  json: boolean;
}

/** Makes `agent-board import FILE`: posts from JSON Lines, or a whole board as `agent-board export` wrote it. */
export function importCommand(): Command {
  return new Command("import")
    .argument(
      "<file>",
      "one JSON object per line, PostInput as in the manual; or a file of `agent-board export`",
    )
    .option("--publisher <id>", "write as this publisher; default: one that is registered for imports")
    .option("--other-secret-key", "import a board that has another SECRET_KEY: webhook secrets change", false)
    .addOption(jsonOption())
    .action(importFile);
}

async function importFile(file: string, options: Options): Promise<void> {
  const { size } = await stat(file).catch(() => {
    throw new Error(`Cannot read ${file}.`);
  });
  await ((await isExport(file)) ? importExport(file, options) : importPosts(file, size, options));
}

/** This many rows are written at the same time, so that they share commits. */
const BATCH = 32;
const REFUSALS_SHOWN = 20;
const NO_UTF8 = { path: "", code: "invalid_format", message: "Must be UTF-8." };
const NO_OBJECT = { path: "", code: "custom", message: "must be a JSON object" };
/** This setting has the id of the publisher that is registered for imports. */
const RELAY_SETTING = "relay:posts";
const RELAY = { name: "Import", description: "Posts imported by the operator of this board." };

interface Summary {
  added: number;
  known: number;
  refused: { line: number; why: string }[];
}

/**
 * Writes the rows of a file as posts of the named publisher or of the one for imports, and prints what became of them.
 * @param size  of the file in bytes
 */
async function importPosts(
  file: string,
  size: number,
  options: { publisher?: string; json: boolean },
): Promise<void> {
  await withServices(async (board) => {
    const publisher = await publisherFor(board, options.publisher ?? null, options.json);
    const summary: Summary = { added: 0, known: 0, refused: [] };
    const began = performance.now();
    const rows: Row[] = [];
    const write = () => Promise.all(rows.splice(0).map((row) => importRow(board, publisher, row, summary)));
    let line = 0;
    for await (const bytes of linesOf(file, createProgress(`Importing ${file}`, size))) {
      line += 1;
      if (bytes.toString("utf8").trim() !== "") rows.push({ line, bytes });
      if (rows.length === BATCH) await write();
    }
    await write();
    report(summary, performance.now() - began, options.json);
  });
}

interface Row {
  /** Lines are counted from 1. */
  line: number;
  bytes: Buffer;
}

async function importRow(
  board: OpenBoard,
  publisher: StoredPublisher,
  row: Row,
  summary: Summary,
): Promise<void> {
  try {
    // Text in another encoding would lose characters unnoticed.
    if (!isUtf8(row.bytes)) throw new BoardError("invalid_json", { issues: [NO_UTF8] });
    const sent: unknown = JSON.parse(row.bytes.toString("utf8"));
    if (typeof sent !== "object" || sent === null || Array.isArray(sent))
      throw new BoardError("invalid_request", { issues: [NO_OBJECT] });
    const { input } = parseInput(createPost, sent as Record<string, unknown>, "body");
    if (await board.relay(input as PostInput, publisher)) summary.added += 1;
    else summary.known += 1;
  } catch (error) {
    summary.refused.push({ line: row.line, why: reasonOf(error) });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof BoardError) {
    const issues = error.issues
      .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
      .join("; ");
    return `${error.code}${issues === "" ? "" : ` (${issues})`}`;
  }
  if (error instanceof SyntaxError) return "not JSON";
  throw error;
}

/** Finds the named publisher, or the one for imports, which the first import registers. */
async function publisherFor(board: OpenBoard, named: string | null, json: boolean): Promise<StoredPublisher> {
  const id = named ?? (await board.store.settings.get(RELAY_SETTING));
  const known = id === null ? null : await board.store.publishers.get(id);
  if (known !== null) return known;
  if (named !== null) throw new BoardError("publisher_not_found");
  const input = { ...RELAY, accept_terms: true };
  const { id: made, api_key: apiKey } = await board.services.publishers.register(input, board.clock());
  await board.store.settings.set(RELAY_SETTING, made);
  const out = json ? process.stderr : process.stdout;
  out.write(`Registered the relay publisher ${made}; its key, shown once: ${apiKey}\n`);
  const publisher = await board.store.publishers.get(made);
  if (publisher === null) throw new Error("the relay publisher vanished while it was made");
  return publisher;
}

function report({ added, known, refused }: Summary, ms: number, json: boolean): void {
  const lines = [
    `${added} added, ${known} already there, ${refused.length} refused, in ${(ms / 1000).toFixed(1)} s`,
  ];
  const shown = refused.toSorted((a, b) => a.line - b.line).slice(0, REFUSALS_SHOWN);
  for (const { line, why } of shown) lines.push(`  line ${line}: ${why}`);
  if (refused.length > REFUSALS_SHOWN) lines.push(`  and ${refused.length - REFUSALS_SHOWN} more`);
  if (refused.length > 0) process.exitCode = 1;
  print(json, { added, known, refused, seconds: ms / 1000 }, lines.join("\n"));
}
