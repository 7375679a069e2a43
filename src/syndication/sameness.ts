import { parseUrl } from "../parse-url.ts";

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

/** Parts of an address that only count visits. */
const TRACKING = /^(utm_\w+|fbclid|gclid|mc_[ce]id|ref)$/;
/** Degrees between two notes of one place, about a kilometre. */
const NEAR = 0.01;

/** Title, start and link, of which all are equal where two posts are the same thing. */
export const samenessOf = ({ title, startsAt, link }: Told): string =>
  JSON.stringify([wordsOf(title), startsAt, bareAddress(link)]);

/** Whether two posts of one sameness are also at one place. */
export function isSamePlace({ location: a }: Told, { location: b }: Told): boolean {
  const [here, there] = [wordsOf(a?.name ?? ""), wordsOf(b?.name ?? "")];
  if (here !== there) return false;
  if (a?.lat == null || b?.lat == null || a.approximate === true || b.approximate === true) {
    return here !== "" || (a?.lat == null && b?.lat == null);
  }
  return Math.abs(a.lat - b.lat) < NEAR && Math.abs((a.lng ?? 0) - (b.lng ?? 0)) < NEAR;
}

const wordsOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** An address without what only counts visits. */
function bareAddress(address: string | null): string | null {
  const url = address === null ? null : parseUrl(address);
  if (url === null) return address;
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  return url.href.replace(/\/$/, "");
}
