import { z } from "zod";
import type { PostInput } from "../src/schema/post.ts";
import { type Place, townOf } from "./places.ts";

/**
 * A row of the list of technology conferences at github.com/tech-conferences/conference-data (MIT licence), with the fields
 * in use, and a `topics` list where the source has one file a topic.
 */
export const Conference = z.object({
  name: z.string().trim().min(1),
  url: z.url(),
  /** Local dates, `YYYY-MM-DD`. */
  startDate: z.iso.date(),
  endDate: z.iso.date(),
  city: z.string().optional(),
  country: z.string().optional(),
  online: z.boolean().default(false),
  /** ISO 639-1 codes, comma-separated. */
  locales: z.string().default(""),
  topics: z.array(z.string()).default([]),
  cfpUrl: z.string().optional(),
  cfpEndDate: z.iso.date().optional(),
  offersSignLanguageOrCC: z.boolean().default(false),
});
export type Conference = z.output<typeof Conference>;

/**
 * A conference as a post of the wire. The same row gives the same post and the same idempotency key, so that importing
 * again adds nothing.
 *
 * Its window runs from the start of the first day to the end of the last, in the time zone of the place; in UTC for an
 * online conference or an unknown place. It names no expiry: the board's default (a day after the end, at least an hour
 * ahead, at most a year) also suits past conferences, which become a short-lived archive, and those more than a year
 * away, which the next import renews.
 */
export function conferencePost(conference: Conference): z.input<typeof PostInput> {
  const { name, url, startDate, endDate, city, country, online, topics, cfpUrl, cfpEndDate } = conference;
  const place = city === undefined ? null : townOf(city, country ?? null);
  const timezone = place?.timezone ?? "UTC";
  const where = city === undefined ? null : [city, country].filter((part) => part !== undefined).join(", ");
  const id = [name, startDate, city ?? "online"].map(slug).join(":");
  return {
    kind: "event",
    title: cut(`${name}, ${city ?? "online"}, ${datesInWords(startDate, endDate)}`, 200),
    body: bodyOf(conference, where),
    url,
    tags: tagsOf(conference),
    location: where === null ? null : locationOf(where, place),
    starts_at: instantIn(timezone, startDate, "00:00:00"),
    ends_at: instantIn(timezone, endDate, "23:59:59"),
    timezone,
    source_url: "https://github.com/tech-conferences/conference-data",
    syndicated: true,
    idempotency_key: cut(`conference-data:${id}`, 200),
    metadata: {
      source: "conference-data",
      source_id: id,
      source_name: "tech-conferences/conference-data",
      license: "MIT",
      all_day: true,
      online,
      in_person: city !== undefined,
      languages: localesOf(conference),
      topics,
      ...(country === undefined ? {} : { country }),
      ...(place === null
        ? {}
        : { country_code: place.countryCode, coordinates_from: "GeoNames (CC BY 4.0)" }),
      ...(cfpUrl === undefined ? {} : { cfp_url: cfpUrl }),
      ...(cfpEndDate === undefined ? {} : { cfp_ends: cfpEndDate }),
      ...(conference.offersSignLanguageOrCC ? { sign_language_or_captions: true } : {}),
    },
  };
}

/** What a person would search for, in sentences: subject, place, dates, languages, call for papers. */
function bodyOf(conference: Conference, where: string | null): string {
  const { name, startDate, endDate, online, topics, cfpUrl, cfpEndDate } = conference;
  const subjects = topics.map((topic) => TOPICS[topic] ?? topic);
  const dates = daysInWords(startDate, endDate);
  const languages = localesOf(conference).map((code) => LANGUAGES.of(code) ?? code);
  const sentences = [
    `${name} is a technology conference${subjects.length > 0 ? ` about ${listed(subjects)}` : ""}.`,
    where === null
      ? `It takes place online, ${dates}.`
      : `It takes place in ${where}, ${dates}${online ? ", and can be attended online" : ""}.`,
  ];
  if (languages.length > 0) sentences.push(`Talks are in ${listed(languages)}.`);
  if (conference.offersSignLanguageOrCC)
    sentences.push("Accessibility: sign language interpretation or closed captions are offered.");
  if (cfpUrl !== undefined || cfpEndDate !== undefined) {
    const until = cfpEndDate === undefined ? "" : ` until ${datesInWords(cfpEndDate, cfpEndDate)}`;
    sentences.push(`Call for papers: speakers can propose talks${until}.`);
  }
  return sentences.join("\n");
}

