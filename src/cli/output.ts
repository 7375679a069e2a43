import { fstatSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Logger, pino } from "pino";
import { BoardError } from "../board/failures.ts";
import { sinceOf } from "../domain/since.ts";

/** Commands that print facts print one JSON document with it, instead of lines for people. */
export const jsonOption = (): Option => new Option("--json", "print JSON instead of text").default(false);

/** Adds a command that prints facts, with its arguments in the name, such as `poll <id>`. */
export const commandBelow = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description).addOption(jsonOption());

/** Prints facts as JSON, or as text for people. @param text  without its last line end */
export function print(json: boolean, facts: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(facts) : text}\n`);
}

/** Reads an option that may be given again. */
export const repeated = (value: string, before: readonly string[]): string[] => [...before, value];

/** Reads an option that is a moment of the past, as `since` of the API takes it. */
export function sinceOption(text: string): number {
  try {
    return sinceOf(text, Date.now());
  } catch (error) {
    throw new InvalidArgumentError(error instanceof BoardError ? (error.issues[0]?.message ?? "") : "");
  }
}

/** Reads an option that is a whole number. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`);
  };

interface ProgressOptions {
  /** Takes each line. Default: stderr, since stdout may carry a command's data. */
  line?: (text: string) => void;
  /** `bytes` are shown in MB. The default is `bytes`. */
  unit?: string;
}

/**
 * Shows how far a job has come: by a line at its start, then by one for each 10 % at most.
 * @returns to be called with what was done since, in the unit of the total; what goes beyond the total stays at 100 %
 */
export function createProgress(
  label: string,
  total: number,
  options: ProgressOptions = {},
): (n: number) => void {
  const { line = (text) => void process.stderr.write(`${text}\n`), unit = "bytes" } = options;
  const title = `${label}, ${unit === "bytes" ? `${(total / 1e6).toFixed(1)} MB` : `${total} ${unit}`}`;
  let done = 0;
  let tens = 0;
  line(title);
  return (n) => {
    done += n;
    const now = total <= 0 ? 10 : Math.min(10, Math.floor((10 * done) / total));
    if (now > tens) line(`${title}: ${now * 10} %`);
    tens = now;
  };
}

/** Writes JSON lines on stderr: stdout belongs to a command's answer, and in stdio mode to JSON-RPC alone. */
export function openLogger(level: string, { JOURNAL_STREAM } = process.env): Logger {
  const stderr = pino.destination({ dest: 2, sync: true });
  const { dev, ino } = fstatSync(2);
  return pino(
    {
      level,
      redact: ["authorization", "*.authorization", "api_key", "*.api_key"],
      formatters: { level: (name) => ({ level: name }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    JOURNAL_STREAM === `${dev}:${ino}` ? withPriorities(stderr) : stderr,
  );
}

function withPriorities(to: { write(line: string): void }) {
  const stream = {
    [pino.symbols.needsMetadataGsym]: true as const,
    // Pino sets it before each line.
    lastLevel: 0,
    write(line: string) {
      const [, priority] = PRIORITIES.find(([least]) => stream.lastLevel >= least) ?? [0, 7];
      to.write(`<${priority}>${line}`);
    },
  };
  return stream;
}

/** A priority of syslog begins at this level of pino. */
const PRIORITIES = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
] as const;
