import { parseUrl } from "../parse-url.ts";
import { plainWords, sourceKey } from "../schema/source-key.ts";

/** What a reader would tell two posts apart by. */
export interface Told {
  title: string;
  /** Epoch milliseconds. */
  startsAt: number | null;
  link: string | null;
  location: {
    name?: string | null | undefined;
    lat?: number | null | undefined;
    lng?: number | null | undefined;
    /** The coordinates only follow from the name. */
    approximate?: boolean | undefined;
  } | null;
}

/** Degrees between two notes of one place, about a kilometre. */
const NEAR = 0.01;

/** Title, start and link, of which all are equal where two posts are the same thing. */
export function samenessOf({ title, startsAt, link }: Told): string {
  // A fragment tells things of one page apart.
  const page = link === null ? null : [sourceKey(link) ?? link, parseUrl(link)?.hash];
  return JSON.stringify([plainWords(title), startsAt, page]);
}

/** Whether two posts of one sameness are also at one place. */
export function isSamePlace({ location: a }: Told, { location: b }: Told): boolean {
  const [here, there] = [plainWords(a?.name ?? ""), plainWords(b?.name ?? "")];
  if (here !== there) return false;
  if (a?.lat == null || b?.lat == null || a.approximate === true || b.approximate === true) {
    return here !== "" || (a?.lat == null && b?.lat == null);
  }
  return Math.abs(a.lat - b.lat) < NEAR && Math.abs((a.lng ?? 0) - (b.lng ?? 0)) < NEAR;
}