/** Topics of the source in words to find them by. */
const TOPICS: Readonly<Record<string, string>> = {
  general: "software development in general",
  accessibility: "accessibility (a11y)",
  api: "APIs",
  cpp: "C++",
  css: "CSS and web design",
  data: "data, analytics and machine learning",
  devops: "DevOps and cloud infrastructure",
  dotnet: ".NET",
  graphql: "GraphQL",
  identity: "digital identity",
  ios: "iOS and Swift",
  iot: "the internet of things (IoT)",
  java: "Java",
  javascript: "JavaScript and web development",
  leadership: "engineering leadership and management",
  networking: "computer networking",
  opensource: "open source",
  performance: "performance",
  php: "PHP",
  product: "product management",
  security: "information security",
  sre: "site reliability engineering (SRE)",
  "tech-comm": "technical communication and documentation",
  testing: "software testing and quality",
  typescript: "TypeScript",
  ux: "user experience and design (UX)",
  android: "Android",
  kotlin: "Kotlin",
  python: "Python",
  rust: "Rust",
  ruby: "Ruby",
  scala: "Scala",
  clojure: "Clojure",
  groovy: "Groovy",
  elixir: "Elixir",
  haskell: "Haskell",
  golang: "Go",
};

function tagsOf({ topics, online, offersSignLanguageOrCC }: Conference): string[] {
  const tags = ["conference", ...topics.map((topic) => cut(topic.toLowerCase(), 40))];
  if (online) tags.push("online");
  if (offersSignLanguageOrCC) tags.push("captions");
  return [...new Set(tags)].slice(0, 20);
}

function locationOf(where: string, place: Place | null) {
  const name = cut(where, 200);
  return place === null ? { name } : { name, lat: place.lat, lng: place.lng };
}

const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language" });
const AND = new Intl.ListFormat("en", { type: "conjunction" });
const listed = (parts: readonly string[]) => AND.format(parts);

const localesOf = ({ locales }: Conference): string[] =>
  locales
    .toLowerCase()
    .split(",")
    .map((code) => code.trim())
    .filter((code) => /^[a-z]{2,3}$/.test(code));

/** `8–12 June 2026`; `30 May – 2 June 2026` over a month's end. */
function datesInWords(first: string, last: string): string {
  return inWords(DATE, first, last);
}

/** `from Monday, 8 June to Friday, 12 June 2026`, or `on Monday, 8 June 2026`. */
function daysInWords(first: string, last: string): string {
  if (first === last) return `on ${inWords(DAY, first, first)}`;
  return `from ${inWords(DAY, first, first)} to ${inWords(DAY, last, last)}`;
}

const DATE = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });

const inWords = (format: Intl.DateTimeFormat, first: string, last: string) =>
  format
    .formatRange(new Date(first), new Date(last))
    .replace(/[\u2009\u202F]/g, " ")
    .replace(/(?<=\d) – (?=\d)/, "–");

/**
 * The instant at which clocks of a zone show a date and time, as ISO 8601 with the offset of that zone then.
 *
 * @param time  `HH:MM:SS`
 */
function instantIn(zone: string, date: string, time: string): string {
  const shown = Date.parse(`${date}T${time}Z`);
  // The offset at a first guess, then at the instant of that guess: right unless clocks change within that hour.
  let offsetMs = offsetIn(zone, shown);
  offsetMs = offsetIn(zone, shown - offsetMs);
  const minutes = Math.abs(offsetMs) / 60_000;
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${date}T${time}${offsetMs < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(Math.floor(minutes % 60))}`;
}

/** How far a zone's clocks are ahead of UTC at an instant, in milliseconds. */
function offsetIn(zone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(
    atMs,
  );
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign, hours = "0", minutes = "0"] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const slug = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

/** The beginning of a text, at most `units` UTF-16 units, never half a character. */
const cut = (text: string, units: number) => text.slice(0, units).replace(/[\uD800-\uDBFF]$/, "");
