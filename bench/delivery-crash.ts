/**
 * A board is killed again and again while it matches and delivers to receivers that fail one time in five, and at the end
 * while it waits for answers about the last post. Every match must arrive, under ids that never change, and nothing
 * before a consent or after an erasure. Each post, each change of one and each series is told once.
 *
 *   npx tsx bench/delivery-crash.ts [posts = 50] [kills = 20]      on the store that STORE_URL names
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BoardProcess } from "../test/support/boards/board-process.ts";
import { type Answer, call, eventually, register } from "../test/support/boards/client.ts";
import { type Message, startWebhook, subscribeTo, type Webhook } from "../test/support/clients/webhooks.ts";
import { distinctText } from "../test/support/texts/texts.ts";

/** A weekly class has this many dates. The first is taken down once it was told, so that the second is told after it. */
const DATES = 4;
/** After this, the claims of a dead process are free again. */
const LEASE_MS = 30_000;
/** The clock of the last process is ahead by so much: nobody waits for the claims of the one before to end. */
const AHEAD = `const { now } = Date; Date.now = () => now() + ${LEASE_MS + 1_000};`;
/** A poll asks for so many matches at once. */
const PAGE = 100;
/** A restart takes seconds, on a busy machine a minute. */
const PATIENCE_MS = 120_000;

export interface CrashRun {
  kills: number;
  /** Counts pairs of post and subscription that the board says matched: of each class, two dates. */
  matches: number;
  /** This many of them were told to have changed: a post that moved, and the date that was taken down, for every four kills. */
  changes: number;
  /** Counts matches that never arrived. */
  missing: number;
  /** Counts messages beyond the first of each match that was answered with 200. */
  repeats: number;
  /** Counts ids used for two posts or changes, and pairs of post or change and subscription sent under two ids. */
  unstable: number;
  /** Counts messages to the receiver that never consented, challenges aside. */
  unasked: number;
  /** Messages with a post of the erased publisher, sent after its erasure was answered. */
  erased: number;
  seconds: number;
}

/**
 * @param options.kills  two or more SIGKILLs, each at a different moment: all but the last are spread over the run
 * @param options.receivers  subscriptions, each with a receiver of its own; every post matches all of them
 * @param options.storeUrl  default: what STORE_URL names, else SQLite
 */
export async function crashRun(options: {
  posts: number;
  kills: number;
  receivers?: number;
  storeUrl?: string;
}): Promise<CrashRun> {
  const began = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), "board-crash-"));
  const store = options.storeUrl === undefined ? {} : { STORE_URL: options.storeUrl };
  const environment = { DATA_DIR: dataDir, WEBHOOK_ALLOW: "127.0.0.1", ...store };
  let board = await BoardProcess.start(environment);
  let requests = 0;
  const failed = new Set<string>();
  /** While there is one, no answer reaches the board before this resolves. */
  let silence: Promise<void> | null = null;
  // One request in five fails, no message twice: the third attempt of one would come after five minutes.
  const flaky = ({ headers }: Message) => {
    requests += 1;
    const id = String(headers["webhook-id"]);
    if (silence !== null) {
      failed.add(id);
      return { after: silence };
    }
    if (requests % 5 !== 0 || failed.has(id)) return {};
    failed.add(id);
    return { status: 500 };
  };
  const receivers = await Promise.all(
    Array.from({ length: options.receivers ?? 40 }, () => startWebhook(flaky)),
  );
  const messages = () => receivers.flatMap((webhook) => webhook.messages);
  const unwilling = await startWebhook(undefined, () => ({ status: 204 }));
  try {
    const { key } = await register(board);
    const leaver = await register(board);
    const subscriptions: { id: string; webhook: Webhook }[] = [];
    for (const webhook of receivers) {
      subscriptions.push({ ...(await subscribeTo(board, key, webhook, { tags: "crash" })), webhook });
    }
    const sent = { query: { tags: "crash" }, webhook_url: unwilling.url };
    await call(board, "POST /subscriptions", sent, { key });

    const gone = new Set<string>();
    for (let n = 0; n < 5; n += 1) gone.add(await written(board, leaver.key, `leaver-${n}`, n + 50_000));
    /** Resolves once all were told of a post. */
    const told = async (post: string) => {
      for (const { id } of subscriptions) {
        await eventually(
          () => matchesOf(board, key, id),
          (matches) => matches.some((match) => match.post === post),
          PATIENCE_MS,
        );
      }
    };
    const killing = killAgainAndAgain(board, options.kills - 1);
    let erasedAt = 0;
    const writing = (async () => {
      for (let n = 0; n < options.posts - 1; n += 1) {
        if (n === Math.floor(options.posts / 2)) {
          await answered(() => call(board, "DELETE /publishers/me", undefined, { key: leaver.key }));
          erasedAt = Date.now();
        }
        await written(board, key, `crash-${n}`, n);
        // This spreads the posts over all the time in which the board is killed.
        await new Promise((done) => setTimeout(done, ((options.kills - 1) * 2_500) / options.posts));
      }
    })();
    const rounds = Math.ceil(options.kills / 4);
    const changing = (async () => {
      for (let round = 0; round < rounds; round += 1) {
        const title = `Weekly class ${round}`;
        const date = (n: number) =>
          written(board, key, `date-${round}-${n}`, 60_000 + round * DATES + n, { title, ...startOf(n) });
        const first = await date(0);
        const moving = await written(board, key, `moving-${round}`, 70_000 + round, startOf(0));
        await told(first);
        await told(moving);
        for (let n = 1; n < DATES; n += 1) await date(n);
        await answered(() => call(board, `PATCH /posts/${moving}`, startOf(1), { key }));
        await answered(() => call(board, `DELETE /posts/${first}`, undefined, { key }));
      }
    })();
    await Promise.all([writing, killing, changing]);
    let endSilence = () => {};
    silence = new Promise((resolve) => {
      endSilence = resolve;
    });
    const last = await written(board, key, "crash-last", options.posts);
    await eventually(
      async () => messages().some(({ json }) => json.data.post.id === last),
      (hasBegun) => hasBegun,
      PATIENCE_MS,
    );
    await board.kill();
    silence = null;
    endSilence();
    const ahead = `--import=data:text/javascript,${encodeURIComponent(AHEAD)}`;
    board = await BoardProcess.start({ ...environment, NODE_OPTIONS: ahead });

    const expected = new Map<string, Told>();
    const isChanged = ({ change }: Told) => change !== null;
    for (const { id } of subscriptions) {
      const found = await eventually(
        async () => (await matchesOf(board, key, id)).filter((match) => !gone.has(match.post)),
        (matches) =>
          matches.length >= options.posts + 3 * rounds && matches.filter(isChanged).length >= 2 * rounds,
        PATIENCE_MS,
      );
      for (const told of found) expected.set(`msg_${id}_${told.delivery}`, told);
    }
    // A failed message must have come again.
    const missing = () => {
      const counts = countsOf(messages());
      return [...expected.keys()].filter((id) => (counts.get(id) ?? 0) <= Number(failed.has(id))).length;
    };
    await eventually(
      async () => missing(),
      (n) => n === 0,
      LEASE_MS + 30_000,
      // What never came is counted below.
    ).catch(() => {});
    return {
      kills: options.kills,
      matches: expected.size,
      changes: [...expected.values()].filter(isChanged).length,
      missing: missing(),
      repeats:
        messages().filter(({ headers }) => expected.has(String(headers["webhook-id"]))).length -
        expected.size -
        [...failed].filter((id) => expected.has(id)).length,
      unstable: unstableIds(messages()),
      unasked: unwilling.messages.length,
      erased: messages().filter(
        ({ json, headers }) => gone.has(json.data.post.id) && sentAt(headers) > erasedAt,
      ).length,
      seconds: Math.round((Date.now() - began) / 1000),
    };
  } finally {
    await board.kill();
    await Promise.all([...receivers, unwilling].map((webhook) => webhook.stop()));
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Kills and restarts the board, at moments from just started to well under way. */
async function killAgainAndAgain(board: BoardProcess, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await new Promise((done) => setTimeout(done, 100 + ((n * 373) % 1_000)));
    await board.kill();
    await board.start();
  }
}

