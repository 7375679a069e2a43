import { type Advice, BoardError } from "../../board/failures.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time.ts";
import { sourceOf } from "../../ports/index-entry.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import type { InsertGuard, PostStore, Store, StoredPost } from "../../ports/store/index.ts";
import { withoutLigatures } from "../../schema/text.ts";
import { withoutStopWords } from "../../search/text/stop-words.ts";
import { wordsOf } from "../../search/text/tokens.ts";
import { filterOf } from "../search/query.ts";
import { adviceToEdit } from "./advice.ts";

/** Two posts are compared by these. */
export interface Compared {
  title: string;
  body: string;
  startsAt: number | null;
  location: { name: string | null; lat: number | null; lng: number | null } | null;
}

/**
 * Makes a post's fingerprint, which finds near-identical posts without comparing texts: a 64-bit SimHash of its words, of
 * which few bits differ when few words do. Case, accents, punctuation and emoji do not count. Method: M. Charikar,
 * "Similarity estimation techniques from rounding algorithms" (STOC 2002); for near-duplicates Manku, Jain and Das Sarma
 * (WWW 2007).
 *
 * @returns `<16 hex digits>.<words>.<8 hex digits>`; time is linear in the length of the text
 */
export function fingerprint({ title, body, startsAt, location }: Compared): string {
  const text = foldedTo(`${title}\n${body}`);
  const words = wordsToCompare(text);
  const place = [location?.name?.toLowerCase() ?? "", location?.lat ?? "", location?.lng ?? ""];
  const apart = JSON.stringify([text.match(/\p{N}+/gu) ?? [], startsAt, ...place]);
  return [simHash(words), words.length, hash32(apart, 0x811c9dc5).toString(16).padStart(8, "0")].join(".");
}

/** Gives 16 hex digits; time is linear in the number of words. */
function simHash(words: readonly string[]): string {
  const votes = new Int32Array(64);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    vote(votes, word);
    // Pairs capture the order, which tells texts with a common vocabulary apart.
    vote(votes, `${word} ${words[at + 1] ?? ""}`);
  }
  let hex = "";
  for (let nibble = 0; nibble < 16; nibble += 1) {
    let value = 0;
    for (let bit = 0; bit < 4; bit += 1) if ((votes[nibble * 4 + bit] ?? 0) > 0) value |= 1 << bit;
    hex += value.toString(16);
  }
  return hex;
}

/**
 * Tells whether two fingerprints belong to near-identical posts: the same numbers, start and place, and nearly the same words.
 * The cut was measured: changing one word in thirty moves a fingerprint by 6 bits, in one case of twenty by more than 10. Of
 * 33,670 pairs of 260 hand-written posts none is within 12 bits. Long texts of one language share most words, so less may differ
 * there.
 */
export function nearIdentical(a: string, b: string): boolean {
  const [hashA = "", wordsA, apartA] = a.split(".");
  const [hashB = "", wordsB, apartB] = b.split(".");
  if (apartA !== apartB) return false;
  return bitsApart(hashA, hashB) <= nearBits(Math.min(Number(wordsA), Number(wordsB)));
}

const nearBits = (words: number) => (words <= 150 ? 11 : words <= 400 ? 9 : 6);

/** Counts the bits in which two fingerprints of 16 hex digits differ, 0 to 64. */
function bitsApart(a: string, b: string): number {
  let apart = 0;
  for (let at = 0; at < 16; at += 4) {
    let difference = Number.parseInt(a.slice(at, at + 4), 16) ^ Number.parseInt(b.slice(at, at + 4), 16);
    for (; difference !== 0; difference &= difference - 1) apart += 1;
  }
  return apart;
}

const foldedTo = (text: string) =>
  withoutLigatures(text)
    .normalize("NFKD")
    .replace(/[\p{Mn}\p{Cf}]/gu, "")
    .toLowerCase()
    .normalize("NFC");

/** Every character of a script without blanks is a word. A text without a single word gives its signs. */
const wordsToCompare = (text: string): string[] => text.match(WORDS) ?? Array.from(text.trim());

const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\p{L})+/gu;

/** Adds a feature's vote for each bit: its hash has a one there, or a zero. */
function vote(votes: Int32Array, feature: string): void {
  const low = hash32(feature, 0x811c9dc5);
  const high = hash32(feature, 0x9747b28c);
  for (let bit = 0; bit < 32; bit += 1) {
    votes[bit] = (votes[bit] ?? 0) + ((low >>> bit) & 1 ? 1 : -1);
    votes[bit + 32] = (votes[bit + 32] ?? 0) + ((high >>> bit) & 1 ? 1 : -1);
  }
}

