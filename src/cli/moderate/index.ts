import { text as textOf } from "node:stream/consumers";
import { Command } from "commander";
import { visibleLine } from "../../adapters/text/untrusted.ts";
import { BoardError } from "../../board/failures.ts";
import { ACTS, type Act, Moderation } from "../../domain/moderation.ts";
import { isoTime } from "../../domain/resources.ts";
import { bareId } from "../../schema/scalars.ts";
import { counted } from "../../schema/text.ts";
import { withBoard } from "../open-store.ts";
import { commandBelow, positionOf, print, repeated, sinceOption, wholeNumber } from "../output.ts";
import { examinedFacts, examinedText, factsOfPost, lineOfPost, quotedReason } from "./text.ts";

const DESCRIPTIONS: Record<Act, string> = {
  hide: "hide posts everywhere; their owners still see them, with the reason",
  restore: "show hidden posts again; closes their reports",
  remove: "remove posts and their replies for good",
  suspend: "hide publishers' posts from everybody and refuse their writes",
  reinstate: "end suspensions",
};

interface Selected {
  reason: string;
  publisher: string[];
  since?: number;
  json: boolean;
}

/** `agent-board moderate …`: what the operator sees and does, beside a running board. */
export function moderateCommand(): Command {
  const command = new Command("moderate");
  commandBelow(command, "list", "posts with open reports, most reporters first, and the newest acts")
    .option("--limit <n>", "how many of each", wholeNumber(1, 9999), 20)
    .action(({ limit, json }: { limit: number; json: boolean }) =>
      withModeration((moderation) => list(moderation, limit, json)),
    );
  commandBelow(
    command,
    "show",
    "posts as they are to be judged: text, author, reports with their words, acts",
  )
    .argument("<post...>", "ids or page URLs, or - to read them from stdin")
    .action((ids: string[], { json }: { json: boolean }) =>
      withModeration(async (moderation) => {
        for (const id of await idsFrom(ids, "post")) {
          const examined = await moderation.examine(id);
          print(json, examinedFacts(examined), examinedText(examined));
        }
      }),
    );
  withFilter(commandBelow(command, "posts", "posts that are not removed, hidden ones too, newest first"))
    .option("--hidden", "only those that are hidden themselves")
    .option("--limit <n>", "how many", wholeNumber(1, 9999), 50)
    .option("--before <post>", "the last id of the page before this one")
    .action((options) => withModeration((moderation) => posts(moderation, options)));
  for (const act of Object.keys(ACTS) as Act[]) {
    const of = ACTS[act];
    withFilter(commandBelow(command, act, DESCRIPTIONS[act]))
      .argument(`[${of}...]`, `ids or page URLs of ${of}s, or - to read lines that begin with one from stdin`)
      .requiredOption("--reason <text>", "kept in the log of moderation; the author reads it")
      .action((ids: string[], options: Selected) =>
        withModeration(async (moderation) => perform(moderation, act, ids, options)),
      );
  }
  return command;
}

const withModeration = (act: (moderation: Moderation) => Promise<void>): Promise<void> =>
  withBoard((store) => act(new Moderation({ store })));

const withFilter = (command: Command): Command =>
  command
    .option("--publisher <id>", "what this publisher posted; may be given again", repeated, [])
    .option("--since <time>", 'from this time on, such as "2 hours ago" or 2026-12-01T10:00Z', sinceOption);

/** Ids as they were given, or the first word of each line of stdin for `-`. */
async function idsFrom(given: readonly string[], of: "post" | "publisher"): Promise<string[]> {
  const lines = given.includes("-") ? (await textOf(process.stdin)).split("\n") : [];
  const words = [
    ...given.filter((id) => id !== "-"),
    ...lines.map((line) => line.trim().split(/\s/)[0] ?? ""),
  ];
  return words.filter((word) => word !== "").map((id) => bareId(id, of === "post" ? "p" : "publishers"));
}

