import type { Embedder } from "../../ports/embedder.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import type { Store } from "../../ports/store/index.ts";
import { glossOf } from "../../search/text/glossary.ts";
import { isStopWord } from "../../search/text/stop-words.ts";
import { wordsOf } from "../../search/text/tokens.ts";
import { filterOf } from "../search/query.ts";

/** This setting holds the latest count, as percent of the newest posts. */
export const UNREAD_SETTING = "unread_posts";

const NEWEST = 200;
/** Fewer words tell no language; a text in English has more stop words than one in twelve. */
const WORDS_MIN = 8;
const ENGLISH_SHARE = 1 / 12;

/** Stores how many of the newest posts a model for English cannot read; `doctor` shows it. */
export async function countUnread(
  { store, index, embedder }: { store: Store; index: SearchIndex; embedder: Embedder },
  now: number,
): Promise<void> {
  if (!embedder.english || !index.ready()) return;
  const all = { filter: filterOf({}, now), words: null, vector: null, minCosine: 0 };
  const newest = await index.ask("list", all, { order: "newest", after: null, limit: NEWEST });
  const posts = await store.posts.many(newest.map(({ id }) => id));
  const unread = posts.filter(({ title, body }) => isUnread(`${title}. ${body}`)).length;
  const percent = posts.length === 0 ? 0 : Math.round((100 * unread) / posts.length);
  await store.settings.set(UNREAD_SETTING, String(percent));
}

/** Tells whether a text is neither English nor in a language that the glossary knows. */
export function isUnread(text: string): boolean {
  const words = wordsOf(text);
  const english = words.filter(isStopWord).length;
  return words.length >= WORDS_MIN && english < ENGLISH_SHARE * words.length && glossOf(text) === "";
}
