import type { en } from "chrono-node";
import { dayOf } from "../../resources.ts";
import { AFTER_TOMORROW, type DayLanguage, LANGUAGES, SINCE, SPANS } from "./day-words.ts";
import { type DaysInText, dayAfter, type Span, spanOf, weekendOf, weekOf, wholeMonth } from "./spans.ts";

/** Without one of these, no text is given to the parser, whose loading costs some 50 ms and 5 MB. */
const MAY_NAME_DAYS =
  /\b(?:to(?:day|night|morrow)|this (?:morning|afternoon|evening)|weekend|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:on|this|next) (?:mon|tue|wed|thu|fri|sat|sun)|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|new year'?s?|christmas|halloween|days?|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2})\b/i;
/** These words are names of months or days only behind another, or beside a number. */
const AMBIGUOUS = /^(?:may|march|mar|sun|sat|mon|wed|fri|thu|tue|dec|jan|jun|sep)[.,]?$/i;
const BEFORE_TIME =
  /\b(?:in|on|this|next|early|late|mid|by|until|till|from|since|before|after|during|starting|as of)\s+$/i;
/** Opens the end behind, or the one before. */
const FROM = /\b(?:from|starting|since|after|as of)\s+$/i;
const WEEKEND_OF = /\bweekend of\s+(?:the\s+)?$/i;
const UNTIL = /\b(?:until|till|by|before)\s+$/i;

/** Spans from today are "next 14 days", "within two weeks", "in the coming week". "next week" is the calendar's. */
const FROM_TODAY =
  /\b(?:(?:in|within|over|during) )?(?:the )?(?:(?:(?:next|coming|following) |(?<=within ))(?<count>\d{1,2}|two|three|four|five|six|seven|ten)|coming) (?<unit>day|week|month)s?\b/i;
const COUNTS = ["", "", "two", "three", "four", "five", "six", "seven", "", "", "ten"];
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 };
/** How long something lasts is no date. */
const LASTING =
  /\bfor (?:a few|several|some|a couple of|an?|one|two|three|four|five|six|\d+) (?:day|night|week|month|year)s?\b/gi;
/** A price "a month" and a course of "two days" are no dates either; "in two days" is one. */
const ONLY_LASTING =
  /^(?:(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+) (?:hour|day|week|month|year)s?[ .,]*)+$/i;
/** The parser reads "between 1 and 5 December" only with words such as "to" and "through". */
const BETWEEN = /(?<=\bbetween (?:the )?\d{1,2}(?:st|nd|rd|th)? )and(?: the)?(?= \d)/gi;

type DaysOfYear = (year: number) => Span;
const on =
  (month: number, first: number, last = first): DaysOfYear =>
  (year) => ({
    first: dayOf(Date.UTC(year, month - 1, first)),
    last: dayOf(Date.UTC(year, month - 1, last)),
  });
/** These days lie before or behind Easter Sunday. */
const easter =
  (first: number, last = first): DaysOfYear =>
  (year) => ({ first: dayAfter(easterOf(year), first), last: dayAfter(easterOf(year), last) });

/** The parser does not know these days. */
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

/** Finds Easter Sunday of the western churches by the anonymous Gregorian algorithm, in the form of Butcher (1876). */
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
 * Finds the days that a text speaks of: "this weekend", "tonight", "on Monday", "in February", "from 12 to 14 December",
 * and the like in `LANGUAGES`.
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
  // The text stays as long as what was typed, so that the words can be found there.
  const dated = text
    .replace(LASTING, (lasting) => " ".repeat(lasting.length))
    .replace(BETWEEN, (and) => (and.length > 3 ? "through" : "to "));
  const found = parser.parse(
    dated,
    { instant: new Date(now), timezone: offsetMinutes },
    { forwardDate: true },
  );
  for (const result of found) {
    const before = text.slice(0, result.index);
    const isAlone =
      (AMBIGUOUS.test(result.text) && !BEFORE_TIME.test(before)) || ONLY_LASTING.test(result.text);
    const span = isAlone || text[result.index - 1] === '"' ? null : spanOf(result, today);
    // "weekend of 5 December" is that of the day behind.
    const isOf = /^(?: of)? (?:the )?\d/.test(dated.slice(result.index + result.text.length));
    if (span === null || (/weekend$/i.test(result.text) && isOf)) continue;
    const words = text.slice(result.index, result.index + result.text.length);
    if (WEEKEND_OF.test(before)) {
      return { ...weekendOf(span.first), text: withWord(before, WEEKEND_OF) + words };
    }
    // "since Monday" is the one that was, and so is "last Monday", which is never today.
    const isLast = /^last\s/i.test(words);
    const isPast = (isLast || /\bsince\s+$/i.test(before)) && result.start.isCertain("weekday");
    while (isPast && (isLast ? span.last >= today : span.first > today)) {
      span.first = dayAfter(span.first, -7);
      span.last = dayAfter(span.last, -7);
    }
    if (UNTIL.test(before)) return { first: null, last: span.last, text: withWord(before, UNTIL) + words };
    if (FROM.test(before) && result.end == null)
      return { first: span.first, last: null, text: withWord(before, FROM) + words };
    return { ...span, text: words };
  }
  return null;
}

