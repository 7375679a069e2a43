import type { Advice } from "../../../failures.ts";
import { sourceOf } from "../../../ports/index-entry.ts";
import type { SearchIndex } from "../../../ports/search-index.ts";
import type { PostStore, StoredPost } from "../../../ports/store/index.ts";
import { withoutStopWords } from "../../../search/stop-words.ts";
import { wordsOf } from "../../../search/tokens.ts";
import { filterOf } from "../../search/query.ts";
import { nearIdentical } from "./fingerprint.ts";

/** Long words are rare ones: a near-identical post has almost all of them, and stands among the first. */
const WORDS_ASKED = 12;
/** Of the posts with most of these words, so many are compared. */
const COMPARED = 20;
/** Of a text, as many characters are looked at for long words. */
const TEXT_CHARS = 2_000;

/**
 * A note to the writer of a new post when an active one of anybody else says nearly the same or names the same source: by a
 * look for its words in the index, and by the fingerprints and sources of what that finds.
 *
 * @returns none when the index cannot answer: the post is written, and must not be written again for want of advice
 */
export async function noteOnSaidAlready(
  { posts, index }: { posts: PostStore; index: SearchIndex },
  post: StoredPost,
  now: number,
): Promise<Advice[]> {
  const said = await othersLike(posts, index, post, now).catch(() => []);
  const [first] = said;
  if (first === undefined) return [];
  const like = nearIdentical(first.fingerprint, post.fingerprint)
    ? "Nearly the same as"
    : "From the same source as";
  const nearly = `${like} post ${first.id} of another publisher`;
  return [
    {
      rest: `${nearly}; if it is the same thing, reply there instead (POST /posts with \`parent_id\` "${first.id}") and take this one back (DELETE /posts/${post.id}).`,
      tools: `${nearly}; if it is the same thing, reply there instead (\`create_post\` with \`parent_id\` "${first.id}") and end this one (\`create_post\` with \`id\` "${post.id}" and \`expires_at\` "now").`,
      reading: `${nearly}; if it is the same thing, reply there instead.`,
    },
  ];
}

async function othersLike(
  posts: PostStore,
  index: SearchIndex,
  post: StoredPost,
  now: number,
): Promise<StoredPost[]> {
  const any = longWordsOf(`${post.title}\n${post.body}`);
  if (any.length === 0) return [];
  const words = { any, phrases: [], excluded: [] };
  const question = { filter: filterOf({}, now), words, vector: null, minCosine: 1 };
  const { matches } = await index.match(question, { limit: COMPARED, except: new Set([post.id]) });
  const rows = matches.length === 0 ? [] : await posts.many(matches.map(({ id }) => id));
  return rows.filter(
    (row) =>
      row.publisherId !== post.publisherId &&
      row.state === "active" &&
      row.expiresAt > now &&
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
