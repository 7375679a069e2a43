import type { Request } from "express";
import type { Post } from "../../../schema/post.ts";
import { zoneOf } from "../../../schema/time/local-time.ts";
import { clockTimeIn, dateFormat, isAllDay, localDaysOf, shownEnd, statusOf } from "../../text/when.ts";
import { type Html, html } from "./html.ts";

/** Pages write dates and numbers in these languages. Their words are English. */
const TAGS = ["en", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh"] as const;
type Tag = (typeof TAGS)[number];

/** A date has these parts, as `Intl` names them. */
const FORMS = {
  /** It reads `Sat 5 Dec 2026`. */
  whole: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
  /** It reads `Sat 5 Dec`. */
  dayOfWeek: { weekday: "short", day: "numeric", month: "short" },
  /** It reads `Saturday 5 December`, as a screen reader says it. */
  spoken: { weekday: "long", day: "numeric", month: "long" },
  /** It reads `5 Dec 2026`. */
  date: { day: "numeric", month: "short", year: "numeric" },
  /** It reads `5 Dec`. */
  day: { day: "numeric", month: "short" },
  /** It reads `December 2026`. */
  wholeMonth: { month: "long", year: "numeric" },
  /** It reads `Dec 2026`. */
  monthAndYear: { month: "short", year: "numeric" },
  /** It reads `Dec`. */
  month: { month: "short" },
  /** It reads `Sat`. */
  weekday: { weekday: "short" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

type DateForm = keyof typeof FORMS;

/** Writes dates and numbers in a visitor's language. */
export class Language {
  readonly tag: Tag;
  readonly #numbers: Intl.NumberFormat;

  constructor(tag: Tag) {
    this.tag = tag;
    this.#numbers = new Intl.NumberFormat(tag);
  }

  /** Marks an element whose text is in this language; nothing where that is the page's own. */
  get attribute(): Html | null {
    return this.tag === "en" ? null : html` lang="${this.tag}"`;
  }

  /** Writes a number as text, where no element fits; else see `figure`. */
  number(value: number): string {
    return this.#numbers.format(value);
  }

  /** Shows a number, marked where it is not written as in English. */
  figure(value: number): Html {
    const text = this.number(value);
    return text === ENGLISH.number(value) ? html`${text}` : html`<span lang="${this.tag}">${text}</span>`;
  }

  /**
   * @param iso  ISO 8601
   * @param zone  an IANA name
   */
  date(iso: string, zone: string, form: DateForm): string {
    if (this.tag === "en" && form !== "wholeMonth" && form !== "spoken") return englishDate(iso, zone, form);
    // As the other dates in English have it, the day comes before the month.
    const tag = form === "spoken" && this.tag === "en" ? "en-GB" : this.tag;
    return dateFormat(tag, { ...FORMS[form], timeZone: zone })
      .format(new Date(iso))
      .replace(/^(\w+),/, "$1");
  }
}

const LANGUAGES = new Map(TAGS.map((tag) => [tag, new Language(tag)]));
export const ENGLISH = new Language("en");

/** Finds the visitor's language by `Accept-Language`; English where it names none of ours. */
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

/** Shows a day in UTC: `19 Nov 2026`. */
export const dayTag = (iso: string, language: Language): Html =>
  timeTag(iso, language.date(iso, "UTC", "date"), language);

/** Shows a moment in words of the visitor's language. */
export const timeTag = (iso: string, words: string, language: Language): Html =>
  html`<time datetime="${iso}"${language.attribute}>${words}</time>`;

/**
 * Tells when a post takes place, in its own time zone; null without a start and an end.
 * @param form  `dayOfWeek` leaves the year out
 */
export function whenTag(post: Post, language: Language, form: "whole" | "dayOfWeek" = "whole"): Html | null {
  const times = timesTag(post, language, form);
  const status = statusTag(post);
  return status === null ? times : html`${status}${times !== null && html` ${times}`}`;
}

/** Writes it as plain text, in English: `Sat 5 Dec 2026, 10:00–16:00`; empty without a start and an end. */
export const whenWords = (post: Post): string => String(whenTag(post, ENGLISH) ?? "").replace(/<[^>]*>/g, "");

/** Writes `Berlin time`; empty where a place of that name says it already. */
export function zoneWords(post: Post): string {
  const zone = zoneOf(post);
  const city = zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");
  return post.location?.name?.includes(city) === true ? "" : zone === "UTC" ? "UTC" : `${city} time`;
}

/** Tells that a post is cancelled, postponed or tentative; null for one that takes place. */
export const statusTag = (post: Post): Html | null => {
  const status = statusOf(post);
  return status === null ? null : html`<span class="warning">${status}</span>`;
};

function timesTag(post: Post, language: Language, form: "whole" | "dayOfWeek"): Html | null {
  const { starts_at: starts } = post;
  const ends = shownEnd(post);
  if (starts === null) return ends === null ? null : html`until ${dayAndTime(ends, post, language, form)}`;
  const zone = zoneOf(post);
  const start = clockTimeIn(starts, zone);
  const end = clockTimeIn(ends ?? starts, zone);
  const isSameDay = (["day", "month", "year"] as const).every((part) => start[part] === end[part]);
  if (ends === null || isSameDay) {
    const until = ends !== null && !isAllDay(post) && end.time !== start.time;
    return html`${dayAndTime(starts, post, language, form)}${until && html`–<time datetime="${ends}">${end.time}</time>`}`;
  }
  return html`${dayAndTime(starts, post, language, form)} – ${dayAndTime(ends, post, language, form)}`;
}

/**
 * Writes what a date stub leaves open: the hours of a day (`18:00–22:00`), or the last of several days. Null where it leaves
 * nothing open. The zone is named only where it is UTC for want of a better one.
 */
export function hoursTag(post: Post, language: Language): Html | null {
  const { starts_at: starts } = post;
  const ends = shownEnd(post);
  const zone = zoneOf(post);
  const lastDay = (iso: string) => html`until ${timeTag(iso, language.date(iso, zone, "day"), language)}`;
  if (starts === null) return ends === null ? null : lastDay(ends);
  const start = clockTimeIn(starts, zone);
  const end = clockTimeIn(ends ?? starts, zone);
  const days = localDaysOf(post);
  const oneDay = days?.first === days?.last;
  if (isAllDay(post)) return oneDay || ends === null ? null : lastDay(ends);
  const until = !oneDay && ends !== null ? html` ${lastDay(ends)}` : null;
  const last = oneDay && end.time !== start.time && `–${end.time}`;
  return html`<time datetime="${starts}">${start.time}</time>${last}${until}${zone === "UTC" && " UTC"}`;
}

function dayAndTime(iso: string, post: Post, language: Language, form: "whole" | "dayOfWeek"): Html {
  const zone = zoneOf(post);
  const time = isAllDay(post) ? "" : `, ${clockTimeIn(iso, zone).time}`;
  return timeTag(iso, language.date(iso, zone, form) + time, language);
}

/** Writes a UTC day such as `2026-11-19` as `19 Nov`; empty without a day. */
export const shortDay = (day: string | undefined, language: Language): string =>
  day === undefined ? "" : language.date(day, "UTC", "day");
