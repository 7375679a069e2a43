import type { en } from "chrono-node";
import { daysInOtherLanguages } from "./other-languages.ts";
import { type DaysInText, dayText, spanOf } from "./spans.ts";

/** Without one of these, no text is given to the parser, whose loading costs some 50 ms and 5 MB. */
const MAY_NAME_DAYS =
  /\b(?:to(?:day|night|morrow)|weekend|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:on|this|next) (?:mon|tue|wed|thu|fri|sat|sun)|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|new year'?s?|christmas|halloween|days?|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2})\b/i;
/** Words that are names of months or days only behind another, or beside a number. */
const AMBIGUOUS = /^(?:may|march|mar|sun|sat|mon|wed|fri|thu|tue|dec|jan|jun|sep)$/i;
const BEFORE_TIME = /\b(?:in|on|this|next|early|late|mid|by|until|till|from|since|before|after|during)\s+$/i;
/** Opens the end behind, or the one before. */
const FROM = /\b(?:from|starting|since|after|as of)\s+$/i;
const UNTIL = /\b(?:until|till|by|before)\s+$/i;

/** Days that the parser does not know, as month and day of the first and the last. */
const FEASTS: readonly [RegExp, first: [number, number], last: [number, number]][] = [
  [/\bnew year'?s eve\b|\bsilvester\b|\bnochevieja\b|\bréveillon\b/i, [12, 31], [12, 31]],
  [/\bnew year'?s day\b/i, [1, 1], [1, 1]],
  [/\bchristmas eve\b|\bheiligabend\b|\bnochebuena\b/i, [12, 24], [12, 24]],
  [/\bboxing day\b/i, [12, 26], [12, 26]],
  [/\b(?:at|over|on|during) christmas\b/i, [12, 24], [12, 26]],
  [/\bhalloween\b/i, [10, 31], [10, 31]],
];

/**
 * The days that a text speaks of: "this weekend", "tonight", "on Monday", "in February", "from 12 to 14 December", and the like in
 * `LANGUAGES`.
 *
 * @param now  epoch milliseconds
 * @param offsetMinutes  how far the clocks at the place are ahead of UTC
 */
export async function daysInText(
  text: string,
  now: number,
  offsetMinutes: number,
): Promise<DaysInText | null> {
  const today = dayText(now + offsetMinutes * 60_000);
  for (const [words, first, last] of FEASTS) {
    const [found] = words.exec(text) ?? [];
    if (found !== undefined) return { text: found, ...comingDays(today, first, last) };
  }
  const elsewhere = await daysInOtherLanguages(text, now, offsetMinutes);
  if (elsewhere !== null) return elsewhere;
  if (!MAY_NAME_DAYS.test(text)) return null;
  parser ??= (await import("chrono-node/en")).casual;
  const found = parser.parse(
    text,
    { instant: new Date(now), timezone: offsetMinutes },
    { forwardDate: true },
  );
  for (const result of found) {
    const before = text.slice(0, result.index);
    const isAlone = AMBIGUOUS.test(result.text) && !BEFORE_TIME.test(before);
    const span = isAlone || text[result.index - 1] === '"' ? null : spanOf(result);
    if (span === null) continue;
    if (UNTIL.test(before))
      return { first: null, last: span.last, text: withWord(before, UNTIL) + result.text };
    if (FROM.test(before) && result.end == null)
      return { first: span.first, last: null, text: withWord(before, FROM) + result.text };
    return { ...span, text: result.text };
  }
  return null;
}

let parser: typeof en.casual | undefined;

const withWord = (before: string, word: RegExp) => word.exec(before)?.[0] ?? "";

function comingDays(today: string, first: [number, number], last: [number, number]) {
  const year = Number(today.slice(0, 4));
  const in_ = (years: number, [month, day]: [number, number]) => dayText(Date.UTC(years, month - 1, day));
  const coming = in_(year, last) >= today ? year : year + 1;
  return { first: in_(coming, first), last: in_(coming, last) };
}
