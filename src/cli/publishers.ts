import { Command } from "commander";
import { visibleLine } from "../adapters/text/untrusted.ts";
import { Moderation } from "../domain/moderation.ts";
import { makeInvite } from "../domain/publishers/invites.ts";
import { isoTime } from "../domain/resources.ts";
import { newApiKey, sha256 } from "../domain/secrets.ts";
import { DAY_MS } from "../platform/time.ts";
import type { Store, StoredPublisher } from "../ports/store/index.ts";
import { bareId } from "../schema/scalars.ts";
import { counted } from "../schema/text.ts";
import { withBoard } from "./open-store.ts";
import { commandBelow, print, sinceOption, wholeNumber } from "./output.ts";

/** Makes `agent-board publishers …`, which tells who writes here, beside a running board. `moderate` suspends and reinstates. */
export function publishersCommand(): Command {
  const command = new Command("publishers");
  commandBelow(command, "list", "publishers, newest first; with --json one object a line")
    .option(
      "--since <time>",
      'registered from then on, such as "2 hours ago" or 2026-12-01T10:00Z',
      sinceOption,
    )
    .option("--new", "registered in the last 24 hours")
    .option("--limit <n>", "how many; default: all", wholeNumber(1, 9_999_999))
    .option("--before <publisher>", "the last id of the page before this one")
    .action((options: ListOptions) => withBoard((store) => list(store, options)));
  commandBelow(
    command,
    "invite",
    "print codes for a board with REGISTRATION=invite, each good for one registration",
  )
    .option("--count <n>", "how many", wholeNumber(1, 1_000), 1)
    .option("--days <n>", "for how long they are good", wholeNumber(1, 365), 14)
    .action(({ count, days, json }: { count: number; days: number; json: boolean }) =>
      withBoard(async (store) => {
        const codes = [];
        for (let n = 0; n < count; n += 1) codes.push(await makeInvite(store, Date.now(), days));
        print(json, { codes, days }, codes.join("\n"));
      }),
    );
  onePublisher(command, "show", "one publisher, as JSON", async (_store, row, json) => {
    print(json, shown(row), JSON.stringify(shown(row), null, 2));
  });
  const newKey = "replace a lost API key and print the new one; the old one fails from now on";
  onePublisher(command, "new-key", newKey, async (store, { id: publisher }, json) => {
    const key = newApiKey();
    await store.publishers.update(publisher, { keyHash: sha256(key) });
    print(json, { publisher, api_key: key }, key);
  });
  const erase = "erase a publisher with all posts, saved queries and deliveries; this cannot be undone";
  onePublisher(command, "erase", erase, async (store, { id: publisher }, json) => {
    const { posts = 0, subscriptions = 0 } = (await store.publishers.erase(publisher)) ?? {};
    const text = `erase ${publisher}: ${counted(posts, "post")}, ${counted(subscriptions, "saved query", "saved queries")}`;
    print(json, { publisher, posts, subscriptions }, text);
  }).requiredOption("--yes", "confirms it");
  return command;
}

function onePublisher(
  parent: Command,
  name: string,
  description: string,
  act: (store: Store, row: StoredPublisher, json: boolean) => Promise<void>,
): Command {
  return commandBelow(parent, name, description)
    .argument("<publisher>", "id or page URL")
    .action((id: string, { json }: { json: boolean }) =>
      withBoard(async (store) => act(store, await found(store, id), json)),
    );
}

interface ListOptions {
  since?: number;
  new?: true;
  limit?: number;
  before?: string;
  json: boolean;
}

async function list(
  store: Store,
  { since, limit = Number.POSITIVE_INFINITY, before, json, ...options }: ListOptions,
): Promise<void> {
  const from = since ?? (options.new === true ? Date.now() - DAY_MS : 0);
  let left = limit;
  for await (const rows of new Moderation({ store }).publishers(
    from,
    before && bareId(before, "publishers"),
  )) {
    for (const row of rows.slice(0, left)) print(json, shown(row), lineOf(row));
    left -= rows.length;
    if (left <= 0) return;
  }
}

async function found(store: Store, id: string): Promise<StoredPublisher> {
  const row = await store.publishers.get(bareId(id, "publishers"));
  if (row !== null) return row;
  throw new Error(`There is no publisher ${id}. \`agent-board publishers list\` shows all.`);
}

/** Leaves out the hash of its key and the token of its proof. */
const shown = (row: StoredPublisher) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  url: row.url,
  domain: row.domain,
  verified_via: row.verifiedVia,
  suspended_at: row.suspendedAt === null ? null : isoTime(row.suspendedAt),
  posts: row.postCount,
  created_at: isoTime(row.createdAt),
});

function lineOf(row: StoredPublisher): string {
  const state = row.suspendedAt !== null ? "suspended" : row.verifiedVia !== null ? "verified" : "";
  return [row.id, isoTime(row.createdAt), counted(row.postCount, "post"), state, visibleLine(row.name)].join(
    "\t",
  );
}