let parser: typeof en.casual | undefined;

const withWord = (before: string, word: RegExp) => word.exec(before)?.[0] ?? "";

/** English spells these months the same way: without another word of that language, they are English. */
const ENGLISH_TOO = /^(?:april|august|september|november|december)$/i;
const NOT_ENGLISH = /\d\.|\b(?:bis|tot|au|al|im|ab|seit|vanaf|anfang|mitte|ende|eind|en)\b|t\/m/i;

/** A planet, a bar of chocolate, a cocktail: behind a number alone these are no months. */
const THINGS_TOO = /^(?:mars|mai)$/i;
const BEFORE_A_DAY = /(?:^|\s)(?:le|du|au|dès|jusqu['’]au|am|vom|den|dem|zum)\s*$/iu;

/**
 * Finds the days that a text speaks of in German, Dutch, French, Spanish, Italian or Portuguese: "nächstes Wochenende", "le
 * 5 mars". Weekends, weeks and months are read here, since most of the parsers know none; single days by the parser.
 */
async function daysInOtherLanguages(
  text: string,
  now: number,
  offsetMinutes: number,
): Promise<DaysInText | null> {
  const today = dayOf(now + offsetMinutes * 60_000);
  const span = spanNamed(text, today);
  if (span !== null) return span;
  const [later] = AFTER_TOMORROW.exec(text) ?? [];
  if (later !== undefined) return { text: later, first: dayAfter(today, 2), last: dayAfter(today, 2) };
  for (const months of MONTHS) {
    const named = monthNamed(text, today, months);
    if (named !== null) return named;
  }
  for (const language of LANGUAGES.filter(({ mayNameDays }) => mayNameDays.test(text))) {
    const parser = await language.parser();
    const reference = { instant: new Date(now), timezone: offsetMinutes };
    // The parsers know neither this apostrophe nor this Saturday; the text stays as long as what was typed.
    const plain = text.replaceAll("’", "'").replace(/sonnabend/gi, "samstag  ");
    for (const result of parser.parse(plain, reference, { forwardDate: true })) {
      const said = spanOf(result, today);
      // "Hoy" is the island here, or a person: in Spanish a day has no capital inside a sentence.
      const isName = result.text === "Hoy" && result.index > 0;
      const end = result.index + result.text.length;
      // Their words end at any letter with an accent: "frühen" is no Friday.
      const isPart = /^\p{L}/u.test(plain.slice(end));
      if (said === null || isName || isPart || language.isNoDay.test(text.slice(0, result.index))) continue;
      const isPast = SINCE.test(text.slice(0, result.index)) && result.start.isCertain("weekday");
      if (isPast && said.first > today) said.first = said.last = dayAfter(said.first, -7);
      const rest = /^\p{L}*/u.exec(text.slice(end))?.[0] ?? "";
      const words = (text.slice(result.index, end) + rest).replace(/[\s,;:.]+$/, "");
      return opened(text, { index: result.index, text: words }, said, language);
    }
  }
  return null;
}

/** Reads "dieses Wochenende", "la semaine prochaine". */
function spanNamed(text: string, today: string): DaysInText | null {
  const found = SPANS.exec(text);
  if (found?.groups === undefined) return null;
  const { this: present, next, behind, weekend, week } = found.groups;
  const isNext = next !== undefined || behind !== undefined;
  if (!isNext && present === undefined) return null;
  const [words] = found;
  if (weekend !== undefined) {
    // A Sunday means the coming one, as in English.
    const saturday = dayAfter(today, (6 - new Date(today).getUTCDay() + 7) % 7);
    const first = isNext && new Date(today).getUTCDay() > 0 ? dayAfter(saturday, 7) : saturday;
    return { text: words, first, last: dayAfter(first, 1) };
  }
  if (week !== undefined) return { text: words, ...weekOf(dayAfter(today, isNext ? 7 : 0)) };
  const [year = 0, month = 1] = today.split("-").map(Number);
  return { text: words, ...wholeMonth(year, month + Number(isNext)) };
}

interface MonthWords {
  language: DayLanguage;
  days: RegExp;
  whole: RegExp;
}

const MONTHS: readonly MonthWords[] = LANGUAGES.map((language) => {
  const { months, inMonth } = language;
  const name = `(?<month>${months.join("|")})(?:\\s+(?:de )?(?<year>20\\d\\d))?(?![\\p{L}\\d])`;
  const day = (group: string) => `(?<${group}>\\d{1,2})(?:\\.|er|º)?`;
  const to = "(?:bis(?: zum)?|t/m|tot(?: en met)?|au|al|a|e|et|y|und|en|-|–)";
  return {
    language,
    days: new RegExp(
      `(?<![\\p{L}\\d])(?:${day("first")}\\s*${to}\\s*)?${day("last")}\\s*(?:de |di )?${name}`,
      "iu",
    ),
    whole: new RegExp(`(?<!\\p{L})(?:${inMonth})\\s+${name}`, "iu"),
  };
});

/** Reads "12. bis 14. Dezember", "im Februar". */
function monthNamed(text: string, today: string, { language, days, whole }: MonthWords): DaysInText | null {
  const found = days.exec(text) ?? whole.exec(text);
  const { month: name = "", first, last, year } = found?.groups ?? {};
  if (found === null || (ENGLISH_TOO.test(name) && !NOT_ENGLISH.test(found[0]))) return null;
  const isDate =
    NOT_ENGLISH.test(found[0]) || year !== undefined || BEFORE_A_DAY.test(text.slice(0, found.index));
  if (last !== undefined && THINGS_TOO.test(name) && !isDate) return null;
  const month = language.months.indexOf(name.toLowerCase()) + 1;
  const inYear = (n: number): Span => {
    if (last === undefined) return wholeMonth(n, month);
    const day = (of: string) => dayOf(Date.UTC(n, month - 1, Number(of)));
    return {
      first: day(first !== undefined && Number(first) < Number(last) ? first : last),
      last: day(last),
    };
  };
  const thisYear = Number(today.slice(0, 4));
  const coming = inYear(thisYear).last >= today ? thisYear : thisYear + 1;
  const span = inYear(year === undefined ? coming : Number(year));
  if (last !== undefined && Number(last) > Number(wholeMonth(2024, month).last.slice(8))) return null;
  const [words] = found;
  const open = opened(text, { index: found.index, text: words }, span, language);
  if (last !== undefined || open.first === null || open.last === null) return open;
  // The word that opens an end may be one of those before a whole month.
  const at = words.toLowerCase().lastIndexOf(name.toLowerCase());
  const alone = opened(text, { index: found.index + at, text: words.slice(at) }, span, language);
  return alone.first === null || alone.last === null ? alone : open;
}

/** Opens a span at one end behind a word that says so. */
function opened(
  text: string,
  { index, text: words }: { index: number; text: string },
  span: Span,
  { from, until }: DayLanguage,
): DaysInText {
  const before = text.slice(0, index);
  const [opening] = until.exec(before) ?? [];
  if (opening !== undefined) return { first: null, last: span.last, text: opening + words };
  // Of several days with numbers, "vom 1. bis 3. März", the end is said.
  const isWhole = span.first.endsWith("-01") && !/^\d/.test(words);
  const [start] = span.first === span.last || isWhole ? (from.exec(before) ?? []) : [];
  return start === undefined
    ? { ...span, text: words }
    : { first: span.first, last: null, text: start + words };
}