async function perform(moderation: Moderation, act: Act, given: string[], options: Selected): Promise<void> {
  const { reason, since: from, json } = options;
  const subjects = await idsFrom(given, ACTS[act]);
  const publishers = options.publisher.map((id) => bareId(id, "publishers"));
  const time = from === undefined ? {} : { since: from };
  if (act === "suspend" || act === "reinstate") {
    subjects.push(...publishers);
    if (from !== undefined) subjects.push(...(await registeredSince(moderation, from)));
  } else {
    for (const publisherId of publishers)
      subjects.push(...(await moderation.subjects(act, { publisherId, ...time })));
    if (from !== undefined && publishers.length === 0) {
      if (act === "remove")
        throw new Error("Nothing was removed: --since goes with --publisher, since this cannot be undone.");
      subjects.push(...(await moderation.subjects(act, time)));
    }
  }
  const acted = await moderation.actOnAll(act, subjects, reason, Date.now());
  const [only] = acted;
  if (acted.length === 1 && only?.failure != null) throw new BoardError(only.failure);
  const failed = acted.filter(({ failure }) => failure !== null);
  const done = acted.flatMap(({ subject, failure }) => (failure === null ? [subject] : []));
  const lines = acted.map(({ subject, failure }) => `${act} ${subject}: ${failure ?? "done"}`);
  if (acted.length !== 1) lines.push(`${act}: ${done.length} of ${acted.length}`);
  print(json, { action: act, reason, done, failed }, lines.join("\n"));
  if (failed.length > 0) process.exitCode = 1;
}

async function registeredSince(moderation: Moderation, from: number): Promise<string[]> {
  const rows = await moderation.publishers(from, { before: null, limit: Number.MAX_SAFE_INTEGER });
  return rows.map(({ id }) => id);
}

async function posts(
  moderation: Moderation,
  options: {
    publisher: string[];
    since?: number;
    hidden?: true;
    limit: number;
    before?: string;
    json: boolean;
  },
): Promise<void> {
  const { since: from, hidden = false, limit, json } = options;
  const before = options.before === undefined ? null : bareId(options.before, "p");
  const position = before === null ? null : positionOf((await moderation.examine(before)).post);
  const publishers = options.publisher.map((id) => bareId(id, "publishers"));
  const each = publishers.length === 0 ? [{}] : publishers.map((publisherId) => ({ publisherId }));
  const found = [];
  for (const by of each) {
    const filter = { ...by, hidden, ...(from === undefined ? {} : { since: from }) };
    found.push(...(await moderation.posts(filter, { before: position, limit })));
  }
  found.sort((a, b) => b.post.createdAt - a.post.createdAt || (a.post.id < b.post.id ? 1 : -1));
  const shown = found.slice(0, limit);
  print(json, shown.map(factsOfPost), shown.map(lineOfPost).join("\n") || "none");
}

async function list(moderation: Moderation, limit: number, json: boolean): Promise<void> {
  const queue = await moderation.queue(limit);
  const held = await moderation.held(limit);
  const history = await moderation.history(null, limit);
  const lines = queue.map((one) => {
    const { post, reporters, reasons, lastAt } = one;
    const facts = [post.id, post.state, counted(reporters, "reporter"), reasons.join(", "), isoTime(lastAt)];
    return [...facts, visibleLine(post.title), visibleLine(one.author?.name ?? "")].join("\t");
  });
  const acts = history.map(
    ({ at, action, subject, actor, reason }) =>
      `${isoTime(at)}\t${action} ${subject}\tby ${actor}\t${quotedReason(reason)}`,
  );
  const facts = {
    reported: queue.map((one) => ({
      ...factsOfPost(one),
      reporters: one.reporters,
      reasons: one.reasons,
      last_at: isoTime(one.lastAt),
    })),
    held: held.map(factsOfPost),
    acts: history.map((act) => ({ ...act, at: isoTime(act.at) })),
  };
  const parts = [
    ["Reported posts", lines],
    ["Waiting for a look", held.map(lineOfPost)],
    ["Acts", acts],
  ] as const;
  print(json, facts, parts.map(([title, of]) => `${title}:\n${of.join("\n") || "none"}`).join("\n\n"));
}
