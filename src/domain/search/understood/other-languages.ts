import { dayOf } from "../../resources.ts";
import { AFTER_TOMORROW, type DayLanguage, LANGUAGES, SPANS } from "./day-words.ts";
import { type DaysInText, dayAfter, type Span, spanOf, weekOf, wholeMonth } from "./spans.ts";

/** Months that English spells the same way: without another word of that language, they are English. */
const ENGLISH_TOO = /^(?:april|august|september|november|december)$/i;
const NOT_ENGLISH = /\d\.|\b(?:bis|tot|au|al|im|ab|seit|vanaf|anfang|mitte|ende|eind|en)\b|t\/m/i;

/** A planet, a bar of chocolate, a cocktail: behind a number alone these are no months. */
const THINGS_TOO = /^(?:mars|mai)$/i;
const BEFORE_A_DAY = /(?:^|\s)(?:le|du|au|dès|jusqu['’]au|am|vom|den|dem|zum)\s*$/iu;

/**
 * The days that a text speaks of in German, Dutch, French, Spanish, Italian or Portuguese: "nächstes Wochenende", "le 5 mars".
 * Weekends, weeks and months are read here, since most of the parsers know none; single days by the parser.
 */
export async function daysInOtherLanguages(
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
    for (const result of parser.parse(text, reference, { forwardDate: true })) {
      const said = spanOf(result);
      // The island, or a person: in Spanish a day has no capital inside a sentence.
      const isName = result.text === "Hoy" && result.index > 0;
      if (said === null || isName || language.isNoDay.test(text.slice(0, result.index))) continue;
      const words = result.text.replace(/[\s,;:.]+$/, "");
      return opened(text, { index: result.index, text: words }, said, language);
    }
  }
  return null;
}

/** "dieses Wochenende", "la semaine prochaine". */
function spanNamed(text: string, today: string): DaysInText | null {
  const found = SPANS.exec(text);
  if (found?.groups === undefined) return null;
  const { this: present, next, behind, weekend, week } = found.groups;
  const isNext = next !== undefined || behind !== undefined;
  if (!isNext && present === undefined) return null;
  const [words] = found;
  if (weekend !== undefined) {
    // On a Sunday the coming one, as in English.
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

/** "12. bis 14. Dezember", "im Februar". */
function monthNamed(text: string, today: string, { language, days, whole }: MonthWords): DaysInText | null {
  const found = days.exec(text) ?? whole.exec(text);
  const { month: name = "", first, last, year } = found?.groups ?? {};
  if (found === null || (ENGLISH_TOO.test(name) && !NOT_ENGLISH.test(found[0]))) return null;
  const isTold =
    NOT_ENGLISH.test(found[0]) || year !== undefined || BEFORE_A_DAY.test(text.slice(0, found.index));
  if (last !== undefined && THINGS_TOO.test(name) && !isTold) return null;
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

/** A span, open at one end behind a word that says so. */
function opened(
  text: string,
  { index, text: words }: { index: number; text: string },
  span: Span,
  { from, until }: DayLanguage,
): DaysInText {
  const before = text.slice(0, index);
  const [opening] = until.exec(before) ?? [];
  if (opening !== undefined) return { first: null, last: span.last, text: opening + words };
  const [start] = span.first === span.last || span.first.endsWith("-01") ? (from.exec(before) ?? []) : [];
  return start === undefined
    ? { ...span, text: words }
    : { first: span.first, last: null, text: start + words };
}