/** Hashes by FNV-1a over UTF-16 units with the finish of MurmurHash3, so that every input bit reaches every output bit. */
function hash32(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The post that would be the fifth near-identical one within an hour is refused. */
const STORM_POSTS = 5;
/** At most this many of the publisher's posts of the last 30 days are compared. */
const FINGERPRINTS_MAX = 500;
/** Among many near-duplicates only the latest few are searched for one to edit. */
const NOTED_MAX = 20;

/** The earlier post is of the same publisher and says nearly the same; it may have been removed since. */
export interface NearDuplicate {
  id: string;
  createdAt: number;
}

/**
 * Finds near-duplicates of a fingerprint among a publisher's own posts, and refuses the post that would be the fifth
 * within an hour. The store asks inside the write, so posts that are sent at once count each other.
 *
 * @param options.relayed  see `Writing.create`: none is refused
 * @returns a guard that throws BoardError `duplicate_storm`, and what it found, newest first
 */
export function stormGuard(
  print: string,
  now: number,
  { relayed = false }: { relayed?: boolean } = {},
): { guard: InsertGuard; found: () => readonly NearDuplicate[] } {
  let near: readonly NearDuplicate[] = [];
  const guard: InsertGuard = {
    since: now - 30 * DAY_MS,
    limit: FINGERPRINTS_MAX,
    check(earlier) {
      near = earlier.filter((post) => nearIdentical(post.fingerprint, print));
      const oldest = near.filter(({ createdAt }) => createdAt > now - HOUR_MS)[STORM_POSTS - 2];
      if (oldest === undefined || relayed) return;
      const retryAfterS = Math.max(1, Math.ceil((oldest.createdAt + HOUR_MS - now) / 1000));
      const hint = adviceToEdit(
        near[0]?.id ?? oldest.id,
        (call) => `Change the post that is there: ${call}; or wait until an hour has passed.`,
      );
      throw new BoardError("duplicate_storm", { retryAfterS, hint });
    },
  };
  return { guard, found: () => near };
}

/** Notes to the writer that one of their earlier posts still exists and says nearly the same. */
export async function noteOnDuplicates(posts: PostStore, near: readonly NearDuplicate[]): Promise<Advice[]> {
  if (near.length === 0) return [];
  const rows = await posts.many(near.slice(0, NOTED_MAX).map(({ id }) => id));
  const there = rows.find(({ state }) => state !== "removed");
  if (there === undefined) return [];
  return [
    adviceToEdit(
      there.id,
      (call) => `Nearly the same as your post ${there.id}; consider changing that one instead: ${call}.`,
    ),
  ];
}

/** Long words are rare ones: a near-identical post has almost all of them, and stands among the first. */
const WORDS_ASKED = 12;
/** This many of the posts with most of these words are compared. */
const COMPARED = 20;
/** Long words are looked for in this much of a text. */
const TEXT_CHARS = 2_000;

/**
 * Tells the writer of a new post when an active one of anybody else says nearly the same or names the same source: by a
 * look for its words in the index, and by the fingerprints and sources of what that finds.
 */
export async function noteOnSaidAlready(
  parts: { store: Store; index: SearchIndex },
  post: StoredPost,
  now: number,
): Promise<Advice[]> {
  const said = await othersLike(parts, post, now).catch(() => []);
  const [first] = said;
  if (first === undefined) return [];
  const like = nearIdentical(first.fingerprint, post.fingerprint)
    ? "Nearly the same as"
    : "From the same source as";
  const nearly = `${like} post ${first.id} of another publisher`;
  return [
    {
      rest: `${nearly}; if it is the same thing, reply there instead (POST /posts with \`parent_id\` "${first.id}") and take this one back (DELETE /posts/${post.id}).`,
      tools: `${nearly}; if it is the same thing, reply there instead (create_post {"parent_id":"${first.id}"} with your \`body\`) and take this one down (create_post {"id":"${post.id}","delete":true}).`,
    },
  ];
}

async function othersLike(
  { store, index }: { store: Store; index: SearchIndex },
  post: StoredPost,
  now: number,
): Promise<StoredPost[]> {
  const any = longWordsOf(`${post.title}\n${post.body}`);
  if (any.length === 0) return [];
  const words = { any, phrases: [], excluded: [] };
  const question = { filter: filterOf({}, now), words, vector: null, minCosine: 1 };
  const found = await index.ask("rank", question, { limit: COMPARED, except: new Set([post.id]) });
  const rows = found.length === 0 ? [] : await store.posts.many(found.map(({ id }) => id));
  return rows.filter(
    (row) =>
      row.publisherId !== post.publisherId &&
      row.state === "active" &&
      (nearIdentical(row.fingerprint, post.fingerprint) || sameSource(row, post)),
  );
}

function sameSource(a: StoredPost, b: StoredPost): boolean {
  const source = sourceOf(a);
  return source !== null && source === sourceOf(b);
}

function longWordsOf(text: string): string[] {
  const words = [...new Set(withoutStopWords(wordsOf(text.slice(0, TEXT_CHARS))))];
  return words.sort((a, b) => b.length - a.length).slice(0, WORDS_ASKED);
}
