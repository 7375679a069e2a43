import type { en } from "chrono-node";
import { dayOf } from "../../resources.ts";
import { daysInOtherLanguages } from "./other-languages.ts";
import { type DaysInText, dayAfter, type Span, spanOf, weekOf } from "./spans.ts";

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

type DaysOfYear = (year: number) => Span;
const on =
  (month: number, first: number, last = first): DaysOfYear =>
  (year) => ({
    first: dayOf(Date.UTC(year, month - 1, first)),
    last: dayOf(Date.UTC(year, month - 1, last)),
  });
/** Days before or behind Easter Sunday. */
const easter =
  (first: number, last = first): DaysOfYear =>
  (year) => ({ first: dayAfter(easterOf(year), first), last: dayAfter(easterOf(year), last) });

/** Days that the parser does not know. A feast alone may be a thing: a Christmas tree, an Easter egg. */
const FEASTS: readonly [RegExp, DaysOfYear][] = [
  [/\bnew year'?s eve\b|\bsilvester\b|\bnochevieja\b|\bréveillon\b/i, on(12, 31)],
  [/\bnew year'?s day\b/i, on(1, 1)],
  [/\bchristmas eve\b|\bheiligabend\b|\bnochebuena\b/i, on(12, 24)],
  [/\bboxing day\b/i, on(12, 26)],
  [/\b(?:at|over|on|during) christmas\b/i, on(12, 24, 26)],
  [/\bhalloween\b/i, on(10, 31)],
  [/\bgood friday\b|\bkarfreitag\b|\bvendredi saint\b|\bviernes santo\b/i, easter(-2)],
  [/\beaster monday\b|\bostermontag\b|\blundi de pâques\b|\bpasquetta\b/i, easter(1)],
  [/\beaster sunday\b|\bostersonntag\b|\bdomingo de pascua\b/i, easter(0)],
  [/\bsemana santa\b/i, easter(-7, 0)],
  [
    /\b(?:at|over|during|this|next) easter\b|\beaster weekend\b|(?<!\p{L})(?:an|zu|über) ostern\b|(?<!\p{L})à pâques\b|\ba pasqua\b|\bna páscoa\b|\bmet pasen\b/iu,
    easter(-2, 1),
  ],
];

/** Easter Sunday of the western churches: the anonymous Gregorian algorithm, in the form of Butcher (1876). */
function easterOf(year: number): string {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const l = (32 + 2 * e + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  return dayOf(Date.UTC(year, 2, 22 + h + l - 7 * m));
}

/**
 * The days that a text speaks of: "this weekend", "tonight", "on Monday", "in February", "from 12 to 14 December", and the
 * like in `LANGUAGES`.
 *
 * @param now  epoch milliseconds
 * @param offsetMinutes  how far the clocks at the place are ahead of UTC
 */
export async function daysInText(
  text: string,
  now: number,
  offsetMinutes: number,
): Promise<DaysInText | null> {
  const today = dayOf(now + offsetMinutes * 60_000);
  for (const [words, daysOf] of FEASTS) {
    const [found] = words.exec(text) ?? [];
    if (found === undefined) continue;
    const year = Number(today.slice(0, 4));
    const [span, next] = [daysOf(year), daysOf(year + 1)];
    return { text: found, ...(span.last >= today ? span : next) };
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
