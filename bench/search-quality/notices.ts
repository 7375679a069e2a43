import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startBoard } from "../../test/support/boards/board.ts";
import { call, eventually, register } from "../../test/support/boards/client.ts";
import { readRows } from "../support/data.ts";
import { MODEL_FILES } from "../support/model.ts";

/** A notice as posts.jsonl has it: fields of a post under an id of its own. */
interface Notice {
  id: string;
  kind: string;
  title: string;
  body: string;
  tags: readonly string[];
  location: { name: string; lat: number; lng: number } | null;
  starts_at: string | null;
  ends_at: string | null;
  timezone: string | null;
}

export interface NoticeSet {
  posts: readonly Notice[];
  queries: readonly { id: string; class: string; q: string; filters?: Readonly<Record<string, unknown>> }[];
  /** Gives the gain of each judged post, 1 or 2, by query and notice. */
  gains: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

export interface NoticeAnswer {
  id: string;
  class: string;
  ndcg10: number;
  /** Tells whether the first answer is one of the best, and whether one of the first five is. */
  success1: boolean;
  success5: boolean;
}

/** The labelled queries have this "today", a Thursday. */
const TODAY = Date.UTC(2026, 11, 10, 9);
/** Posts by one publisher: more of them within an hour could be taken for a storm. */
const BY_ONE = 20;
const SHOWN = 100;

/** @param name  a folder of `bench/search-quality/data/` */
export function readNotices(name: string): NoticeSet {
  const folder = join(import.meta.dirname, "data", name);
  const gains = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, "qrels.tsv"), "utf8").trim().split("\n")) {
    const [query = "", post = "", gain = ""] = line.split("\t");
    if (!/^\d+$/.test(gain)) continue;
    gains.set(query, (gains.get(query) ?? new Map<string, number>()).set(post, Number(gain)));
  }
  return {
    posts: readRows(join(folder, "posts.jsonl")),
    queries: readRows(join(folder, "queries.jsonl")),
    gains,
  };
}

/**
 * Writes the notices to a whole board, with the model, on the day of the set, and asks it every query over REST.
 * @param model  as EMBEDDING_MODEL has it
 */
export async function measureNotices(
  { posts, queries, gains }: NoticeSet,
  model?: string,
): Promise<NoticeAnswer[]> {
  let now = TODAY;
  const named = model === undefined ? {} : { EMBEDDING_MODEL: model };
  const options = { EMBEDDINGS: "required", MODEL_DIR: MODEL_FILES, RATE_LIMITS: "off", ...named };
  const board = await startBoard(options, { clock: () => now });
  try {
    const notices = new Map<string, string>();
    let key = "";
    for (const [at, { id, ...fields }] of posts.entries()) {
      if (at % BY_ONE === 0) ({ key } = await register(board));
      const given = Object.entries(fields).filter(([, value]) => value !== null);
      const { status, body } = await call(board, "POST /posts", Object.fromEntries(given), { key });
      if (status !== 201) throw new Error(`${id}: ${JSON.stringify(body)}`);
      notices.set(body.data.id, id);
      now += 1_000;
    }
    const backlog = async () => board.board.store.work.backlog("embed");
    await eventually(backlog, (left) => left === 0, 10 * 60_000);
    const answers: NoticeAnswer[] = [];
    for (const { id, class: kind, q, filters } of queries) {
      const parameters = new URLSearchParams({ q, limit: String(SHOWN), ...stringsOf(filters ?? {}) });
      const { status, body } = await call(board, `GET /search?${parameters}`);
      if (status !== 200) throw new Error(`${id}: ${JSON.stringify(body)}`);
      const found = (body.data as { id: string }[]).map((post) => notices.get(post.id) ?? "");
      answers.push({ id, class: kind, ...judged(found, gains.get(id) ?? new Map()) });
    }
    return answers;
  } finally {
    await board.stop();
  }
}

/** Every fifth query makes a fold: a rule that was fitted to some queries scores higher on their folds than on others. */
const FOLDS = 5;

/** Prints means over all queries, over each fold of them, and over each class. */
export function reportNotices(name: string, answers: readonly NoticeAnswer[]): void {
  const row = (label: string, some: readonly NoticeAnswer[]) => {
    const mean = (of: (answer: NoticeAnswer) => number) =>
      some.reduce((sum, answer) => sum + of(answer), 0) / Math.max(1, some.length);
    const cells = [
      mean(({ ndcg10 }) => ndcg10),
      mean(({ success1 }) => Number(success1)),
      mean(({ success5 }) => Number(success5)),
    ].map((cell) => cell.toFixed(3).padStart(9));
    console.log(`${label} (${some.length})`.padEnd(20), ...cells);
  };
  console.log(`\n${name}, by folds and classes (queries)  nDCG@10  success@1  success@5`);
  row("all", answers);
  for (let fold = 0; fold < FOLDS; fold += 1) {
    row(
      `fold ${fold + 1}`,
      answers.filter((_, at) => at % FOLDS === fold),
    );
  }
  for (const kind of new Set(answers.map((answer) => answer.class))) {
    row(
      kind,
      answers.filter((answer) => answer.class === kind),
    );
  }
}

const stringsOf = (filters: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));

function judged(found: readonly string[], gains: ReadonlyMap<string, number>) {
  const discounted = (all: readonly number[]) =>
    all.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
  const own = found.map((id) => gains.get(id) ?? 0);
  const ideal = discounted([...gains.values()].sort((a, b) => b - a));
  return {
    ndcg10: ideal === 0 ? 0 : discounted(own) / ideal,
    success1: own[0] === 2,
    success5: own.slice(0, 5).includes(2),
  };
}
