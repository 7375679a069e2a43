import { z } from "zod";
import type { Operation } from "../../operation.ts";
import { visibleLine, wordOrQuoted } from "../text/untrusted.ts";

/**
 * A record as lines of `name: value`, each with the description from the output schema. Nulls are left out; flat objects
 * and tables take one line.
 */
export function recordText(operation: Operation, data: Record<string, unknown>): string {
  const described = operation.output instanceof z.ZodObject ? operation.output.shape : {};
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const description = (described[name] as z.ZodType | undefined)?.description;
      return `${name}: ${valueText(value)}${description === undefined ? "" : ` (${description})`}`;
    })
    .join("\n");
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return tableText(value);
  if (typeof value !== "object" || value === null) return cellText(value);
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return members.length === 0
    ? "none"
    : members.map(([name, member]) => `${visibleLine(name)} ${cellText(member)}`).join(", ");
}

/** `(tag, count) bike, 12; repair, 9`: the columns are named once, and rows of zeros left out. */
function tableText(rows: readonly unknown[]): string {
  const [first] = rows;
  if (first === undefined) return "none";
  if (typeof first !== "object" || first === null) return rows.map(cellText).join(", ");
  const columns = Object.keys(first);
  // A day on which nothing happened says nothing.
  const telling = rows.filter((row) => !saysZero(Object.values(row as object)));
  const cells = telling.map((row) =>
    columns.map((column) => cellText((row as Record<string, unknown>)[column])),
  );
  return cells.length === 0
    ? "none"
    : `(${columns.join(", ")}) ${cells.map((row) => row.join(", ")).join("; ")}`;
}

function saysZero(cells: readonly unknown[]): boolean {
  const numbers = cells.filter((cell) => typeof cell === "number");
  return numbers.length > 0 && numbers.every((number) => number === 0);
}

function cellText(value: unknown): string {
  if (typeof value === "string") return wordOrQuoted(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
