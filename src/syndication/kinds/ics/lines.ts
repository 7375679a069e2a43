import { FeedError } from "../../item.ts";

/** A line of a component. */
export interface Property {
  params: Readonly<Record<string, string>>;
  /** As written, escapes included. */
  value: string;
}

/** A part of a calendar, with the properties that the board reads by their names. */
export interface Component {
  name: string;
  properties: Map<string, Property[]>;
  parts: Component[];
}

/** The properties that are read. An error in any other one does no harm. */
const READ = new Set(
  "UID SUMMARY DESCRIPTION LOCATION GEO URL CATEGORIES STATUS CLASS SEQUENCE LAST-MODIFIED DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID METHOD X-WR-TIMEZONE TZID TZOFFSETTO".split(
    " ",
  ),
);
/** How deep a component lies. One that begins ends those of its level and below, whose own end is missing. */
const LEVELS: Readonly<Record<string, number>> = {
  VCALENDAR: 0,
  VEVENT: 1,
  VTODO: 1,
  VJOURNAL: 1,
  VFREEBUSY: 1,
  VTIMEZONE: 1,
};
const INNER_LEVEL = 2;

/** Mistakes of programs, and what they mean without doubt. */
const REPAIRS: readonly (readonly [RegExp, string])[] = [
  // Names of zones by Outlook have a colon, and are not always quoted.
  [/;TZID=(\((?:UTC|GMT)[^)]*\)[^":]*):/i, ';TZID="$1":'],
  [/;VALUE=(["']?)DATE-?TIME\1(?=[;:])/i, ""],
];
const LINE = /^([A-Z][A-Z\d-]*)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/i;
const PARAM = /;\s*([A-Z\d-]+)=("[^"]*"|[^;]*)/gi;

/**
 * The calendars of a text. A line that is no property belongs to the text before it: its program broke a line without folding
 * it.
 * @throws FeedError for anything but whole calendars
 */
export function calendarsIn(text: string): Component[] {
  const root: Component = { name: "", properties: new Map(), parts: [] };
  const open = [root];
  let last: Property | null = null;
  for (const line of text
    .replace(/^\uFEFF/, "")
    .replace(/\r?\n[ \t]/g, "")
    .split(/\r\n|\n|\r/)) {
    const mended = REPAIRS.reduce((mend, [found, meant]) => mend.replace(found, meant), line);
    const [, sent = "", params = "", value = ""] = LINE.exec(mended) ?? [];
    const name = sent.toUpperCase();
    const component = open.at(-1) as Component;
    if (name === "BEGIN") {
      const part: Component = { name: value.trim().toUpperCase(), properties: new Map(), parts: [] };
      open.length = Math.min(open.length, (LEVELS[part.name] ?? INNER_LEVEL + open.length) + 1);
      open.at(-1)?.parts.push(part);
      open.push(part);
      last = null;
    } else if (name === "END") {
      const at = open.findLastIndex((one) => one.name === value.trim().toUpperCase());
      if (at > 0) open.length = at;
      last = null;
    } else if (READ.has(name)) {
      last = { params: paramsIn(params), value };
      component.properties.set(name, [...(component.properties.get(name) ?? []), last]);
    } else if (sent !== "" && sent === name && !value.startsWith(" ")) last = null;
    else if (last !== null && line.trim() !== "") last.value += `\\n${line}`;
  }
  const calendars = root.parts.filter(({ name }) => name === "VCALENDAR");
  if (calendars.length === 0) throw new FeedError("This is no iCalendar file: it holds no VCALENDAR.");
  if (open.length > 1) throw new FeedError("This is no iCalendar file: it breaks off.");
  return calendars;
}

function paramsIn(text: string): Property["params"] {
  const params = [...text.matchAll(PARAM)].map(([, name = "", value = ""]) => [
    name.toUpperCase(),
    value.replace(/^"|"$/g, "").trim(),
  ]);
  return Object.fromEntries(params);
}

/** The first property of a name that is not empty. */
export const propertyOf = ({ properties }: Component, name: string): Property | null =>
  properties.get(name)?.find(({ value }) => value.trim() !== "") ?? null;

/** The text of a property, its escapes undone; empty without one. */
export const textFor = (component: Component, name: string): string =>
  unescaped(propertyOf(component, name)?.value ?? "").trim();

/** The values of all properties of a name; each property may have several, between commas. */
export const valuesOf = (component: Component, name: string): Property[] =>
  (component.properties.get(name) ?? []).flatMap(({ params, value }) =>
    value
      .split(/(?<!\\),/)
      .filter((one) => one.trim() !== "")
      .map((one) => ({ params, value: one })),
  );

export const unescaped = (value: string): string =>
  value.replace(/\\(.)/g, (_, sign: string) => (sign === "n" || sign === "N" ? "\n" : sign));
