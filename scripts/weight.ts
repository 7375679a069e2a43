/**
 * Prints how many lines of code each room holds, now and in the last release: `npm run weight`, or `npm run weight -- REVISION`
 * to compare with another revision. It is a report; no test reads it. Blank lines and comments do not count.
 */
import { execFileSync } from "node:child_process";

const ROOMS = ["src", "tools", "test", "bench", "scripts"];
const git = (...args: string[]) =>
  execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "ignore"] });

/** Finds the newest tag of a release, or null in a clone without tags. */
function lastRelease(): string | null {
  try {
    return git("describe", "--tags", "--match", "v*", "--abbrev=0").trim();
  } catch {
    return null;
  }
}

/** Counts lines that are neither blank nor part of a comment. */
function codeLines(text: string): number {
  let inComment = false;
  let count = 0;
  for (const line of text.split("\n").map((each) => each.trim())) {
    const begins = line.startsWith("/*");
    if (!inComment && !begins && line !== "" && !line.startsWith("//")) count += 1;
    if (inComment || begins) inComment = !line.includes("*/");
  }
  return count;
}

/** Names the room of a file: a folder of `src`, or the folder at the top. */
const roomOf = (file: string) =>
  file
    .split("/")
    .slice(0, file.startsWith("src/") && file.split("/").length > 2 ? 2 : 1)
    .join("/");

/** Lines of code by room in a revision; "" is what git has staged. */
function weigh(revision: string): Map<string, number> {
  const listed =
    revision === ""
      ? git("ls-files", "--", ...ROOMS)
      : git("ls-tree", "-r", "--name-only", revision, "--", ...ROOMS);
  const files = listed.split("\n").filter((file) => /\.ts$/.test(file));
  const rooms = new Map<string, number>();
  for (const file of files) {
    const lines = codeLines(git("show", `${revision}:${file}`));
    rooms.set(roomOf(file), (rooms.get(roomOf(file)) ?? 0) + lines);
  }
  return rooms;
}

const base = process.argv[2] ?? lastRelease();
const now = weigh("");
const then = base === null ? new Map<string, number>() : weigh(base);
console.log(
  base === null
    ? "lines of code by room (no release is tagged)"
    : `lines of code by room, now and in ${base}`,
);
for (const room of [...new Set([...now.keys(), ...then.keys()])].sort()) {
  const earlier = base === null ? "" : String(then.get(room) ?? 0).padStart(8);
  console.log(`${room.padEnd(20)}${String(now.get(room) ?? 0).padStart(8)}${earlier}`);
}
