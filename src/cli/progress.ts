/** Shows how far a job has come. */
export interface Progress {
  /** @param n  progress since the last call, in the unit of the total */
  advance(n: number): void;
  /** @param note  what went wrong */
  done(note?: string): void;
}

export interface ProgressOptions {
  /** Takes each line. Default: stderr, since stdout may carry a command's data. */
  line?: (text: string) => void;
  /** `bytes` are shown in MB. Default: `bytes`. */
  unit?: string;
}

/** A line at the start, then at most one for each 10 %. Work beyond the total stays at 100 %. */
export function createProgress(label: string, total: number, options: ProgressOptions = {}): Progress {
  const { line = (text) => void process.stderr.write(`${text}\n`), unit = "bytes" } = options;
  const title = `${label}, ${unit === "bytes" ? `${(total / 1e6).toFixed(1)} MB` : `${total} ${unit}`}`;
  let received = 0;
  let tens = 0;
  line(title);
  return {
    advance(n) {
      received += n;
      const now = total <= 0 ? 10 : Math.min(10, Math.floor((10 * received) / total));
      if (now > tens) line(`${title}: ${now * 10} %`);
      tens = now;
    },
    done(note) {
      if (note !== undefined) line(`${title}: ${note}`);
      else if (tens < 10) line(`${title}: 100 %`);
    },
  };
}
