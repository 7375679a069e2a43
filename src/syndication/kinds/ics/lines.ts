import { FeedError } from "../../item.ts";

export interface Property {
  params: Readonly<Record<string, string>>;
  /** The value is as written, escapes included. */
  value: string;
}

/** A part of a calendar has the properties that the board reads, by their names. */
export interface Component {
  name: string;
  properties: Map<string, Property[]>;
  parts: Component[];
}

/** These properties are read. */
const READ = new Set(
  "UID SUMMARY DESCRIPTION LOCATION GEO URL CONFERENCE X-GOOGLE-CONFERENCE CATEGORIES STATUS CLASS SEQUENCE LAST-MODIFIED DTSTART DTEND DURATION RRULE EXRULE RDATE EXDATE RECURRENCE-ID METHOD X-WR-TIMEZONE TZID TZOFFSETTO".split(
    " ",
  ),
);
/** The other ones are registered too (RFC 5545, 7986, 9073, 9074, 9253). */
const UNREAD = new Set(
  "CALSCALE PRODID VERSION ATTACH COMMENT PERCENT-COMPLETE PRIORITY RESOURCES COMPLETED DUE FREEBUSY TRANSP TZNAME TZOFFSETFROM TZURL ATTENDEE CONTACT ORGANIZER RELATED-TO ACTION REPEAT TRIGGER CREATED DTSTAMP REQUEST-STATUS NAME REFRESH-INTERVAL SOURCE COLOR IMAGE ACKNOWLEDGED PROXIMITY CONCEPT LINK REFID STRUCTURED-DATA STYLED-DESCRIPTION LOCATION-TYPE PARTICIPANT-TYPE RESOURCE-TYPE CALENDAR-ADDRESS".split(
    " ",
  ),
);
/** A program may break the lines of these texts without folding them. */
const TEXTS = new Set(["SUMMARY", "DESCRIPTION", "LOCATION"]);
const COMPONENT = /^(?:V[A-Z]+|STANDARD|DAYLIGHT|AVAILABLE|PARTICIPANT|X-[A-Z\d-]+)$/i;
/** Tells how deep a component lies. One that begins ends those of its level and below, whose own end is missing. */
const LEVELS: Readonly<Record<string, number>> = { VCALENDAR: 0, VEVENT: 1, VTIMEZONE: 1 };

/** Programs make these mistakes, and mean this without doubt. */
const REPAIRS: readonly (readonly [RegExp, string])[] = [
  // Names of zones by Outlook have a colon, and are not always quoted.
  [/;TZID=([^";]+?)(?=;[A-Z-]+=|:\d{4}-?\d\d-?\d\d)/i, ';TZID="$1"'],
  [/;VALUE=(["']?)DATE-?TIME\1(?=[;:])/i, ""],
];
const LINE = /^([A-Z][A-Z\d-]*)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/is;
const PARAM = /;\s*([A-Z\d-]+)=("[^"]*"|[^;]*)/gi;

/**
 * Reads the calendars of a text. A line that is no property belongs to the text before it: its program broke a line without
 * folding it.
 * @throws FeedError for anything but whole calendars
 */
export function calendarsIn(text: string): Component[] {
  const root: Component = { name: "", properties: new Map(), parts: [] };
  const open = [root];
  let last: { name: string; property: Property } | null = null;
  for (const line of text
    .replace(/^\uFEFF/, "")
    .replace(/\r?\n[ \t]/g, "")
    .split(/\r\n|\n|\r/)) {
    const component = open.at(-1) as Component;
    if (last !== null && isQuoted(last.property) && last.property.value.endsWith("=")) {
      last.property.value = last.property.value.slice(0, -1) + line;
      continue;
    }
    const mended = REPAIRS.reduce((mend, [found, meant]) => mend.replace(found, meant), line);
    const [, sent = "", params = "", value = ""] = LINE.exec(mended) ?? [];
    const name = sent.toUpperCase();
    if (name === "BEGIN" && COMPONENT.test(value.trim())) {
      const part: Component = { name: value.trim().toUpperCase(), properties: new Map(), parts: [] };
      open.length = Math.min(open.length, (LEVELS[part.name] ?? open.length) + 1);
      open.at(-1)?.parts.push(part);
      open.push(part);
      last = null;
    } else if (name === "END" && COMPONENT.test(value.trim())) {
      const at = open.findLastIndex((one) => one.name === value.trim().toUpperCase());
      if (at > 0) open.length = at;
      last = null;
    } else if (isProperty(sent, value, component)) {
      const property = { params: paramsIn(params), value };
      last = READ.has(name) ? { name, property } : null;
      if (last !== null)
        component.properties.set(name, [...(component.properties.get(name) ?? []), property]);
    } else if (last !== null && TEXTS.has(last.name) && line.trim() !== "") {
      // A name before a colon says something in a description; in a title it is a property that no standard knows.
      if (sent === "" || last.name === "DESCRIPTION") last.property.value += `\\n${line}`;
    }
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

/**
 * Tells whether a line is a property, and no line of a broken text, such as `Location: Room 5` or `NOTE: bring shoes`.
 * Names are in any letter case. In capitals they count even before a blank, since some programs write one behind each
 * colon.
 */
function isProperty(sent: string, value: string, { properties }: Component): boolean {
  const name = sent.toUpperCase();
  if (name.startsWith("X-")) return true;
  const isSpaced = /^\s/.test(value);
  if (!READ.has(name)) return UNREAD.has(name) && !isSpaced;
  return (sent === name && !isSpaced) || (!(isSpaced && sent !== name) && !properties.has(name));
}

/** Finds the first property of a name that is not empty. */
export const propertyOf = ({ properties }: Component, name: string): Property | null => {
  const written = properties.get(name)?.filter(({ value }) => value.trim() !== "") ?? [];
  return written.find(({ value }) => !/^\s/.test(value)) ?? written[0] ?? null;
};

/** Reads the text of a property, its escapes undone; empty without one. */
export function textFor(component: Component, name: string): string {
  const property = propertyOf(component, name);
  if (property === null) return "";
  return unescaped(isQuoted(property) ? unquoted(property) : property.value).trim();
}

/** vCalendar 1.0, the older format, writes characters outside ASCII as their bytes. */
const isQuoted = ({ params }: Property) => params["ENCODING"]?.toUpperCase() === "QUOTED-PRINTABLE";

function unquoted({ params, value }: Property): string {
  const decode = (charset: string) =>
    value.replace(/(?:=[\dA-F]{2})+/gi, (bytes) =>
      new TextDecoder(charset).decode(Buffer.from(bytes.replaceAll("=", ""), "hex")),
    );
  try {
    return decode(params["CHARSET"] ?? "utf-8");
  } catch {
    return decode("utf-8");
  }
}

/** Reads the values of all properties of a name; each property may have several, between commas. */
export const valuesOf = (component: Component, name: string): Property[] =>
  (component.properties.get(name) ?? []).flatMap(({ params, value }) =>
    value
      .split(/(?<!\\),/)
      .filter((one) => one.trim() !== "")
      .map((one) => ({ params, value: one })),
  );

export const unescaped = (value: string): string =>
  value.replace(/\\(.)/g, (_, sign: string) => (sign === "n" || sign === "N" ? "\n" : sign));
