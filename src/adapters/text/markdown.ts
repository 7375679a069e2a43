/** Joins the parts of a document with blank lines between them, without the empty ones. */
export function markdownDocument(parts: readonly (string | null | false)[]): string {
  return `${parts.filter((part) => part !== null && part !== false && part !== "").join("\n\n")}\n`;
}

export const fenced = (text: string, language = "") => `\`\`\`${language}\n${text}\n\`\`\``;

/** Writes a table with one row per array of cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Groups things by what they have in common, groups in the order of their first member. */
export function grouped<T, K>(things: readonly T[], common: (thing: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const thing of things) groups.set(common(thing), [...(groups.get(common(thing)) ?? []), thing]);
  return groups;
}
