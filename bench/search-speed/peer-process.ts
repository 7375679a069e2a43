/**
 * Fills one engine with the bench's posts and asks it the bench's questions, in a process of its own; prints a line of JSON.
 * Run by `bench/search-speed.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question } from "../../src/ports/search-index.ts";
import { dequantize } from "../../src/search/ranking/vectors.ts";
import { boardPosts, inBatches } from "../board/posts.ts";
import { boardTexts } from "../board/texts.ts";
import { postVectors } from "../board/vectors.ts";
import { folderBytes } from "../support/measure.ts";
import { openLancedb } from "./peers/lancedb.ts";
import { openOrama } from "./peers/orama.ts";
import type { Peer, PeerQuestion } from "./peers/peer.ts";
import { DIMENSION, NOW, narrow, questionsOf } from "./questions.ts";
import { type Timed, timed } from "./timed.ts";

export interface PeerFigures {
  asymmetry: string;
  buildMs: number;
  diskBytes: number;
  residentBytes: number;
  /** Series are kept by name; a text stands where the engine failed. */
  series: Record<string, Timed | string>;
}

const OPEN: Record<string, (folder: string, count: number) => Peer | Promise<Peer>> = {
  lancedb: openLancedb,
  orama: openOrama,
};
const BATCH = 2_000;

const [name = "", size = "0"] = process.argv.slice(2);
const count = Number(size);
const open = OPEN[name];
if (open === undefined) throw new Error(`There is no engine ${name}: ${Object.keys(OPEN).join(", ")}.`);
const texts = boardTexts();
const vectors = await postVectors(texts);
const folder = mkdtempSync(join(tmpdir(), "peer-"));
const before = process.memoryUsage().rss;
const peer = await open(folder, count);
let buildMs = 0;
const building = async (work: () => Promise<void>) => {
  const began = performance.now();
  await work();
  buildMs += performance.now() - began;
};
for (const batch of inBatches(boardPosts({ count, texts, vectors, now: NOW }), BATCH)) {
  await building(() => peer.add(batch));
}
await building(() => peer.finish());
const residentBytes = process.memoryUsage().rss - before;

const { hybrid, words } = peer;
const series: [string, readonly Question[], Peer["words"] | null][] = [
  ["hybrid, short", questionsOf(texts.short, vectors), hybrid],
  ["hybrid, long", questionsOf(texts.long, vectors), hybrid],
  ["narrow, short", questionsOf(texts.short, vectors, { filter: narrow }), hybrid],
  ["narrow, long", questionsOf(texts.long, vectors, { filter: narrow }), hybrid],
  ["words, short", questionsOf(texts.short, vectors), words],
  ["words, long", questionsOf(texts.long, vectors), words],
];
const answered: PeerFigures["series"] = {};
for (const [label, questions, ask] of series) {
  if (ask === null) continue;
  try {
    answered[label] = await timed(questions.map(peerQuestion), ask);
  } catch (error) {
    answered[label] = `failed: ${String(error).slice(0, 80).replace(/\s+/g, " ")}`;
  }
}
const diskBytes = folderBytes(folder);
const { asymmetry } = peer;
const figures: PeerFigures = { asymmetry, buildMs, diskBytes, residentBytes, series: answered };
console.log(JSON.stringify(figures));
rmSync(folder, { recursive: true, force: true });
// LanceDB's threads keep the process alive.
process.exit(0);

function peerQuestion({ filter, words: asked, vector }: Question): PeerQuestion {
  const { now, kinds, near, after, before: until } = filter;
  return {
    words: asked?.any ?? [],
    vector: dequantize(vector ?? new Int8Array(DIMENSION)),
    now,
    narrow:
      kinds === null || near === null || after === null || until === null
        ? null
        : { kinds, near, after, before: until },
  };
}
