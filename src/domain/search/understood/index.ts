import type { Advice } from "../../../board/failures.ts";
import { placeInText } from "../../../gazetteer/in-text.ts";
import type { Lift } from "../../../schema/filter.ts";
import { RADIUS_KM, type SearchQuery, textOfBound } from "../../../schema/query.ts";
import type { StandingQuery } from "../../../schema/subscription.ts";
import { spanOfText } from "../../../schema/time/iso-8601.ts";
import { firstMoment, lastMoment, offsetMs } from "../../../schema/time/local-time.ts";
import { wordsOf } from "../../../search/text/tokens.ts";
import { zoneOfQuery } from "../query.ts";
import { daysInText } from "./days.ts";

/** The words of a search say it of place and time, as the filters that they could be. */
export interface Understood {
  /** What was understood has the form of the search's parameters, with the words each was read from. */
  near?: { words: string; place: string; radius_km: number };
  days?: { words: string; after?: string | undefined; before?: string | undefined };
}

/** Leaves out the words that were understood, for words and meaning; it is all of the text where nothing else is left. */
export function subjectOf(text: string, understood: readonly string[]): string {
  const rest = understood
    .reduce((left, words) => left.replace(words, " "), text)
    .replace(/\s+/g, " ")
    .trim();
  return wordsOf(rest).length === 0 ? text : rest;
}

/** Puts blanks for what is quoted or excluded. */
export const unquoted = (text: string): string =>
  text.replace(/-?"[^"]*"|(?<!\S)-\S+/g, (part) => " ".repeat(part.length));

/** These words were understood, as they were typed. */
export const wordsUnderstood = ({ near, days }: Understood, here: string | null = null): string[] =>
  [near?.words, days?.words, here ?? undefined].filter((words) => words !== undefined);

/** Posts that fit move up so far: chosen on the labelled notices among 0.25 to 0.5, and 0.15 to 0.35 for days. */
const LIFT = { place: 0.4, time: 0.25 };
/** A district is searched in its surroundings only. */
const DISTRICT_KM = 5;

/**
 * Reads place and time in the words of a search. Posts that fit move up, and none is left out. What a filter says already
 * is not read again.
 *
 * @param now  epoch milliseconds; days such as "tomorrow" are those of `timezone`, else at the place, else in UTC
 */
export async function understoodIn(
  query: Pick<StandingQuery, "near" | "radius_km" | "timezone" | "after" | "before">,
  text: string | null,
  now: number,
): Promise<{ understood: Understood; lifts: Lift[]; here: string | null }> {
  if (text === null) return { understood: {}, lifts: [], here: null };
  const open = unquoted(text);
  const said = query.near === undefined ? placeInText(open) : null;
  const zone = zoneOfQuery({ timezone: query.timezone, near: query.near ?? said?.place });
  const isTimed = query.after !== undefined || query.before !== undefined;
  const minutes = zone === null ? 0 : offsetMs(now, zone) / 60_000;
  const days = isTimed ? null : await daysInText(open, now, minutes);
  const understood: Understood = {};
  const lifts: Lift[] = [];
  if (said !== null) {
    const { lat, lng, label, district } = said.place;
    const wordsKm = said.radiusKm === null ? null : Math.min(RADIUS_KM.max, Math.max(0.1, said.radiusKm));
    const radiusKm = query.radius_km ?? wordsKm ?? (district ? DISTRICT_KM : RADIUS_KM.default);
    understood.near = { words: said.text, place: label, radius_km: radiusKm };
    lifts.push({ filter: { near: { lat, lng, radiusKm } }, weight: LIFT.place });
  }
  if (days !== null) {
    understood.days = {
      words: days.text,
      ...(days.first === null ? {} : { after: days.first }),
      ...(days.last === null ? {} : { before: days.last }),
    };
    // Without a zone the day is that of UTC: a span wide enough for every zone would include the days beside it.
    const bound = (day: string | null) => (day === null ? null : spanOfText(day));
    const [first, last] = [bound(days.first), bound(days.last)];
    const after = first === null ? null : firstMoment(first, zone ?? "UTC");
    const before = last === null ? null : lastMoment(last, zone ?? "UTC");
    lifts.push({ filter: { after, before, datedOnly: true }, weight: LIFT.time });
  }
  return { understood, lifts, here: said === null ? (HERE.exec(open)?.[0] ?? null) : null };
}

