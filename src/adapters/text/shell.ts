/**
 * A JSON value in single quotes for a shell. Nothing in it can leave the quotes, hide, or reorder what the reader sees:
 * the value may come from an address that a stranger made.
 */
export function shellJson(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /['\u007F-\u009F\u00AD\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F]/g,
    (chars) => [...Array(chars.length).keys()].map((i) => unicodeEscape(chars.charCodeAt(i))).join(""),
  );
  return `'${text}'`;
}

const unicodeEscape = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
