import { type Correction, notesOnCorrections } from "../../../domain/search/corrections.ts";
import { COUNTED_MAX } from "../../../domain/search/index.ts";
import { filtersOf, type Understood, withoutUnderstood } from "../../../domain/search/understood/index.ts";
import { type NearPoint, placeInWords } from "../../../schema/place.ts";
import type { Post } from "../../../schema/post.ts";
import { RADIUS_KM, SearchQuery } from "../../../schema/query.ts";
import { counted } from "../../../schema/text.ts";
import type { Success } from "../../calls/envelope.ts";
import { soughtWords } from "../../text/excerpt.ts";
import { type Asked, noteOf } from "../frame/view.ts";
import type { SearchParams } from "./form.ts";

export interface Results {
  posts: readonly Post[];
  /** Weak results are near in meaning, and shown below the others under a heading of their own. */
  weak: readonly Post[];
  nextCursor: string | null;
  /** See `SearchPage`. */
  first: number | null;
  total: number;
  /** A search near this place looks so far, unless its address says how far. */
  usualKm: number;
  /** The query is shown as the board applied it: `meta.query`. */
  query: Readonly<Record<string, unknown>>;
  /** The text searched for is shown as applied, and empty without one. */
  q: string;
  /** These are stems of its words. */
  sought: readonly string[];
  ranking: string;
  note: string | null;
  /**
   * Searches without the filters that were read in its words, and tells how many posts that finds; null where none was
   * read.
   */
  unfiltered: Unfiltered | null;
  /** A name was read as this place, and others bear it; null without a name. */
  place: NonNullable<NearPoint["place"]> | null;
  /** No post fits these words of place and time together with the others. */
  unmet: readonly string[];
  /** Searches by these alone, and tells how many posts that finds; null where it finds none. */
  unmetAlone: { params: SearchParams; total: number } | null;
  /** These misspelt words were put right; the page links to the search as typed, and the note leaves them out. */
  corrected: readonly Correction[];
  /** Where nothing was found, these searches with one condition fewer, or two, find something. */
  instead: readonly RelaxationLink[];
}

/** It stands above weak results. */
export const WEAK_HEADING = "Weak: near in meaning, no match";

/** Gives a search as its page shows it: what the words say of place and time filters, where any post fits. */
export async function resultsOf({ sent, query: params, ask }: Asked): Promise<Results> {
  const { answer, unfiltered, unmet, unmetAlone } = await answerTo(sent, ask);
  const all = answer.data as Post[];
  const [posts, weak] = [all.filter((post) => post.weak !== true), all.filter((post) => post.weak === true)];
  const query = answer.meta["query"] as Record<string, unknown>;
  const q = (unfiltered === null ? (query["q"] as string | undefined) : params["q"]) ?? "";
  const nearIn = (asked: SearchParams) => SearchQuery.shape.near.safeParse(asked["near"]).data;
  const near = nearIn(params);
  // Where the board decided between places, or took an area for one, its note says more than a name.
  const place = near?.radiusKm === undefined ? (near?.place ?? null) : null;
  const corrected = (answer.meta["corrected"] ?? []) as Correction[];
  // A chip names the place that was read in the words.
  const named = unfiltered === null ? near : nearIn(unfiltered.filtered);
  const ownNote =
    [
      named === undefined || named.radiusKm !== undefined ? "" : (placeInWords(named) ?? ""),
      ...notesOnCorrections(corrected),
    ]
      .reduce((note, shown) => note.replace(shown, () => ""), withoutUnderstood(noteOf(answer) ?? ""))
      .replace(/ {2,}/g, " ")
      .trim() || null;
  return {
    posts,
    weak,
    nextCursor: answer.next_cursor ?? null,
    first: answer.meta["first"] as number | null,
    total: Number(answer.meta["total"]),
    usualKm: near?.radiusKm ?? RADIUS_KM.default,
    query,
    q,
    sought: soughtWords(String(query["q"] ?? "")),
    ranking: String(answer.meta["ranking"]),
    note: ownNote,
    unfiltered,
    unmet,
    unmetAlone,
    place,
    corrected,
    instead:
      posts.length === 0 && params["cursor"] === undefined
        ? await relaxationLinks(params, async (input) =>
            ((await ask("/search", input)).data as Post[]).filter((post) => post.weak !== true),
          )
        : [],
  };
}

interface Unfiltered {
  understood: Understood;
  /** Without the words that were read, and without the filters. */
  params: SearchParams;
  /** The filters stand in place of the words. */
  filtered: SearchParams;
  total: number;
}

