import type { Post } from "../../../schema/post.ts";
import { RADIUS_KM } from "../../../schema/query.ts";
import type { SearchParams } from "./form.ts";

/** A wider search in words, its parameters, and how many posts it finds: `12`, or `100 or more`. */
export interface RelaxationLink {
  words: string;
  params: SearchParams;
  count: string;
}

const COUNTED = 100;
/** Searches for pairs of conditions; each costs as much as one search. They end once `PAIRS_FOUND` found something. */
const PAIRS_MAX = 8;
const PAIRS_FOUND = 3;

/**
 * The wider searches that find something, each with one condition fewer, the most useful first. Where no condition is at
 * fault alone, those with two fewer.
 * @param run  searches for at most a hundred posts
 */
export async function relaxationLinks(
  params: SearchParams,
  run: (input: Record<string, unknown>) => Promise<readonly Post[]>,
): Promise<RelaxationLink[]> {
  const steps = widenings(params);
  const links = await Promise.all(steps.map((step) => linkOf(step, params, run)));
  const found = links.filter((link) => link !== null);
  if (found.length > 0) return found;
  for (const pair of pairsOf(steps)) {
    const link = await linkOf(pair, params, run);
    if (link !== null) found.push(link);
    if (found.length === PAIRS_FOUND) break;
  }
  return found;
}

/** One condition dropped or widened. */
interface Widening {
  words: string;
  /** Parameters to set, or to drop where undefined. */
  change: Readonly<Record<string, string | undefined>>;
}

/** The wider search of a step; null when that too finds nothing. */
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

/** Every two steps that change different parameters, with the place dropped rather than widened: few pairs must do. */
function pairsOf(steps: readonly Widening[]): Widening[] {
  const whole = steps.filter(({ change }) => change["near"] === undefined);
  const pairs = whole.flatMap((first, i) =>
    whole
      .slice(i + 1)
      .filter(({ change }) => !Object.keys(change).some((name) => name in first.change))
      .map((second) => ({
        words: `${first.words}, ${second.words.slice(0, 1).toLowerCase()}${second.words.slice(1)}`,
        change: { ...first.change, ...second.change },
      })),
  );
  return pairs.slice(0, PAIRS_MAX);
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
