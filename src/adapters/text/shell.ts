/**
 * A JSON value between single quotes of a shell. Whatever stands in it cannot leave the quotes, hide, or reorder what
 * the reader sees: someone may have made the address that the value came from.
 */
export function shellJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent).replace(
    /['\u007F-\u009F\u00AD\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F]/g,
    (chars) => [...Array(chars.length).keys()].map((i) => unicodeEscape(chars.charCodeAt(i))).join(""),
  );
  return `'${text}'`;
}

const unicodeEscape = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
