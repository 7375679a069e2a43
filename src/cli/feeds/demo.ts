import { Command } from "commander";
import { DEMO_FEED } from "../../../demo/feed.ts";
import { readConfig } from "../../config.ts";
import { newId } from "../../domain/secrets.ts";
import { DAY_MS } from "../../domain/time.ts";
import { jsonOption, print } from "../output.ts";
import { withServices } from "../services.ts";
import { addFeed, pollInWords } from "./index.ts";

const DAILY = 500;

/** `agent-board demo`: a feed of real conferences that travels with the package. */
export function demoCommand(): Command {
  return new Command("demo").addOption(jsonOption()).action(demo);
}

async function demo({ json }: { json: boolean }): Promise<void> {
  await withServices(readConfig(process.env), async (board) => {
    const { url, name, license, description, home } = DEMO_FEED;
    const known = (await board.syndication.feeds.all()).find((feed) => feed.url === url);
    const described = {
      ...{ id: newId("feed"), url, kind: "jsonl" as const, name, license, publisherId: "", tags: [] },
      ...{ postKind: null, timezone: "UTC", place: null, everyMs: DAY_MS, dailyMax: DAILY, paused: false },
    };
    const feed = known ?? (await addFeed(board, described, { description, url: home }));
    const done = await board.syndication.poll(feed);
    const advice = `Licence of the data: ${license}, ${home}. \`agent-board feeds remove ${feed.id}\` removes it.`;
    print(json, { feed: feed.id, license, home, ...done }, `${pollInWords(done)}\n${advice}`);
  });
}
