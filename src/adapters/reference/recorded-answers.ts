import { readData } from "../../data/read.ts";
import type { Site } from "../../domain/site.ts";

/** The recorded answers have this site and this receiver of webhooks. */
export const RECORDED_ROOT = "http://localhost:8787";

/** Keeps an answer over REST: its status, and its whole body with lists cut after their second item. */
export interface RecordedAnswer {
  status: number;
  body: unknown;
}

type Recorded = Readonly<Record<string, RecordedAnswer>>;
let read: Recorded | undefined;

/**
 * Gives the answer to the first example of an operation. `npm run manual` records it from a board; a test fails when a board
 * answers otherwise.
 * @returns undefined for an operation that is not recorded yet
 */
export function recordedAnswer(operation: string, { root }: Site): RecordedAnswer | undefined {
  read ??= readData<Recorded>("recorded-answers.json")[0] ?? {};
  const recorded = read[operation];
  return recorded && JSON.parse(JSON.stringify(recorded).replaceAll(RECORDED_ROOT, root));
}

const CHARS_MAX = 48;

/** Writes JSON on one line. `…` replaces the inner parts, and the middle of long objects and lists. */
export function shortened(value: unknown, depth = 0): string {
  if (typeof value === "string")
    return JSON.stringify(
      value.length > CHARS_MAX && !value.startsWith("http") ? `${value.slice(0, CHARS_MAX - 1)}…` : value,
    );
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const inner = value.slice(0, 1).map((one) => shortened(one, depth));
    return `[${[...inner, ...(value.length > 1 ? ["…"] : [])].join(", ")}]`;
  }
  const entries = Object.entries(value);
  if (depth > 1 || (depth === 1 && "board" in value && "docs" in value))
    return entries.length === 0 ? "{}" : "{…}";
  const parts = entries.map(([name, one]) => `${JSON.stringify(name)}: ${shortened(one, depth + 1)}`);
  const shown = parts.length > 6 ? [...parts.slice(0, 3), "…", ...parts.slice(-2)] : parts;
  return `{${shown.join(", ")}}`;
}
