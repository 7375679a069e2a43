import type { Request } from "express";
import { LRUCache } from "lru-cache";
import { clockTimeIn } from "../../text/clock.ts";
import { type Html, html } from "./html.ts";

/** The languages in which pages write dates and numbers. Their words are English. */
const TAGS = ["en", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh"] as const;
type Tag = (typeof TAGS)[number];

/** Parts of a date, as `Intl` names them. */
const FORMS = {
  /** `Sat 5 Dec 2026` */
  whole: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
  /** `Sat 5 Dec` */
  dayOfWeek: { weekday: "short", day: "numeric", month: "short" },
  /** `5 Dec 2026` */
  date: { day: "numeric", month: "short", year: "numeric" },
  /** `5 Dec` */
  day: { day: "numeric", month: "short" },
  /** `December 2026` */
  wholeMonth: { month: "long", year: "numeric" },
  /** `Dec 2026` */
  monthAndYear: { month: "short", year: "numeric" },
  /** `Dec` */
  month: { month: "short" },
  /** `Sat` */
  weekday: { weekday: "short" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

type DateForm = keyof typeof FORMS;

/** By language, form and zone. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });
/** The same posts are shown again and again. */
const dates = new LRUCache<string, string>({ max: 10_000 });

/** Dates and numbers in a visitor's language. */
export class Language {
  readonly tag: Tag;
  readonly #numbers: Intl.NumberFormat;

  constructor(tag: Tag) {
    this.tag = tag;
    this.#numbers = new Intl.NumberFormat(tag);
  }

  /** For an element whose text is in this language; nothing where that is the page's own. */
  get attribute(): Html | null {
    return this.tag === "en" ? null : html` lang="${this.tag}"`;
  }

  /** A number as text, where no element fits; else see `figure`. */
  number(value: number): string {
    return this.#numbers.format(value);
  }

  /** A number, marked where it is not written as in English. */
  figure(value: number): Html {
    const text = this.number(value);
    return text === ENGLISH.number(value) ? html`${text}` : html`<span lang="${this.tag}">${text}</span>`;
  }

  /**
   * @param iso  ISO 8601
   * @param zone  an IANA name
   */
  date(iso: string, zone: string, form: DateForm): string {
    if (this.tag === "en" && form !== "wholeMonth") return englishDate(iso, zone, form);
    const key = `${this.tag} ${form} ${zone}`;
    const known = dates.get(`${key} ${iso}`);
    if (known !== undefined) return known;
    const format = formats.get(key) ?? new Intl.DateTimeFormat(this.tag, { ...FORMS[form], timeZone: zone });
    formats.set(key, format);
    const date = format.format(new Date(iso));
    dates.set(`${key} ${iso}`, date);
    return date;
  }
}

const LANGUAGES = new Map(TAGS.map((tag) => [tag, new Language(tag)]));
export const ENGLISH = new Language("en");

/** The visitor's language, by `Accept-Language`; English where it names none of ours. */
export function languageOf(request: Request): Language {
  const accepted = request.acceptsLanguages([...TAGS]);
  return LANGUAGES.get(accepted as Tag) ?? ENGLISH;
}

/** Unlike that of `Intl`, it is the same in every version of Node, and has three letters for September too. */
function englishDate(iso: string, zone: string, form: DateForm): string {
  const { weekday, day, monthName, year } = clockTimeIn(iso, zone);
  const parts = { weekday, day, month: monthName, year };
  return (["weekday", "day", "month", "year"] as const)
    .filter((part) => part in FORMS[form])
    .map((part) => parts[part])
    .join(" ");
}
