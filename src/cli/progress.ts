import type { Writable } from "node:stream";
import { progress as clackProgress } from "@clack/prompts";

/** Shows how far a job has come. */
export interface Progress {
  /** @param n  progress since the last call, in the unit of the total */
  advance(n: number): void;
  /** @param note  what went wrong */
  done(note?: string): void;
}

export interface ProgressOptions {
  /** Default: stderr, since stdout may carry a command's data. */
  output?: Writable & { isTTY?: boolean };
  /** Takes every report in place of the output. */
  line?: (text: string) => void;
  /** `bytes` are shown in MB. Default: `bytes`. */
  unit?: string;
}

/** A progress bar on a terminal, elsewhere at most a line for each 10 %. Work beyond the total stays at 100 %. */
export function createProgress(label: string, total: number, options: ProgressOptions = {}): Progress {
  const { output = process.stderr, line, unit = "bytes" } = options;
  const size = unit === "bytes" ? `${(total / 1e6).toFixed(1)} MB` : `${total} ${unit}`;
  if (line === undefined && output.isTTY === true) return bar(`${label} (${size})`, total, output);
  return lines(`${label}, ${size}`, total, line ?? ((text) => void output.write(`${text}\n`)));
}

/** A bar of 100 steps; the library draws it in proportion. */
function bar(title: string, total: number, output: Writable): Progress {
  const shown = clackProgress({ max: 100, output });
  shown.start(title);
  let received = 0;
  let percent = 0;
  return {
    advance(n) {
      received += n;
      const now = percentOf(received, total);
      if (now > percent) shown.advance(now - percent, `${title} ${now} %`);
      percent = now;
    },
    done(note) {
      if (note === undefined) shown.stop(title);
      else shown.error(`${title}: ${note}`);
    },
  };
}

function lines(title: string, total: number, write: (text: string) => void): Progress {
  let received = 0;
  let tens = 0;
  return {
    advance(n) {
      received += n;
      const now = Math.floor(percentOf(received, total) / 10);
      if (now > tens) write(`${title}: ${now * 10} %`);
      tens = now;
    },
    done(note) {
      if (note !== undefined) write(`${title}: ${note}`);
      else if (tens < 10) write(`${title}: 100 %`);
    },
  };
}

function percentOf(received: number, total: number): number {
  return total <= 0 ? 100 : Math.min(100, Math.floor((received / total) * 100));
}
