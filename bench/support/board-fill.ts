import type { Store, VectorMaker } from "../../src/ports/store/index.ts";
import type { RowPage } from "../../src/ports/store/transfer.ts";
import type { BoardRows } from "../../src/records/index.ts";
import type { Row } from "../../src/transfer/format.ts";
import { aPost, aPublisher } from "../../test/support/search/rows.ts";
import { notices } from "./corpus.ts";
import type { IndexedPost } from "./index-under-test.ts";
import { seeded } from "./random.ts";

/** Describes a board of any size, always the same, written through the port and faster than by use. */
export interface BoardSize {
  /** Every fifth is a reply to the one four before it. */
  posts: number;
  /** Epoch milliseconds of the last post; each post before it is a second older. */
  now: number;
  /** The posts say this; without it, they are the notices of `corpus.ts` with random vectors. */
  written?: Iterable<IndexedPost>;
  /** This made the vectors; default: `MODEL`. */
  maker?: VectorMaker;
}

const DIMENSION = 384;
/** Vectors are of this model, unless another is named. */
const MODEL = "bench-model";
const PUBLISHERS = 1_000;
const DAY_MS = 86_400_000;
const ROWS_PER_WRITE = 500;

/** Multiples of a number modulo a prime are all different, in no order. */
const [FACTOR, PRIME] = [48_271, 999_999_937];

/** Ids as long as the board's own, and in no order. */
const publisherId = (n: number) => `pub_${digits(n % PUBLISHERS, 14)}`;
export const postId = (n: number) =>
  isReply(n) ? `${rootId(n - 4)}-${digits(n % 1_000_000, 6)}` : rootId(n);
const rootId = (n: number) => `p${digits((n * FACTOR) % PRIME, 9)}`;
const isReply = (n: number) => n % 5 === 4;
const digits = (n: number, length: number) => String(n).padStart(length, "0");

/** Of length 1 in int8, as `src/search/ranking/vectors.ts` writes it: components around ±25. */
function vectorOf(random: () => number): Int8Array {
  return Int8Array.from({ length: DIMENSION }, () => Math.round((random() + random() + random() - 1.5) * 50));
}

/** Fills an empty store. */
export async function fillBoard(store: Store, size: BoardSize): Promise<void> {
  let mark: string | null = null;
  let pages: RowPage[] = [];
  let rows = 0;
  const flush = async () => {
    const to = `${Number(mark ?? 0) + 1}`;
    await store.transfer.write(pages, { name: "bench", from: mark, to });
    mark = to;
    pages = [];
    rows = 0;
  };
  for (const { kind, row } of rowsOf(size)) {
    const page = pages.at(-1);
    if (page?.kind === kind) (page.rows as unknown[]).push(row);
    else pages.push({ kind, rows: [row] } as RowPage);
    rows += 1;
    if (rows === ROWS_PER_WRITE) await flush();
  }
  await flush();
}

/** Gives rows in the order of writing. */
function* rowsOf(size: BoardSize): Generator<Row> {
  const random = seeded(7);
  for (let n = 0; n < PUBLISHERS; n += 1) yield { kind: "publisher", row: publisherRow(n, size) };
  let n = 0;
  for (const { notice, vector } of size.written === undefined
    ? believable(size, random)
    : noticesOf(size.written)) {
    const row = { ...postRow(n, notice, vector, size.now), ...at(size.now - (size.posts - n) * 1_000) };
    const { maker = { model: MODEL } } = size;
    yield { kind: "post", row: { ...row, embedding: { ...maker, vector } } };
    n += 1;
  }
}

interface Written {
  notice: Record<string, unknown>;
  vector: Int8Array;
}

function* believable({ posts, now }: BoardSize, random: () => number): Generator<Written> {
  for (const notice of notices(posts, now)) yield { notice, vector: vectorOf(random) };
}

function* noticesOf(posts: Iterable<IndexedPost>): Generator<Written> {
  for (const { entry, vector } of posts) {
    const { kind, title, body, tags, placeName: name, lat, lng, windowStart, createdAt, source } = entry;
    const location = name === null ? null : { name, lat, lng };
    const dated = windowStart === createdAt ? {} : { starts_at: new Date(windowStart).toISOString() };
    yield {
      notice: { kind, title, body, tags, location, ...dated, source_url: source },
      vector: vector ?? new Int8Array(DIMENSION),
    };
  }
}

function publisherRow(n: number, { posts, now }: BoardSize): BoardRows["publisher"] {
  return {
    ...aPublisher(publisherId(n), { name: `Publisher ${n}`, description: null, url: null, domain: null }),
    verifyToken: null,
    keyHash: keyHash(n),
    postCount: Math.ceil(posts / PUBLISHERS),
    createdAt: now,
    inboxNo: 0,
  };
}

/** The hash is as long as a SHA-256. */
const keyHash = (n: number) => digits(n, 64);

const at = (time: number) => ({ createdAt: time, updatedAt: time, writtenNo: time });

/** @param notice  one of `notices` */
function postRow(
  n: number,
  notice: Record<string, unknown>,
  vector: Int8Array,
  now: number,
): BoardRows["post"] {
  const startsAt = notice["starts_at"];
  return {
    ...aPost(postId(n), { link: null, timezone: null, metadata: {}, flags: [], inputHash: "" }),
    publisherId: publisherId(n),
    kind: notice["kind"] as BoardRows["post"]["kind"],
    title: notice["title"] as string,
    body: notice["body"] as string,
    tags: notice["tags"] as string[],
    location: notice["location"] as BoardRows["post"]["location"],
    startsAt: typeof startsAt === "string" && !isReply(n) ? Date.parse(startsAt) : null,
    expiresAt: now + 60 * DAY_MS,
    sourceUrl: (notice["source_url"] as string | null | undefined) ?? null,
    syndicated: n % 3 === 0,
    parentId: isReply(n) ? postId(n - 4) : null,
    replyCount: n % 5 === 0 ? 1 : 0,
    ...at(now),
    removedAt: null,
    embedding: { model: MODEL, vector },
  };
}
