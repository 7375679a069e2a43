import type { PublisherStore } from "../../ports/store/index.ts";
import { withoutStopWords } from "../../search/stop-words.ts";
import { wordsOf } from "../../search/tokens.ts";

/** Publishers of one name whose posts a search finds, at most. */
const NAMED_MAX = 10;
/** A shorter text is hardly a name. */
const NAME_MIN = 3;
/** What may stand before a name, in a search for what its publisher wrote. */
const LEAD =
  /^(?:(?:all |the )?(?:posts?|events?|offers?|requests?) )?(?:by|from|of|von|de|par|van|di|av|af)\s+/iu;

/** Ids of the publishers whose name a search is, or the beginning of one: their posts are found too. */
export async function publishersNamed(text: string, publishers: PublisherStore): Promise<string[]> {
  for (const name of new Set([text, text.replace(LEAD, "")])) {
    const isName = name.length >= NAME_MIN && withoutStopWords(wordsOf(name)).length > 0;
    // Quoted or excluded words are looked for in posts.
    if (!isName || /["“”„«»]|(?<!\S)-/u.test(name)) continue;
    const found = await publishers.named(name, NAMED_MAX);
    if (found.length > 0) return found;
  }
  return [];
}
