import type { Hit } from "./concepts.ts";
import type { Evidence } from "./evidence.ts";

/** Where a text quotes, where it tells of attacks, and what its instructions are for. */
export interface Mentions {
  /** Of each UTF-16 unit the number of the quotation it is in, from 1; 0 outside. Null in a text that only acts. */
  quotes: Uint16Array | null;
  /** Words about attacks, by their place. */
  talk: readonly Hit[];
  /** Of each sentence where its first word about attacks ends. */
  reports: ReadonlyMap<number, number>;
  /** Where words such as "for" and "about" start. */
  topics: ReadonlySet<number>;
  /** The sentence of each word by its start. */
  sentences: ReadonlyMap<number, number>;
}

/** A quotation longer than 240 UTF-16 units is a text of its own. */
const QUOTES = /["“„«»「『][^"“”„«»「」『』\n]{1,240}["”“»«」』]|(?<![\p{L}\d])'[^'\n]{1,240}'(?!\p{L})/gu;

/** What stays of the weight of a sign that is quoted, told of, or about a topic. */
const LEFT = { quoted: 0.1, told: 0.4, topic: 0.5 } as const;

/** Signs that may have a topic, and then are seldom meant for a model. */
const ABOUT: ReadonlySet<string> = new Set(["override", "extraction", "mode"]);

/** Finds quotations, words such as "lecture", "attackers", "the phrase", and topics. `hits` are in order. */
export function mentionsOf(text: string, hits: readonly Hit[]): Mentions {
  const talk = hits.filter(({ concept }) => concept === "talk" || concept === "report");
  const reports = new Map<number, number>();
  for (const { concept, sentence, end } of talk)
    if (concept === "report" && !reports.has(sentence)) reports.set(sentence, end);
  return {
    quotes: talk.length === 0 ? null : quotesIn(text),
    talk,
    reports,
    topics: new Set(hits.filter(({ concept }) => concept === "topic").map(({ start }) => start)),
    sentences: new Map(hits.map(({ start, sentence }) => [start, sentence])),
  };
}

function quotesIn(text: string): Uint16Array {
  const quotes = new Uint16Array(text.length + 1);
  let number = 0;
  for (const { index, 0: quote } of text.matchAll(QUOTES)) {
    number += 1;
    quotes.fill(number, index, index + quote.length);
  }
  return quotes;
}

/**
 * How much of a sign's weight stays: all of it in a text that acts, little in one that tells of acts. A quotation needs
 * a word about attacks elsewhere in the text; without quotation marks that word comes before, in the same sentence.
 * Instructions for something ("your instructions for origami") are seldom those of a model.
 */
export function mentionFactor(
  sign: Evidence,
  { quotes, talk, reports, topics, sentences }: Mentions,
): number {
  const about = ABOUT.has(sign.kind);
  const topic = about && [0, 1, 2].some((gap) => topics.has(sign.end + gap)) ? LEFT.topic : 1;
  const [first, last] = [talk[0], talk.at(-1)];
  if (quotes === null || first === undefined || last === undefined) return topic;
  const quote = quotes[sign.start] ?? 0;
  const elsewhere = first.end <= sign.start || last.start >= sign.end;
  if (elsewhere && quote > 0 && quotes[Math.max(sign.start, sign.end - 2)] === quote) return LEFT.quoted;
  const report = reports.get(sentences.get(sign.start) ?? -1) ?? Number.POSITIVE_INFINITY;
  return report <= sign.start ? LEFT.told * topic : topic;
}
