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
 * The wider searches that find something, each with one condition fewer, the most useful first.
 * @param run  searches for at most a hundred posts
 */
export async function relaxationLinks(
  params: SearchParams,
  run: (input: Record<string, unknown>) => Promise<readonly Post[]>,
): Promise<RelaxationLink[]> {
  const steps = await Promise.all(
    widenings(params).map(async ({ words, params: wider }) => {
      const { length } = await run({ ...wider, limit: COUNTED });
      return {
        words,
        params: wider,
        count: length === COUNTED ? `${COUNTED} or more` : String(length),
        length,
      };
    }),
  );
  return steps
    .filter(({ length }) => length > 0)
    .map(({ words, params: wider, count }) => ({ words, params: wider, count }));
}

interface Widening {
  words: string;
  params: SearchParams;
}

function widenings(params: SearchParams): Widening[] {
  const steps: Widening[] = [];
  const without = (words: string, names: readonly string[], set: Record<string, string> = {}) => {
    if (!names.some((name) => params[name] !== undefined)) return;
    const kept = Object.entries(params).filter(([name]) => !names.includes(name));
    steps.push({ words, params: { ...Object.fromEntries(kept), ...set } });
  };
  const radius = Number(params["radius_km"] ?? RADIUS_KM.default);
  if (params["near"] !== undefined) {
    for (const km of [100, RADIUS_KM.max]) {
      if (km > radius) without(`Within ${km} km`, ["near"], { near: params["near"], radius_km: String(km) });
    }
  }
  without("Anywhere", ["near", "radius_km"]);
  without("Any kind", ["kind"]);
  without("Any tag", ["tags"]);
  without("At any time", ["after", "before"]);
  without("Unverified publishers too", ["verified"]);
  without("From any publisher", ["publisher"]);
  without("Relayed posts too", ["include_syndicated"]);
  if (params["include_expired"] !== "true") {
    steps.push({ words: "Expired posts too", params: { ...params, include_expired: "true" } });
  }
  const q = params["q"];
  const plain = q
    ?.replace(/(^|\s)-\S+/g, " ")
    .replaceAll('"', " ")
    .replace(/\s+/g, " ")
    .trim();
  if (q !== undefined && plain !== undefined && plain !== "" && plain !== q) {
    steps.push({ words: "Without quotes and exclusions", params: { ...params, q: plain } });
  }
  without("Without the words", ["q"]);
  return steps;
}
