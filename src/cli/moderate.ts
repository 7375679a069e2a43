import { text as textOf } from "node:stream/consumers";
import { Command } from "commander";
import { outcomeOf, reportsOf, stateOf, subjectId } from "../adapters/operator/tools.ts";
import { quotedBlock, visibleLine } from "../adapters/text/untrusted.ts";
import { BoardError } from "../board/failures.ts";
import { ACTS, type Act, Moderation, type SeenAct, type SeenPost } from "../domain/moderation.ts";
import { withBoard } from "./open-store.ts";
import { commandBelow, print, repeated, sinceOption, wholeNumber } from "./output.ts";

const DESCRIPTIONS: Record<Act, string> = {
  hide: "hide posts everywhere; their owners still see them, with the reason",
  restore: "show hidden posts again; closes their reports",
  remove: "remove posts and their replies for good",
  suspend: "hide publishers' posts from everybody and refuse their writes",
  reinstate: "end suspensions",
};

interface Meant {
  publisher: string[];
  since?: number;
  json: boolean;
}

/** Makes `agent-board moderate …`: what the operator sees and does, beside a running board. */
export function moderateCommand(): Command {
  const command = new Command("moderate");
  commandBelow(command, "list", "posts with open reports, most reporters first, and the newest acts")
    .option("--limit <n>", "how many of each", wholeNumber(1, 1_000), 20)
    .action(({ limit, json }: { limit: number; json: boolean }) =>
      withModeration(async (moderation) => {
        const { posts, held, acts } = await moderation.desk(limit);
        const parts = [
          ["Reported posts", posts.map(lineOf)],
          ["Waiting for a look", held.map(lineOf)],
          ["Acts", acts.map(lineOfAct)],
        ] as const;
        const text = parts.map(([title, lines]) => `${title}:\n${lines.join("\n") || "none"}`);
        print(json, { posts, held, acts }, text.join("\n\n"));
      }),
    );
  commandBelow(command, "show", "posts as they are to be judged: text, author, words of reports, acts")
    .argument("<post...>", "ids or page URLs, or - to read them from stdin")
    .action((given: string[], { json }: { json: boolean }) =>
      withModeration(async (moderation) => {
        for (const id of await idsFrom(given)) {
          const { posts, acts } = await moderation.examine(id);
          for (const post of posts)
            print(json, { ...post, acts }, [...linesOf(post), ...acts.map(lineOfAct), ""].join("\n"));
        }
      }),
    );
  withFilter(commandBelow(command, "posts", "posts that are not removed, hidden ones too, newest first"))
    .option("--hidden", "only those that are hidden themselves")
    .option("--limit <n>", "how many", wholeNumber(1, 9999), 50)
    .option("--before <post>", "the last id of the page before this one", subjectId)
    .action(({ json, hidden, limit, before, ...meant }: Meant & Page) =>
      withModeration(async (moderation) => {
        const posts = await moderation.posts({ ...soughtOf(meant), hidden }, "", { before, limit });
        print(json, posts, posts.map(lineOf).join("\n") || "none");
      }),
    );
  for (const act of Object.keys(ACTS) as Act[]) {
    const of = ACTS[act];
    withFilter(commandBelow(command, act, DESCRIPTIONS[act]))
      .argument(
        `[${of}...]`,
        `ids or page URLs, of posts too, or - to read lines that begin with one from stdin`,
      )
      .requiredOption("--reason <text>", "kept in the log of moderation; the author reads it")
      .action((given: string[], { reason, json, ...meant }: Meant & { reason: string }) =>
        withModeration(async (moderation) => {
          const ids = await idsFrom(given);
          const acted = await moderation.actOn(act, ids, reason, Date.now(), "operator", soughtOf(meant));
          const [only] = acted;
          if (acted.length === 1 && only?.failure != null) throw new BoardError(only.failure);
          const { done, failed } = outcomeOf(acted);
          const lines = acted.map(({ subject, failure }) => `${act} ${subject}: ${failure ?? "done"}`);
          if (acted.length !== 1) lines.push(`${act}: ${done.length} of ${acted.length}`);
          print(json, { action: act, reason, done, failed }, lines.join("\n"));
          if (failed.length > 0) process.exitCode = 1;
        }),
      );
  }
  return command;
}

interface Page {
  hidden?: true;
  limit: number;
  before?: string;
}

const withModeration = (act: (moderation: Moderation) => Promise<void>): Promise<void> =>
  withBoard((store) => act(new Moderation({ store })));

const withFilter = (command: Command): Command =>
  command
    .option("--publisher <id>", "what this publisher posted; may be given again", repeated, [])
    .option("--since <time>", 'from this time on, such as "2 hours ago" or 2026-12-01T10:00Z', sinceOption);

const soughtOf = ({ publisher, since }: Omit<Meant, "json">) => ({
  publishers: publisher.map(subjectId),
  since,
});

/** Takes ids as they were given, or the first word of each line of stdin for `-`. */
async function idsFrom(given: readonly string[]): Promise<string[]> {
  const lines = given.includes("-") ? (await textOf(process.stdin)).split("\n") : [];
  const words = lines.map((line) => line.trim().split(/\s/)[0] ?? "");
  return [...given.filter((id) => id !== "-"), ...words.filter((word) => word !== "")].map(subjectId);
}

// Texts of others come without characters that hide or steer.

function lineOf(post: SeenPost): string {
  const name = `${visibleLine(post.name ?? "")} (${post.publisher})`;
  const reports = reportsOf(post);
  const line = [post.id, stateOf(post), post.created_at, visibleLine(post.title), name];
  return [...line, ...(reports === "" ? [] : [reports])].join("\t");
}

const lineOfAct = ({ at, action, subject, actor, reason }: SeenAct): string =>
  `${at}\t${action} ${subject}\tby ${actor}\t${visibleLine(reason)}`;

/** Writes a post whole, and each report of it. */
function linesOf({ body, reports, ...post }: SeenPost): string[] {
  const { kind, link, flags, parent, registered, edited_at } = post;
  const facts = { kind, link, flags: flags.join(", "), parent, edited_at, author_registered: registered };
  return [
    lineOf({ body, reports, ...post }),
    ...Object.entries(facts).flatMap(([name, fact]) => (fact ? [`${name}: ${visibleLine(fact)}`] : [])),
    quotedBlock(body),
    ...reports.map(
      ({ at, by, reason, details, before_last_edit: older }) =>
        `${at}\t${reason}\tby ${by}${older ? "\tbefore the last edit" : ""}${details === null ? "" : `\n${quotedBlock(details, "  ")}`}`,
    ),
  ];
}
