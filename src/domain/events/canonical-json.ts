/**
 * Writes JSON with the members of objects in one order, so that equal values have equal texts (RFC 8785). Texts stay as
 * they are: two that only look alike are different arguments.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
