import { createHash } from "node:crypto";

const SYLLABLES =
  "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split(" ");

let written = 0;

/**
 * Sixteen words unlike all others of this process, so the board takes no post for a duplicate of another, however many
 * there are. The words belong to no language, so no test finds them by chance.
 */
export function prose(): string {
  written += 1;
  const bytes = createHash("sha512").update(String(written)).digest();
  const syllables = [...bytes].map((byte) => SYLLABLES[byte % SYLLABLES.length]);
  return Array.from({ length: 16 }, (_, n) => syllables.slice(4 * n, 4 * n + 4).join("")).join(" ");
}
