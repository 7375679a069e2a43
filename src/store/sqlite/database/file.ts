import { resolve } from "node:path";

/** The path in `sqlite:PATH`, absolute. */
export function fileOf(storeUrl: string): string {
  const url = new URL(storeUrl);
  if (url.host !== "" || url.pathname === "" || url.pathname.endsWith("/")) {
    throw new Error(
      "STORE_URL must be sqlite:FILE, such as sqlite:./data/board.db or sqlite:/var/lib/board.db.",
    );
  }
  // The URL parser escapes characters that file names may hold; a stray percent sign stands for itself.
  const sent = url.pathname + url.search + url.hash;
  return resolve(sent.replace(/(%[0-9a-f]{2})+/gi, unescaped));
}

function unescaped(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
