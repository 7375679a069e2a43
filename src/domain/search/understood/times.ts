import type { en } from "chrono-node";
import { daysInOtherLanguages } from "./other-languages.ts";
import { type DaysInText, dayAfter, dayText, spanOf, weekOf } from "./spans.ts";

/** Without one of these, no text is given to the parser, whose loading costs some 50 ms and 5 MB. */
const MAY_NAME_DAYS =
  /\b(?:to(?:day|night|morrow)|weekend|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:on|this|next) (?:mon|tue|wed|thu|fri|sat|sun)|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|new year'?s?|christmas|halloween|days?|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2})\b/i;
/** Words that are names of months or days only behind another, or beside a number. */
const AMBIGUOUS = /^(?:may|march|mar|sun|sat|mon|wed|fri|thu|tue|dec|jan|jun|sep)$/i;
const BEFORE_TIME = /\b(?:in|on|this|next|early|late|mid|by|until|till|from|since|before|after|during)\s+$/i;
/** Opens the end behind, or the one before. */
const FROM = /\b(?:from|starting|since|after|as of)\s+$/i;
const WEEKEND_OF = /\bweekend of\s+(?:the\s+)?$/i;
const UNTIL = /\b(?:until|till|by|before)\s+$/i;

/** "next 14 days", "within two weeks", "in the coming week": spans from today. "next week" is the calendar's. */
const FROM_TODAY =
  /\b(?:(?:in|within|over|during) )?(?:the )?(?:(?:(?:next|coming|following) |(?<=within ))(?<count>\d{1,2}|two|three|four|five|six|seven|ten)|coming) (?<unit>day|week|month)s?\b/i;
const COUNTS = ["", "", "two", "three", "four", "five", "six", "seven", "", "", "ten"];
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 };
/** How long something lasts is no date. */
const LASTING =
  /\bfor (?:a few|several|some|a couple of|an?|one|two|three|four|five|six|\d+) (?:day|night|week|month|year)s?\b/gi;
/** "between 1 and 5 December", which the parser reads only with "to". */
const BETWEEN = /(?<=\bbetween (?:the )?\d{1,2}(?:st|nd|rd|th)? )and(?= (?:the )?\d)/gi;

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
  const ahead = FROM_TODAY.exec(text);
  if (ahead?.groups !== undefined) {
    const { count = "1", unit = "day" } = ahead.groups;
    const number =
      COUNTS.indexOf(count.toLowerCase()) > 0 ? COUNTS.indexOf(count.toLowerCase()) : Number(count);
    const days = number * (UNIT_DAYS[unit.toLowerCase()] ?? 1);
    return { text: ahead[0], first: today, last: dayAfter(today, days) };
  }
  const elsewhere = await daysInOtherLanguages(text, now, offsetMinutes);
  if (elsewhere !== null) return elsewhere;
  if (!MAY_NAME_DAYS.test(text)) return null;
  parser ??= (await import("chrono-node/en")).casual;
  // As long as what was typed, so that the words can be found there.
  const dated = text.replace(LASTING, (lasting) => " ".repeat(lasting.length)).replace(BETWEEN, "to ");
  const found = parser.parse(
    dated,
    { instant: new Date(now), timezone: offsetMinutes },
    { forwardDate: true },
  );
  for (const result of found) {
    const before = text.slice(0, result.index);
    const isAlone = AMBIGUOUS.test(result.text) && !BEFORE_TIME.test(before);
    const span = isAlone || text[result.index - 1] === '"' ? null : spanOf(result);
    // "weekend of 5 December" is that of the day behind.
    const isOf = /^(?: of)? (?:the )?\d/.test(dated.slice(result.index + result.text.length));
    if (span === null || (/weekend$/i.test(result.text) && isOf)) continue;
    const words = text.slice(result.index, result.index + result.text.length);
    if (WEEKEND_OF.test(before)) {
      const { last } = weekOf(span.first);
      return { first: dayAfter(last, -1), last, text: withWord(before, WEEKEND_OF) + words };
    }
    // "since Monday" is the one that was.
    const isPast = /\bsince\s+$/i.test(before) && result.start.isCertain("weekday") && span.first > today;
    if (isPast) span.first = dayAfter(span.first, -7);
    if (UNTIL.test(before)) return { first: null, last: span.last, text: withWord(before, UNTIL) + words };
    if (FROM.test(before) && result.end == null)
      return { first: span.first, last: null, text: withWord(before, FROM) + words };
    return { ...span, text: words };
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
