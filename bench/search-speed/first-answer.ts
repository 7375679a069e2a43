/**
 * Opens an index in a process of its own and asks it one question; prints a line of JSON. Run by `bench/search-speed.ts`.
 */
import { readFileSync } from "node:fs";
import type { Question } from "../../src/ports/search-index.ts";
import { IndexUnderTest } from "../support/index-under-test.ts";
import { DIMENSION } from "./questions.ts";

export interface FirstAnswer {
  /** From before the index is opened until the first answer. */
  ms: number;
  /** Growth of the process from before the index was opened until after the answer, garbage collected both times. */
  residentBytes: number;
}

const [folder = "", questionFile = ""] = process.argv.slice(2);
const sent = JSON.parse(readFileSync(questionFile, "utf8")) as Question & { vector: number[] };
const question: Question = { ...sent, vector: Int8Array.from(sent.vector) };
const collect = () => (globalThis as { gc?: () => void }).gc?.();

collect();
const before = process.memoryUsage().rss;
const began = performance.now();
const index = new IndexUnderTest({ modelId: "bench", dimension: DIMENSION }, folder);
const found = await index.rank(question);
const ms = performance.now() - began;
if (found.length === 0) throw new Error("The first question found nothing.");
collect();
const answer: FirstAnswer = { ms, residentBytes: process.memoryUsage().rss - before };
console.log(JSON.stringify(answer));
await index.close({ keep: true });
