/**
 * Which words of ordinary sentences are read as places, and how many of these are none?
 *
 *   BENCH_DATA=FOLDER npx tsx bench/places-in-words.ts
 *
 * The folder holds `relevance/<collection>/corpus.jsonl` and `notices*` with `posts.jsonl`. 500 sentences are drawn evenly,
 * as many from abstracts as from notices. A reading agrees when the notice's own place or text has the place with a capital
 * letter; every other one is printed, for a person to judge, and counts as wrong.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { placeInText } from "../src/gazetteer/in-text.ts";

const SENTENCES = 500;

interface Text {
  body: string;
  /** The notice's own place. */
  place: string;
}

function textsOf(file: string): Text[] {
  const rows = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return rows.map((row) => {
    const { title = "", body = "", text = "", location } = JSON.parse(row);
    return { body: `${title}. ${body || text}`, place: location?.name ?? "" };
  });
}

/** Sentences of some files, evenly drawn. */
function drawn(files: readonly string[], count: number) {
  const all = files
    .filter((file) => existsSync(file))
    .flatMap(textsOf)
    .flatMap(({ body, place }) =>
      body
        .split(/(?<=[.!?])\s+|\n+/)
        .filter((sentence) => sentence.split(/\s+/).length > 3)
        .map((sentence) => ({ sentence: sentence.replace(/[.!?]+$/, ""), place })),
    );
  return Array.from(
    { length: Math.min(count, all.length) },
    (_, n) => all[Math.floor((n * all.length) / count)],
  );
}

const root = process.env["BENCH_DATA"] ?? "";
if (!existsSync(join(root, "relevance"))) throw new Error("BENCH_DATA names no folder with `relevance`.");
const foldersOf = (name: string) => readdirSync(join(root, name)).map((folder) => join(root, name, folder));
const abstracts = foldersOf("relevance").map((folder) => join(folder, "corpus.jsonl"));
const notices = foldersOf(".").filter((folder) => /notices(?:-\d+)?$/.test(folder));
const sentences = [
  ...drawn(abstracts, SENTENCES / 2),
  ...drawn(
    notices.map((folder) => join(folder, "posts.jsonl")),
    SENTENCES / 2,
  ),
];
let [read, wrong] = [0, 0];
for (const each of sentences) {
  const found = each === undefined ? null : placeInText(each.sentence);
  if (each === undefined || found === null) continue;
  read += 1;
  if (each.place.includes(found.place.name)) continue;
  wrong += 1;
  console.log(`${found.text} → ${found.place.label}: ${each.sentence.slice(0, 160)}`);
}
console.log(`${sentences.length} sentences: ${read} with a place, ${wrong} of them to be judged`);
