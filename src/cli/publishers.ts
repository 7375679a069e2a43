import { Command } from "commander";
import { isoTime } from "../domain/resources.ts";
import { newApiKey, sha256 } from "../domain/secrets.ts";
import type { Store, StoredPublisher } from "../ports/store/index.ts";
import { bareId } from "../schema/scalars.ts";
import { counted } from "../schema/text.ts";
import { withBoard } from "./open-store.ts";
import { commandBelow, print } from "./output.ts";

/** `agent-board publishers …`: who writes here, beside a running board. `moderate` suspends and reinstates. */
export function publishersCommand(): Command {
  const command = new Command("publishers");
  commandBelow(command, "list", "all publishers, newest first; with --json one object a line").action(
    ({ json }: { json: boolean }) =>
      withBoard(async (store) => {
        const all = (await everyPublisher(store)).sort((a, b) => b.createdAt - a.createdAt);
        for (const row of all) print(json, shown(row), lineOf(row));
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
      withBoard(async (store) => {
        const found = await store.publishers.get(bareId(id, "publishers"));
        if (found !== null) return act(store, found, json);
        throw new Error(`There is no publisher ${id}. \`agent-board publishers list\` shows all.`);
      }),
    );
}

/** A snapshot begins with settings and publishers. What follows is not read. */
async function everyPublisher(store: Store): Promise<StoredPublisher[]> {
  const snapshot = await store.transfer.snapshot();
  try {
    const found: StoredPublisher[] = [];
    for await (const page of snapshot.pages()) {
      if (page.kind === "publisher") found.push(...page.rows);
      else if (page.kind !== "setting") break;
    }
    return found;
  } finally {
    await snapshot.close();
  }
}

/** Without the hash of its key and the token of its proof. */
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
  return [row.id, isoTime(row.createdAt), counted(row.postCount, "post"), state, row.name].join("\t");
}
