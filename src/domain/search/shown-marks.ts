/** Salts tried until no other post shares a mark: four on average for 100 shown posts among 1,000. */
const SALTS = 256;

/**
 * Names the posts that a page showed, two bytes each, so that a cursor can carry them: a process that ranks anew leaves
 * out what was shown, wherever it ranks now.
 *
 * @param others  posts still to show; none of them shares a mark with a shown one
 * @returns base64url of a salt and the marks: 55 characters for 20 posts
 */
export function marksOf(shown: readonly string[], others: readonly string[]): string {
  let salt = 0;
  let marks = shown.map((id) => markOf(id, salt));
  for (let taken = new Set(marks); salt < SALTS - 1; taken = new Set(marks)) {
    if (!others.some((id) => taken.has(markOf(id, salt)))) break;
    salt += 1;
    marks = shown.map((id) => markOf(id, salt));
  }
  return textOf(salt, marks);
}

/**
 * Splits posts into those that carry one of the marks, and the rest. A post that was unknown when the marks were made
 * carries one of 20 by chance once in 3,000 times.
 *
 * @returns `left` are the marks of no post, as text; empty when there are none
 */
export function splitByMarks<T extends { id: string }>(
  posts: readonly T[],
  text: string,
): { marked: T[]; others: T[]; left: string } {
  const bytes = Buffer.from(text, "base64url");
  const salt = bytes[0] ?? 0;
  const marks = new Set<number>();
  for (let at = 1; at + 1 < bytes.length; at += 2) marks.add(bytes.readUInt16BE(at));
  const left = new Set(marks);
  const marked: T[] = [];
  const others: T[] = [];
  for (const post of posts) {
    const mark = markOf(post.id, salt);
    left.delete(mark);
    (marks.has(mark) ? marked : others).push(post);
  }
  return { marked, others, left: left.size === 0 ? "" : textOf(salt, [...left]) };
}

function textOf(salt: number, marks: readonly number[]): string {
  const bytes = Buffer.alloc(1 + 2 * marks.length);
  bytes[0] = salt;
  for (const [n, mark] of marks.entries()) bytes.writeUInt16BE(mark, 1 + 2 * n);
  return bytes.toString("base64url");
}

/** FNV-1a of 32 bits, folded to 16. */
function markOf(id: string, salt: number): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & 0xffff;
}
