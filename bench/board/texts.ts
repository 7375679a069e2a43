import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseQueryText } from "../../src/search/text/query-text.ts";
import { dataFolder, readRows } from "../support/data.ts";
import { pick, seeded } from "../support/random.ts";
import { vocabulary } from "./vocabulary.ts";

/** Gives titles and sentences for posts, in any number, and what is asked of them. */
export interface Texts {
  /** The heading of a result names it. */
  source: string;
  /** The titles that posts get, where they are real and a model can understand them. */
  titles: readonly string[];
  title(random: () => number): string;
  sentence(random: () => number): string;
  /** Holds 12 queries of 2 to 4 telling words. */
  short: readonly string[];
  /** Holds 60 queries of about ten telling words. */
  long: readonly string[];
}

const SHORT = 12;
const LONG = 60;
/** A search takes no more than 500 characters, and the benches add a word. */
const ASKED_MAX = 480;
/** `create_post` bounds titles by this. */
const MAX_TITLE = 120;
/** Shorter and longer runs between full stops are mostly not sentences. */
const [SENTENCE_MIN, SENTENCE_MAX] = [20, 400];
/** The queries of these collections are prose of one or two sentences. */
const ASKED = ["cacm", "cranfield"];

/** Takes the collections in BENCH_DATA where that is set, in random order; else it writes from word frequencies. */
export function boardTexts(): Texts {
  return process.env["BENCH_DATA"] === undefined ? writtenTexts() : collectionTexts(dataFolder("relevance"));
}

function collectionTexts(folder: string): Texts {
  const documents = documentsOf(folder);
  const titles = [...new Set(documents.map(({ title }) => title.slice(0, MAX_TITLE)))].filter(
    (title) => title !== "",
  );
  const sentences = documents
    .flatMap(({ text }) => text.match(/[^.!?]+[.!?]+/g) ?? [text])
    .map((sentence) => sentence.trim())
    .filter(({ length }) => length > SENTENCE_MIN && length < SENTENCE_MAX);
  const asked = ASKED.flatMap((name) => readRows<{ text: string }>(join(folder, name, "queries.jsonl")));
  const possible = asked.filter(({ text }) => text.length < ASKED_MAX);
  // Their quotes mark titles and their dashes are punctuation; neither is an operator.
  const long = evenly(
    possible.map(({ text }) => text.replace(/"|(?<=\s)-+/g, " ")),
    LONG,
  );
  const names = readdirSync(folder).join(", ");
  return {
    source: `titles and sentences of ${names}`,
    titles,
    title: (random) => pick(random, titles),
    sentence: (random) => pick(random, sentences),
    short: shortQueries((random) => pick(random, titles)),
    long,
  };
}

/** Writes texts whose words are as frequent as in real text, each drawn by itself. */
export function writtenTexts(): Texts {
  const { draw } = vocabulary();
  const words = (random: () => number, count: number) =>
    Array.from({ length: count }, () => draw(random)).join(" ");
  const title = (random: () => number) => words(random, 5 + Math.floor(random() * 6)).slice(0, MAX_TITLE);
  const sentence = (random: () => number) => `${words(random, 10 + Math.floor(random() * 22))}.`;
  const random = seeded(41);
  return {
    source: "words with the frequencies of bench/board/frequencies.txt",
    titles: [],
    title,
    sentence,
    short: shortQueries(title),
    long: Array.from({ length: LONG }, () => words(random, 14 + Math.floor(random() * 14))),
  };
}

function documentsOf(folder: string): { title: string; text: string }[] {
  return readdirSync(folder).flatMap((name) =>
    readRows<{ title: string; text: string }>(join(folder, name, "corpus.jsonl")),
  );
}

/** Takes the first telling words of titles. */
function shortQueries(title: (random: () => number) => string): string[] {
  const random = seeded(43);
  const queries: string[] = [];
  while (queries.length < SHORT) {
    const telling = parseQueryText(title(random)).any.slice(0, 2 + (queries.length % 3));
    if (telling.length === 2 + (queries.length % 3)) queries.push(telling.join(" "));
  }
  return queries;
}

/** Picks entries from all over a list, in mixed order, so that the first of them are like all. */
function evenly<T>(list: readonly T[], count: number): T[] {
  return Array.from(
    { length: count },
    (_, i) => list[Math.floor((((i * 37) % count) * list.length) / count)] as T,
  );
}
