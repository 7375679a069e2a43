import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readData } from "../../src/data/read.ts";
import type { Feed } from "../../src/syndication/feeds.ts";
import { call } from "../support/boards/client.ts";
import { addFeed, type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";
import { embedded } from "../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { cpuMsDuring } from "../support/run/cpu.ts";

/** How many entries of each list are tried. `LIST_ENTRIES=all` tries every entry, which takes hours. */
const ASKED = process.env["LIST_ENTRIES"] ?? "2";
const PER_LIST = ASKED === "all" ? Number.POSITIVE_INFINITY : Number(ASKED);
const [BODY_CHARS, QUERY_CHARS] = [7_990, 500];
/** Tries of an entry that seems too expensive: the garbage collector or another test may have caused the cost. */
const TRIES = 4;

/** The board's lists of words that texts are compared with. */
const FILES = ["glossary.jsonl", "stop-words.json", "flags.jsonl", "place-words.json", "regions.jsonl"];
const LISTS = [
  // Stems that can be cut in many ways; texts of them once took minutes.
  { file: "known", entries: ["boot", "danse", "lampe"] },
  ...FILES.map((file) => ({ file, entries: readData(file).flatMap((row) => entriesIn(row, file)) })),
];

function entriesIn(value: unknown, file: string): string[] {
  if (typeof value === "string") return value.replaceAll("*", "").split(file.startsWith("flags") ? "|" : " ");
  return Object.values(value as object).flatMap((member) => entriesIn(member, file));
}

/** Entries from all over a list. */
function sampleOf(list: readonly string[]): string[] {
  const words = [...new Set(list)].filter((word) => word.trim().length > 1);
  const step = Math.max(1, Math.floor(words.length / PER_LIST));
  return words.filter((_, at) => at % step === step >> 1);
}

const repeated = (text: string, chars: number) =>
  text
    .repeat(Math.ceil(chars / text.length))
    .slice(0, chars)
    .trim();
const PROSE = "We lend tools for wood and metal on Saturdays, and look for a used bicycle. ";

describe("an entry of our own lists, repeated up to a field's limit", () => {
  const board = useTestBoard({ EMBEDDINGS: "required", WEBHOOK_ALLOW: "127.0.0.1" });
  const me = usePublisher(board);
  let source: FeedSource;
  let feed: Feed;
  let count = 0;
  beforeAll(async () => {
    source = await startFeedSource();
    await board.board.embedder.settled();
    ({ feed } = await addFeed(board, `${source.origin}/feed`, { kind: "jsonfeed", dailyMax: 100_000 }));
    await call(board, "POST /subscriptions", { query: { q: "used bicycle" } }, me);
  });
  afterAll(() => source.close());

  const WAYS: Record<string, { chars: number; go: (text: string) => Promise<unknown> }> = {
    posting: {
      chars: BODY_CHARS,
      async go(body) {
        count += 1;
        const title = `Number ${count}`;
        const { status, body: answer } = await call(board, "POST /posts", { title, body }, me);
        expect(status, JSON.stringify(answer)).toBe(201);
        await embedded(board);
        await call(board, `DELETE /posts/${answer.data.id}`, undefined, me);
      },
    },
    relaying: {
      chars: BODY_CHARS,
      async go(body) {
        count += 1;
        const items = [{ id: `${count}`, title: `Number ${count}`, content_text: body }];
        const version = "https://jsonfeed.org/version/1.1";
        source.serve("/feed", JSON.stringify({ version, title: "Feed", items }));
        expect(await board.board.syndication.poll(feed)).toMatchObject({ added: 1, refused: [] });
        await embedded(board);
      },
    },
    searching: {
      chars: QUERY_CHARS,
      async go(q) {
        const { status } = await call(board, `GET /search?q=${encodeURIComponent(q)}`);
        expect(status).toBe(200);
      },
    },
    saving: {
      chars: QUERY_CHARS,
      async go(q) {
        const { status, body } = await call(board, "POST /subscriptions", { query: { q } }, me);
        expect(status, JSON.stringify(body)).toBe(201);
        await call(board, `DELETE /subscriptions/${body.data.id}`, undefined, me);
      },
    },
  };

  it.each(Object.keys(WAYS))("costs at most five times what prose costs, in %s", async (way) => {
    const { chars, go } = WAYS[way] as (typeof WAYS)[string];
    const plain: number[] = [];
    for (let n = 0; n < 5; n += 1) plain.push(await cpuMsDuring(() => go(repeated(`${PROSE}${n} `, chars))));
    const bound = 5 * (plain.sort((a, b) => a - b)[2] ?? 0);
    const tooExpensive: string[] = [];
    for (const { file, entries } of LISTS) {
      for (const entry of sampleOf(entries)) {
        for (const [form, unit] of Object.entries({ joined: entry, apart: `${entry} ` })) {
          let least = Number.POSITIVE_INFINITY;
          for (let n = 0; n < TRIES && least > bound; n += 1)
            least = Math.min(least, await cpuMsDuring(() => go(repeated(unit, chars))));
          if (least > bound) tooExpensive.push(`${file}, ${form}: ${entry} ${least.toFixed(0)} ms`);
        }
      }
    }
    expect(tooExpensive, `the bound is ${bound.toFixed(0)} ms`).toEqual([]);
  });
});