/** Writes a post as an agent does: the same call, with its idempotency key, until it is answered. */
async function written(
  board: BoardProcess,
  key: string,
  idempotencyKey: string,
  n: number,
  fields: object = {},
): Promise<string> {
  const post = { ...distinctText(n), tags: ["crash"], idempotency_key: idempotencyKey, ...fields };
  const { body } = await answered(() => call(board, "POST /posts", post, { key }));
  return body.data.id;
}

const startOf = (week: number) => ({
  kind: "event",
  starts_at: new Date(Date.UTC(2030, 0, 7 * week + 7, 18)).toISOString(),
});

async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const answer = await ask().catch(() => null);
    // An erasure whose first answer was lost gives 401, such a removal 404.
    if (answer !== null && (answer.status < 400 || [401, 404].includes(answer.status))) return answer;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("the board never answered");
}

interface Told {
  delivery: number;
  post: string;
  /** The post changed then; null for one that is told of for the first time. */
  change: string | null;
}

/** Gathers all matches that a poll finds, each once: a change told between two pages moves its match behind them. */
async function matchesOf(board: BoardProcess, key: string, id: string): Promise<Told[]> {
  const matches = new Map<string, Told>();
  let cursor = "";
  for (;;) {
    const page = `GET /subscriptions/${id}/pending?limit=${PAGE}${cursor}` as const;
    const { body } = await answered(() => call(board, page, undefined, { key }));
    for (const { delivery_id, id: post, change = null } of body.data)
      matches.set(post, { delivery: delivery_id, post, change: change?.at ?? null });
    if (body.data.length < PAGE) return [...matches.values()];
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** The attempt began then, to the second: an attempt under way when an erasure is answered may still arrive. */
const sentAt = (headers: Message["headers"]) => Number(headers["webhook-timestamp"]) * 1_000;

function countsOf(messages: readonly Message[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { headers } of messages) {
    const id = String(headers["webhook-id"]);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function unstableIds(messages: readonly Message[]): number {
  const postOf = new Map<string, string>();
  const idOf = new Map<string, string>();
  let unstable = 0;
  for (const { headers, json } of messages) {
    const id = String(headers["webhook-id"]);
    const pair = `${json.data.subscription_id} ${json.data.post.id} ${json.data.change?.at ?? ""}`;
    if ((postOf.get(id) ?? pair) !== pair || (idOf.get(pair) ?? id) !== id) unstable += 1;
    postOf.set(id, pair);
    idOf.set(pair, id);
  }
  return unstable;
}

if (process.argv[1] === import.meta.filename) {
  const posts = Number(process.argv[2] ?? 50);
  const kills = Number(process.argv[3] ?? 20);
  console.log(JSON.stringify(await crashRun({ posts, kills }), null, 2));
}
