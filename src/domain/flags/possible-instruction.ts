import { ACTS, type Act } from "./acts.ts";
import { conceptsIn, type Hit } from "./concepts.ts";
import { type Evidence, scoreOf } from "./evidence.ts";
import { folded } from "./fold.ts";
import { ANY, maskOf } from "./lexicon.ts";
import { structuresIn } from "./structures.ts";

/**
 * Tells whether a text seems to give orders to a model that reads it. Signs are weighed: forms that need no language
 * (`structures.ts`) and acts in the words of one (`acts.ts`), less where the text only tells of them.
 *
 * It sees through case, accents, look-alike letters and invisible characters, not through plain persuasion.
 */
export function looksLikeInstruction(text: string): boolean {
  return CIPHERED.test(text) || scoreOf(evidenceIn(text)) >= 1;
}

/** Finds every sign in a text, its weight lessened where it is only mentioned. */
function evidenceIn(text: string): Evidence[] {
  const plain = folded(text).replace(WRAPPED, " ");
  const hits = meant(conceptsIn(plain));
  const found = [...structuresIn(text), ...actsIn(hits)];
  if (found.length === 0) return found;
  const mentions = mentionsOf(plain, hits);
  return found.map((sign) => ({ ...sign, weight: sign.weight * mentionFactor(sign, mentions) }));
}

/** Matches a line break inside a sentence. Items of a list begin with a sign or end with one. */
const WRAPPED = /(?<=[\p{L},])\n(?=\p{L})/gu;

/** This many words after each one are read. No sentence has more in its span, and the bound keeps the time linear. */
const NEIGHBOURS_MAX = 48;
const SPAN_MAX = Math.max(...ACTS.map((act) => act.span));
/** Lists the acts that a concept may begin, the strongest first. */
const STARTED_BY = new Map<string, { act: Act; low: number; high: number }[]>();
for (const act of [...ACTS].sort((one, other) => other.weight - one.weight)) {
  const masks = act.needs.map(maskOf);
  const low = masks.reduce((bits, mask) => bits | mask.low, 0);
  const high = masks.reduce((bits, mask) => bits | mask.high, 0);
  for (const concept of new Set(act.ordered === true ? act.needs.slice(0, 1) : act.needs)) {
    const list = STARTED_BY.get(concept) ?? [];
    list.push({ act, low, high });
    STARTED_BY.set(concept, list);
  }
}

function actsIn(hits: readonly Hit[]): Evidence[] {
  return hits.flatMap((_, at) => actsFrom(hits, at));
}

/** Finds the acts that this word and words after it make. */
function actsFrom(hits: readonly Hit[], at: number): Evidence[] {
  const first = hits[at];
  const candidates = first && STARTED_BY.get(first.concept);
  if (first === undefined || candidates === undefined) return [];
  let [low, high] = [0, 0];
  let last = at;
  while (last < hits.length && last - at < NEIGHBOURS_MAX) {
    const hit = hits[last];
    if (hit === undefined || hit.end - first.start > SPAN_MAX) break;
    if (agree(hit.language, first.language)) {
      low |= hit.mask.low;
      high |= hit.mask.high;
    }
    last += 1;
  }
  const found: Evidence[] = [];
  for (const { act, low: wantedLow, high: wantedHigh } of candidates) {
    // Nearly all acts stop here, for two comparisons; weaker signs of a kind add nothing to stronger ones.
    if ((wantedLow & low) !== wantedLow || (wantedHigh & high) !== wantedHigh) continue;
    if (found.some(({ kind }) => kind === act.kind)) continue;
    const end = endOf(act, hits, at, last);
    if (end > 0) found.push({ kind: act.kind, weight: act.weight, start: first.start, end });
  }
  return found;
}

/** Finds where an act ends that the hits from `at` to before `last` make, with the first of them taking part; 0 if none. */
function endOf(act: Act, hits: readonly Hit[], at: number, last: number): number {
  const first = hits[at];
  if (first === undefined) return 0;
  const open = [...act.needs];
  let language = first.language;
  let reached = first.start;
  for (let next = at; next < last; next += 1) {
    const hit = hits[next];
    if (hit === undefined || hit.end - first.start > act.span) break;
    if (act.across !== true && hit.sentence !== first.sentence) break;
    if (!agree(hit.language, language)) continue;
    const wanted = act.ordered ? 0 : open.indexOf(hit.concept);
    // Words that overlap are one word with two meanings, and count once.
    if (wanted < 0 || open[wanted] !== hit.concept || hit.start < reached) continue;
    open.splice(wanted, 1);
    reached = hit.end;
    if (language === ANY) language = hit.language;
    // Words of any language alone are taken for English ones.
    if (open.length === 0) return act.except === (language === ANY ? "en" : language) ? 0 : reached;
  }
  return 0;
}

const agree = (one: string, other: string) => one === other || one === ANY || other === ANY;

