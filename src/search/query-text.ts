import type { WordQuery } from "../schema/filter.ts";
import { wordsOf } from "./tokens.ts";

/** What a search text asks for: words for the index, and the text for the embedding. */
export interface QueryText extends WordQuery {
  /** The text as a person would say it, for the embedding: no operators, nothing excluded. Empty when no word is left. */
  plain: string;
}

/** Each word costs one posting list per query; 500 characters of prose hold fewer than these. */
const MAX_WORDS = 64;
const MAX_PHRASES = 16;
/** Ten times what callers may send; of a longer text only the beginning counts. */
const MAX_CHARS = 5000;

/** English words that occur in most posts and say nothing. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by
  can could d did do does doing down during each few for from further had has have having he her here hers him his how i
  if in into is it its itself just ll m me more most my no nor not of off on once only or other our ours out over own re
  s same she should so some such t than that the their theirs them then there these they this those through to too under
  until up ve very was we were what when where which while who whom why will with would you your yours`.split(
    /\s+/,
  ),
);

/**
 * Parses the `q` of a search: words, `"quoted phrases"`, `-excluded` words and `-"excluded phrases"`. Every input has a
 * meaning: a quote that is not closed is a blank, and so is one in the middle of a word (5" nails); a hyphen excludes
 * only at the start of a word (e-mail is e and mail).
 */
export function parseQueryText(q: string): QueryText {
  const any: string[] = [];
  const phrases: string[][] = [];
  const excluded: string[][] = [];
  const plain: string[] = [];
  for (const { text, quoted, negated, before } of partsOf(q)) {
    const words = wordsOf(text);
    plain.push(before, negated ? " " : text);
    if (words.length === 0) continue;
    if (negated) {
      if (excluded.length < MAX_PHRASES) excluded.push(words.slice(0, MAX_WORDS));
    } else if (quoted) {
      if (phrases.length < MAX_PHRASES) phrases.push(words.slice(0, MAX_WORDS));
    } else {
      any.push(...words);
    }
  }
  const telling = any.filter((word) => !STOP_WORDS.has(word));
  // With a phrase, a lone "the" beside it would only add noise.
  const kept = telling.length > 0 || phrases.length > 0 ? telling : any;
  const asked = kept.length > 0 || phrases.length > 0;
  return {
    any: kept.slice(0, MAX_WORDS),
    phrases,
    excluded,
    plain: asked ? plain.join("").replace(/\s+/g, " ").trim() : "",
  };
}

interface Part {
  text: string;
  quoted: boolean;
  negated: boolean;
  /** The text between the previous part and this one, without quotes. */
  before: string;
}

/** A quoted phrase at the start of a word, or a run without blanks, brackets and commas. */
const PART = /(?<![^\s"()[\]{},;])(?<sign>-*)"(?<phrase>[^"]*)"|(?<run>[^\s"()[\]{},;]+)/gu;

function* partsOf(q: string): Generator<Part> {
  const straight = q.slice(0, MAX_CHARS).replace(/[“”„‟«»＂]/gu, '"');
  let end = 0;
  for (const match of straight.matchAll(PART)) {
    const before = straight.slice(end, match.index).replaceAll('"', " ");
    end = match.index + match[0].length;
    const { sign, phrase, run } = match.groups ?? {};
    if (phrase !== undefined) yield { text: phrase, quoted: true, negated: sign !== "", before };
    else if (run !== undefined) {
      const starts = match.index === 0 || /[\s([{]/.test(straight[match.index - 1] ?? "");
      yield { text: run, quoted: false, negated: starts && run.startsWith("-"), before };
    }
  }
}
