import type { Embedder } from "../../ports/embedder.ts";
import type { Question, SearchIndex } from "../../ports/search-index.ts";
import { glossOf, isGlossed } from "../../search/text/glossary.ts";
import { doubtfulWords, type PlacedWord } from "../../search/text/query-text.ts";
import { CORRECTED_MIN } from "../../search/text/spelling.ts";
import { isAnyStopWord, isOtherLanguage } from "../../search/text/stop-words.ts";
import { comparableWords, respelt, WORD_LETTERS_MAX, withSigns, wordsOf } from "../../search/text/tokens.ts";

export interface Correction {
  from: string;
  to: string;
}

/** Holds a text with its slips put right. */
export interface CorrectedText {
  text: string;
  /** Corrections stand in the order of the text; there are none when it stands as it was typed. */
  corrections: Correction[];
}

/** In a language that the model does not read, every word looks misspelt, and a shorter one is near to too many others. */
const OTHER_LANGUAGE_MIN = 8;
/** Looking for one word's neighbours costs as much as a plain query. */
const CORRECTED_MAX = 12;

/**
 * Puts right what was misspelt: words that nobody on the board uses, that mean nothing to the model as they are spelt, and
 * that are a slip or two away from a word of the board. Without a model a word that nobody uses finds nothing anyway.
 */
export class Corrections {
  readonly #index: SearchIndex;
  readonly #embedder: Embedder;

  constructor(parts: { index: SearchIndex; embedder: Embedder }) {
    this.#index = parts.index;
    this.#embedder = parts.embedder;
  }

  /** @param spared  parts of the text that were understood as they are */
  async of(q: string, spared: readonly string[] = []): Promise<CorrectedText> {
    const spans = spared.map((part) => ({ from: q.indexOf(part), to: q.indexOf(part) + part.length }));
    const isSpared = (start: number) => spans.some(({ from, to }) => start >= from && start < to);
    const isForeign = isOtherLanguage(wordsOf(q)) || glossOf(q) !== "";
    const least = isForeign ? OTHER_LANGUAGE_MIN : CORRECTED_MIN;
    const isDoubtful = ({ word, start }: PlacedWord) =>
      word.length >= least && word.length <= WORD_LETTERS_MAX && !isSpared(start) && !this.#isKnown(word);
    const doubtful = doubtfulWords(q).slice(0, CORRECTED_MAX).filter(isDoubtful);
    if (doubtful.length === 0) return { text: q, corrections: [] };
    const meant = await this.#index.ask(
      "spellings",
      doubtful.map(({ word }) => word),
    );
    const corrections: Correction[] = [];
    let text = "";
    let end = 0;
    for (const [at, { word, start }] of doubtful.entries()) {
      const to = meant[at] ?? null;
      if (to === null) continue;
      corrections.push({ from: word, to });
      text += q.slice(end, start) + to;
      end = start + word.length;
    }
    return { text: text + q.slice(end), corrections };
  }

  #isKnown(word: string): boolean {
    if (isAnyStopWord(word.toLowerCase()) || isGlossed(word)) return true;
    return comparableWords(word).every((part) => this.#embedder.knowsWord(part));
  }
}

/** Says what was put right, and how to search for it as typed; nothing for no corrections. */
export function notesOnCorrections(corrections: readonly Correction[]): string[] {
  if (corrections.length === 0) return [];
  const taken = corrections.map(({ from, to }) => `"${from}" was taken for "${to}"`).join(", ");
  const words = corrections.length === 1 ? "that word" : "those words";
  return [`No post has ${words}: ${taken}. Quoted words are never corrected: "${corrections[0]?.from}".`];
}

/** At most this many unknown words are named: a query in a language that no post uses has only unknown ones. */
const UNKNOWN_NAMED = 3;
const OR = new Intl.ListFormat("en", { type: "disjunction" });

/** Says which words no post has, so that nobody takes what follows for an answer to them; nothing where each is known. */
export async function notesOnUnknownWords(
  index: SearchIndex,
  { subject, question: { words } }: { subject: readonly string[]; question: Question },
): Promise<string[]> {
  const asked = [...new Set(subject)];
  if (asked.length === 0) return [];
  const others = new Map(asked.map((word) => [word, respelt(word)]));
  const missing = new Set(await index.ask("unknownWords", [...new Set([...asked, ...others.values()])]));
  const unknown = asked.filter((word) => missing.has(word) && missing.has(others.get(word) ?? word));
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, UNKNOWN_NAMED).map((word) => `"${withSigns(word)}"`);
  const isAll = unknown.length === new Set(words?.any).size;
  return [
    `No post has ${OR.format(named)}; these ${isAll ? "are the nearest in meaning" : "match the rest"}.`,
  ];
}