async function answerTo(
  { cursor, ...sent }: Asked["sent"],
  ask: Asked["ask"],
): Promise<{ answer: Success } & Pick<Results, "unfiltered" | "unmet" | "unmetAlone">> {
  const page = cursor === undefined ? {} : { cursor };
  const asTyped = () => ask("/search", { ...sent, ...page }, { searched: true });
  const first = cursor === undefined ? await asTyped() : await ask("/search", { ...sent, limit: 1 });
  const understood = first.meta["understood"] as Understood | undefined;
  let unmetAlone: Results["unmetAlone"] = null;
  const countOfAll = async (params: SearchParams) =>
    Number((await ask("/search", { ...params, limit: 1 })).meta["total"]);
  if (understood !== undefined) {
    const { q: _, ...others } = sent;
    const { near, days } = understood;
    const subject = [near, days].reduce(
      (text, said) => (said === undefined ? text : text.replace(said.words, " ")),
      sent["q"] ?? "",
    );
    const rest = {
      ...others,
      ...(/[\p{L}\p{N}]/u.test(subject) && { q: subject.replace(/\s+/g, " ").trim() }),
    };
    const filters = Object.entries(filtersOf(understood)).map(([name, value]) => [name, String(value)]);
    const filtered = { ...rest, ...Object.fromEntries(filters) };
    const answer = await ask("/search", { ...filtered, ...page });
    if (Number(answer.meta["total"]) > 0) {
      const total = await countOfAll(rest);
      return { answer, unfiltered: { understood, params: rest, filtered, total }, unmet: [], unmetAlone };
    }
    const params = { ...others, ...Object.fromEntries(filters) };
    const total = cursor === undefined ? await countOfAll(params) : 0;
    if (total > 0) unmetAlone = { params, total };
  }
  const unmet = [understood?.near, understood?.days].flatMap((said) =>
    said === undefined ? [] : [said.words],
  );
  return { answer: cursor === undefined ? first : await asTyped(), unfiltered: null, unmet, unmetAlone };
}

/** Tells how many there are; beyond a thousand they are not counted. */
export const totalOf = (total: number): string =>
  total >= COUNTED_MAX ? `${COUNTED_MAX.toLocaleString("en")}+` : String(total);

/** Writes `1–20 of 43 posts`; one page of all of them is just counted. */
export function countOf({ posts: { length: shown }, first, total }: Results): string {
  const all = totalOf(total);
  if (first === 0 && shown >= total) return counted(shown, "post");
  return first === null ? `${shown} of ${all} posts` : `${first + 1}–${first + shown} of ${all} posts`;
}

/** Tells of a wider search in words, with its parameters, and how many posts it finds: `12`, or `100 or more`. */
interface RelaxationLink {
  words: string;
  params: SearchParams;
  count: string;
}

const COUNTED = 100;

/**
 * Lists the wider searches that find something, each with one condition fewer, the most useful first. Where no condition is
 * at fault alone, the words without any.
 * @param run  searches for at most a hundred posts
 */
async function relaxationLinks(
  params: SearchParams,
  run: (input: Record<string, unknown>) => Promise<readonly Post[]>,
): Promise<RelaxationLink[]> {
  const links = await Promise.all(widenings(params).map((step) => linkOf(step, params, run)));
  const found = links.filter((link) => link !== null);
  if (found.length > 0 || params["q"] === undefined) return found;
  const alone = await linkOf({ words: "The words alone", change: {} }, { q: params["q"] }, run);
  return alone === null ? [] : [alone];
}

/** One condition is dropped or widened. */
interface Widening {
  words: string;
  /** These parameters are set, or dropped where undefined. */
  change: Readonly<Record<string, string | undefined>>;
}

/** Links to the wider search of a step; null when that too finds nothing. */
async function linkOf(
  { words, change }: Widening,
  params: SearchParams,
  run: (input: Record<string, unknown>) => Promise<readonly Post[]>,
): Promise<RelaxationLink | null> {
  const changed = Object.entries({ ...params, ...change });
  const wider = Object.fromEntries(changed.filter((each): each is [string, string] => each[1] !== undefined));
  const { length } = await run({ ...wider, limit: COUNTED });
  if (length === 0) return null;
  return { words, params: wider, count: length === COUNTED ? `${COUNTED} or more` : String(length) };
}

function widenings(params: SearchParams): Widening[] {
  const { q, near } = params;
  const radius = Number(params["radius_km"] ?? RADIUS_KM.default);
  const has = (...names: string[]) => names.some((name) => params[name] !== undefined);
  const plain = q
    ?.replace(/(^|\s)-\S+/g, " ")
    .replaceAll('"', " ")
    .replace(/\s+/g, " ")
    .trim();
  const within = [100, RADIUS_KM.max].map((km): [boolean, string, Widening["change"]] => [
    near !== undefined && km > radius,
    `Within ${km} km`,
    { near, radius_km: String(km) },
  ]);
  const steps: [boolean, string, Widening["change"]][] = [
    ...within,
    [has("near"), "Anywhere", { near: undefined, radius_km: undefined }],
    [has("kind"), "Any kind", { kind: undefined }],
    [has("tags"), "Any tag", { tags: undefined }],
    [has("after", "before"), "At any time", { after: undefined, before: undefined }],
    [has("verified"), "Unverified publishers too", { verified: undefined }],
    [has("publisher"), "From any publisher", { publisher: undefined }],
    [has("include_syndicated"), "Relayed posts too", { include_syndicated: undefined }],
    [params["include_expired"] !== "true", "Expired posts too", { include_expired: "true" }],
    [plain !== undefined && plain !== "" && plain !== q, "Without quotes and exclusions", { q: plain }],
    [has("q"), "Without the words", { q: undefined }],
  ];
  return steps.filter(([applies]) => applies).map(([, words, change]) => ({ words, change }));
}
