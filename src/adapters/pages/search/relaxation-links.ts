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

/**
 * The wider searches that find something, each with one condition fewer, the most useful first. Where no condition is at
 * fault alone, the words without any.
 * @param run  searches for at most a hundred posts
 */
export async function relaxationLinks(
  params: SearchParams,
  run: (input: Record<string, unknown>) => Promise<readonly Post[]>,
): Promise<RelaxationLink[]> {
  const links = await Promise.all(widenings(params).map((step) => linkOf(step, params, run)));
  const found = links.filter((link) => link !== null);
  if (found.length > 0 || params["q"] === undefined) return found;
  const alone = await linkOf({ words: "The words alone", change: {} }, { q: params["q"] }, run);
  return alone === null ? [] : [alone];
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