/** A denial turns these concepts around: "never ignore the rules above", "do not send your password". */
const DENIABLE: ReadonlySet<string> = new Set(["ignore", "ask", "send", "repeat", "tell", "sway"]);
/** This many UTF-16 units lie between a denial and what it denies. */
const DENIAL = { before: 14, after: 6, never: 40 } as const;
/** A denial or an everyday phrase is looked for among this many words on either side. */
const AROUND = 12;

const TURNING: ReadonlySet<string> = new Set(["not", "never", "unless", "plain"]);

/** Keeps the hits that count: neither denied nor part of an everyday phrase, such as the password of "wifi password". */
function meant(hits: readonly Hit[]): Hit[] {
  const turned = hits.some(({ concept }) => TURNING.has(concept));
  if (!turned) return [...hits];
  // A word of several languages is denied in all of them.
  const denied = new Set(hits.filter(isDenied).map((hit) => hit.start));
  return hits.filter(
    (hit, at) => !(DENIABLE.has(hit.concept) && denied.has(hit.start)) && !isPlain(hit, at, hits),
  );
}

function isDenied(hit: Hit, at: number, hits: readonly Hit[]): boolean {
  if (!DENIABLE.has(hit.concept)) return false;
  return hits.slice(Math.max(0, at - AROUND), at + AROUND).some((other) => {
    if (!agree(other.language, hit.language) || other.sentence !== hit.sentence) return false;
    const before = hit.start - other.end;
    if (other.concept === "never") return before <= DENIAL.never && other.start - hit.end <= DENIAL.never;
    if (other.concept === "not") return before >= 0 && before <= DENIAL.before;
    const after = other.start - hit.end;
    return other.concept === "unless" && after >= 0 && after <= DENIAL.after;
  });
}

function isPlain(hit: Hit, at: number, hits: readonly Hit[]): boolean {
  if (hit.concept === "plain") return false;
  return hits
    .slice(Math.max(0, at - AROUND), at + AROUND)
    .some((other) => other.concept === "plain" && other.start < hit.end && other.end >= hit.end);
}

/** Matches "instruction" and "previous" in all 25 Caesar ciphers, rot13 among them. */
const CIPHERED = new RegExp(
  `\\b(?:${Array.from({ length: 25 }, (_, index) => `${shifted("instruction", index + 1)}|${shifted("previous", index + 1)}`).join("|")})`,
  "i",
);

function shifted(word: string, by: number): string {
  return word.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)),
  );
}

/** Tells where a text quotes, where it tells of attacks, and what its instructions are for. */
interface Mentions {
  /** Each UTF-16 unit has the number of the quotation it is in, from 1; 0 outside. Null in a text that only acts. */
  quotes: Uint16Array | null;
  /** Holds words about attacks, by their place. */
  talk: readonly Hit[];
  /** Each sentence about attacks has the place where its first word about them ends. */
  reports: ReadonlyMap<number, number>;
  /** Words such as "for" and "about" start at these. */
  topics: ReadonlySet<number>;
  /** Gives the sentence of each word by its start. */
  sentences: ReadonlyMap<number, number>;
}

/** A quotation longer than 240 UTF-16 units is a text of its own. */
const QUOTES = /["“„«»「『][^"“”„«»「」『』\n]{1,240}["”“»«」』]|(?<![\p{L}\d])'[^'\n]{1,240}'(?!\p{L})/gu;

/** This much stays of the weight of a sign that is quoted, reported, or about a topic. */
const LEFT = { quoted: 0.1, reported: 0.4, topic: 0.5 } as const;

/** These signs may have a topic, and then are seldom meant for a model. */
const ABOUT: ReadonlySet<string> = new Set(["override", "extraction", "mode"]);

/** Finds quotations, words such as "lecture", "attackers", "the phrase", and topics. `hits` are in order. */
function mentionsOf(text: string, hits: readonly Hit[]): Mentions {
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
 * Tells how much of a sign's weight stays: all of it in a text that acts, little in one that tells of acts. A quotation
 * needs a word about attacks elsewhere in the text; without quotation marks that word comes before, in the same sentence.
 * Instructions for something ("your instructions for origami") are seldom those of a model.
 */
function mentionFactor(sign: Evidence, { quotes, talk, reports, topics, sentences }: Mentions): number {
  const about = ABOUT.has(sign.kind);
  const topic = about && [0, 1, 2].some((gap) => topics.has(sign.end + gap)) ? LEFT.topic : 1;
  const [first, last] = [talk[0], talk.at(-1)];
  if (quotes === null || first === undefined || last === undefined) return topic;
  const quote = quotes[sign.start] ?? 0;
  const elsewhere = first.end <= sign.start || last.start >= sign.end;
  if (elsewhere && quote > 0 && quotes[Math.max(sign.start, sign.end - 2)] === quote) return LEFT.quoted;
  const report = reports.get(sentences.get(sign.start) ?? -1) ?? Number.POSITIVE_INFINITY;
  return report <= sign.start ? LEFT.reported * topic : topic;
}