/** No board knows where the reader is. */
const HERE =
  /(?<!\p{L})(?:(?:within \d+ ?(?:km|miles?) of|near|around|close to|not far from) (?:me|us|here|my (?:place|home|house|location))|nearby|close by|around here|in my (?:area|neighbou?rhood|town|city)|where i live|(?:hier )?in (?:meiner|unserer) (?:nähe|umgebung|gegend|stadt)|(?:hier )?in der nähe(?! (?:von|des|der)(?!\p{L}))|(?:nahe )?bei (?:mir|uns)(?: in der nähe)?|um mich herum|(?:tout )?près de (?:chez )?(?:moi|nous)|près d['’]ici|autour de (?:moi|nous)|à proximité(?! d[eu'’])|dans (?:mon quartier|ma ville)|cerca de (?:m[ií]|aquí|nosotros)|por aquí|en mi (?:zona|barrio|ciudad)|vicino a (?:me|noi)|qui vicino|nelle vicinanze(?! d)|nella mia (?:zona|città)|bij (?:mij|ons)(?: in de buurt)?|in de buurt(?! van)|in mijn (?:buurt|omgeving|stad)|perto de (?:mim|nós)|perto daqui|na minha (?:zona|região|cidade)|nära (?:mig|oss)|nær (?:mig|meg|oss)|i nærheden(?! af))(?!\p{L})/iu;

/** Says that the board does not know where the reader is; nothing where a filter says it. */
export function notesOnHere(here: string | null, { near }: StandingQuery): Advice[] {
  if (here === null || near !== undefined) return [];
  const where = `This board does not know where “${here}” is`;
  const call = `${where}: send \`near\`, the name of a town or \`lat,lng\`.`;
  return [{ rest: call, tools: call, reading: `${where}: fill in a town under Near.` }];
}

/** Gives the arguments that filter by what was understood. */
export function filtersOf({ near, days }: Understood): Record<string, string | number> {
  return {
    ...(near === undefined
      ? {}
      : {
          near: near.place,
          ...(near.radius_km === RADIUS_KM.default ? {} : { radius_km: near.radius_km }),
        }),
    ...(days?.after === undefined ? {} : { after: days.after }),
    ...(days?.before === undefined ? {} : { before: days.before }),
  };
}

/** Tells what the words were taken for, and proposes the caller's own call that filters by it too. */
export function notesOnUnderstood(understood: Understood, sent: SearchQuery): Advice[] {
  const filters = filtersOf(understood);
  if (Object.keys(filters).length === 0) return [];
  const taken = takenFor(understood);
  return [
    adviceToSearch(
      { ...argumentsOf(sent), ...filters },
      (call) => `Read ${taken}: what fits ranks higher, nothing is hidden. To see only that: ${call}.`,
    ),
  ];
}

/** Tells that a saved query takes words of place and time as words, and proposes the caller's own query that filters by them. */
export function notesOnSavedWords(understood: Understood, sent: StandingQuery, text: string): Advice[] {
  const filters = filtersOf(understood);
  if (Object.keys(filters).length === 0) return [];
  const query = { ...argumentsOf(sent), q: subjectOf(text, wordsUnderstood(understood)), ...filters };
  const instead = JSON.stringify({ query });
  const advice = (call: string) =>
    `A saved query matches all words as words. To read ${takenFor(understood)}, save this instead: ${call}.`;
  return [{ rest: advice(instead), tools: advice(`subscribe ${instead}`) }];
}

/** Takes the sentence of `notesOnUnderstood` out of a note, for readers who see what was understood beside it. */
export const withoutUnderstood = (note: string) =>
  note.replace(
    /Read “.+?: what fits ranks higher, nothing is hidden\. To see only that: GET \S+\.(?: |$)/,
    "",
  );

/** Writes `“near Berlin” as within 25 km of Berlin, Germany`. */
function takenFor({ near, days }: Understood): string {
  return [
    ...(near === undefined ? [] : [`“${near.words}” as within ${near.radius_km} km of ${near.place}`]),
    ...(days === undefined ? [] : [`“${days.words}” as ${daysInWords(days)}`]),
  ].join(" and ");
}

function daysInWords({ after, before }: NonNullable<Understood["days"]>): string {
  if (after === before) return after ?? "";
  if (after === undefined) return `until ${before}`;
  return before === undefined ? `from ${after}` : `${after} to ${before}`;
}

/** Writes arguments of a call as JSON: numbers as numbers, lists by comma. */
type Arguments = Record<string, string | number | boolean>;

/**
 * Writes what a caller sent as the arguments of a call that asks the same again: every filter is kept. `cursor` is left
 * out, since it belongs to a call with these filters only.
 */
function argumentsOf(query: Partial<SearchQuery>): Arguments {
  const { near, after, before, limit, cursor: _cursor, ...others } = query;
  const plain = Object.entries({
    ...others,
    near: near && (near.place?.label ?? `${near.lat},${near.lng}`),
    after: after && textOfBound(after),
    before: before && textOfBound(before),
    limit: limit === DEFAULT_LIMIT ? undefined : limit,
  });
  return Object.fromEntries(
    plain.flatMap(([name, value]) => {
      if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return [];
      return [[name, Array.isArray(value) ? value.join(",") : (value as string | number | boolean)]];
    }),
  );
}

const DEFAULT_LIMIT = 20;

/** Puts a sentence around the call that searches, in the words of each surface. */
function adviceToSearch(sent: Arguments, sentence: (call: string) => string): Advice {
  const parameters = new URLSearchParams(
    Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const call = sentence(`search ${JSON.stringify(sent)}`);
  return { rest: sentence(`GET /api/v1/search?${parameters}`), tools: call };
}
