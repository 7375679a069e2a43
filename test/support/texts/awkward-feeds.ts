import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { FeedKind } from "../../../src/syndication/kinds/index.ts";

/** A feed that is hard to read, as `awkward-feeds.txt` describes it. */
interface AwkwardFeed {
  what: string;
  kind: FeedKind;
  /** By the number of the poll, from 0. */
  body: (poll: number) => string | Buffer;
  headers?: Record<string, string>;
  /** Title, start and end of each post as ISO times without seconds; or why it is refused. */
  becomes: readonly (readonly [title: string, start: string | null, end: string | null])[] | RegExp;
  /** Why entries of it are refused. */
  refused?: readonly string[];
  /** Posts that the second poll changes: they take the new id of their event. */
  changes?: number;
  /** Addresses of its posts, in order of their titles. */
  urls?: readonly string[];
}

function bytesOf(text: string, how: string): string | Buffer {
  if (how.startsWith("utf16")) return Buffer.from(`\uFEFF${text}`, "utf16le");
  if (how.startsWith("latin1")) return Buffer.from(text, "latin1");
  return how === "bomb" ? gzipSync(Buffer.alloc(64 << 20, "a")) : text;
}

function readFeed(section: string): AwkwardFeed {
  const [what = "", said = "", ...lines] = section.trimEnd().split("\n");
  const { kind, becomes, bytes = "", ...more } = JSON.parse(said);
  const end = /^(ics|jsonl)$/.test(kind) && !bytes.endsWith("lf") ? "\r\n" : "\n";
  const text = lines.map((line) => line + end).join("");
  return {
    what,
    kind,
    becomes: typeof becomes === "string" ? new RegExp(becomes) : becomes,
    body: (poll) => bytesOf(text.replaceAll("POLL", String(poll)), bytes),
    ...more,
  };
}

const file = readFileSync(new URL("awkward-feeds.txt", import.meta.url), "utf8");
export const AWKWARD_FEEDS: readonly AwkwardFeed[] = file.split(/^=== /m).slice(1).map(readFeed);
