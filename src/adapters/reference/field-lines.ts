type Json = Record<string, unknown>;

/**
 * The fields of an input's JSON Schema, one line each: - `q` ≤500: Words. A star marks what must be sent; no type means text.
 *
 * @param known  fields explained elsewhere: an object made of nothing else is not taken apart again
 */
export function fieldLines(schema: Json, known: ReadonlySet<string>): string[] {
  const required = (schema["required"] ?? []) as string[];
  const fields = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  // Fields that read alike share a line.
  const byForm = grouped(fields, ([, field]) => {
    const { description } = field;
    const form = formOf(field, known);
    return `${form === "" ? "" : ` ${form}`}${typeof description === "string" ? `: ${description}` : ""}`;
  });
  return [...byForm].map(([form, alike]) => {
    const names = alike.map(([name]) => (required.includes(name) ? `\`${name}\`*` : `\`${name}\``));
    return `- ${names.join(", ")}${form}`;
  });
}

/** A table with one row per array of cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

/** Things by what they have in common, in the order of their first one. */
export function grouped<T>(things: readonly T[], common: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) groups.set(common(thing), [...(groups.get(common(thing)) ?? []), thing]);
  return groups;
}

/** Kind, bounds and default of one field in a few characters: `integer 1–100, default 20`. */
function formOf(field: Json, known: ReadonlySet<string>): string {
  const preset = field["default"] === undefined ? "" : `, default ${JSON.stringify(field["default"])}`;
  return `${bareForm(withoutNull(field), known)}${preset}`;
}

function bareForm(field: Json, known: ReadonlySet<string>): string {
  const { type, properties, items, format, const: only, enum: choices } = field;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return choices.join("|");
  if (format === "date-time") return "date-time";
  if (format === "uri") return "URL";
  if (items !== undefined) {
    return `list ${upTo(field["maxItems"])}, each ${bareForm(withoutNull(items as Json), known)}`;
  }
  if (properties !== undefined) {
    const inner = Object.entries(properties as Record<string, Json>);
    if (inner.every(([name]) => known.has(name))) return "object";
    return `{${inner.map(([name, part]) => `${name} ${formOf(part, known)}`).join(", ")}}`;
  }
  const { minimum, maximum, maxLength } = field;
  if (minimum !== undefined) return `${type} ${minimum}–${maximum}`;
  return type === "string" ? upTo(maxLength) : String(type);
}

const upTo = (count: unknown) => (count === undefined ? "" : `≤${count}`);

/** Every optional field of a body also takes null; saying so at each of them would tell nothing. */
function withoutNull(field: Json): Json {
  const { type, anyOf, ...rest } = field;
  if (Array.isArray(anyOf)) {
    const [form, ...others] = (anyOf as Json[]).filter((one) => one["type"] !== "null");
    return form === undefined || others.length > 0 ? field : { ...rest, ...form };
  }
  return Array.isArray(type) ? { ...rest, type: type.filter((one) => one !== "null").join("|") } : field;
}
