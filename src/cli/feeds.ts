import { Command, InvalidArgumentError, Option } from "commander";
import { readConfig } from "../config.ts";
import { isoTime } from "../domain/resources.ts";
import { newId } from "../domain/secrets.ts";
import { HOUR_MS, MINUTE_MS } from "../domain/time.ts";
import { type OpenBoard, openBoard } from "../open-board.ts";
import { KINDS, type Kind } from "../schema/post.ts";
import { TimeZone } from "../schema/scalars.ts";
import type { Feed } from "../syndication/feed.ts";
import { Feeds } from "../syndication/feeds.ts";
import { POLL_EVERY } from "../syndication/index.ts";
import { FEED_KINDS, type FeedKind } from "../syndication/kinds/index.ts";
import { openLogger } from "./logger.ts";
import { withBoard } from "./open-store.ts";

interface Options {
  kind: FeedKind;
  name?: string;
  license?: string;
  tag: string[];
  postKind?: Kind;
  timezone: string;
  place?: string;
  every: number;
  daily: number;
}

const PREVIEWED = 10;
const DAILY = 500;

/** `agent-board feeds …`: which public feeds the board relays. */
export function feedsCommand(): Command {
  const command = new Command("feeds").description(
    "relay public feeds and calendars: add, list, test, poll, pause, resume, remove",
  );
  describedFeed(
    command.command("add").description("relay a feed from now on; a running board polls it within a minute"),
  )
    .requiredOption("--name <text>", "shown as the source of its posts")
    .requiredOption("--license <text>", "under which its content may be passed on, such as CC-BY-4.0")
    .action(add);
  describedFeed(command.command("test").description("show what a feed would post, and post nothing")).action(
    test,
  );
  command
    .command("list")
    .description("all feeds, with how their last poll went")
    .option("--json", "as JSON")
    .action(list);
  command.command("poll").description("poll a feed now").argument("<id>").action(poll);
  for (const [name, paused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    command
      .command(name)
      .description(`${name} polling; its posts stay`)
      .argument("<id>")
      .action((id: string) => setPaused(id, paused));
  }
  command
    .command("remove")
    .description("forget a feed and remove its posts")
    .argument("<id>")
    .option("--keep-posts", "leave its posts until they expire")
    .action(remove);
  return command;
}

/** The arguments that say what a feed is and how its entries become posts. */
function describedFeed(command: Command): Command {
  return command
    .argument("<url>")
    .addOption(new Option("--kind <kind>", "its format").choices(FEED_KINDS).makeOptionMandatory())
    .option(
      "--tag <tag>",
      "put on every post; may be repeated",
      (tag, tags: string[]) => [...tags, tag],
      [] as string[],
    )
    .addOption(
      new Option(
        "--post-kind <kind>",
        "what its entries are; default: event for calendars, else announcement",
      ).choices(KINDS),
    )
    .option("--timezone <zone>", "of times without one", zone, "UTC")
    .option("--place <name>", "of entries without a place")
    .option("--every <minutes>", "between two polls", minutes, POLL_EVERY.usualMs / MINUTE_MS)
    .option("--daily <n>", "new posts a day at most", count, DAILY);
}

async function add(url: string, options: Options): Promise<void> {
  await withSyndication(async (board) => {
    const feed = feedOf(url, options);
    const refusal = refusalOf(board, feed);
    if (refusal !== null) throw new Error(refusal);
    // What cannot be read now would not be read later either.
    const { posts, refused } = await board.syndication.preview(feed);
    const { feeds } = board.syndication;
    const known = (await feeds.all()).find((one) => one.url === url);
    if (known !== undefined) throw new Error(`This feed is there already: ${known.id}.`);
    const input = {
      name: feed.name,
      description: `Relays ${url} (${feed.license}).`,
      url,
      accept_terms: true as const,
    };
    const { id } = await board.services.publishers.register(input, board.clock());
    const added = { ...feed, publisherId: id };
    await feeds.change((all) => ({ feeds: [...all, added], result: undefined }));
    process.stdout.write(
      `${added.id} added: ${posts.length} entries now, ${refused.length} refused. Publisher ${id}.\n`,
    );
  });
}

async function test(url: string, options: Options): Promise<void> {
  await withSyndication(async (board) => {
    const feed = feedOf(url, options);
    const refusal = refusalOf(board, feed);
    if (refusal !== null) throw new Error(refusal);
    const { posts, refused } = await board.syndication.preview(feed);
    const lines = posts.slice(0, PREVIEWED).map(({ kind, title, starts_at: startsAt, location, tags }) => {
      const when = startsAt == null ? "" : ` · ${isoTime(startsAt)}`;
      const where = location?.name == null ? "" : ` · ${location.name}`;
      return `  ${kind}: ${title}${when}${where}${tags == null || tags.length === 0 ? "" : ` · ${tags.join(", ")}`}`;
    });
    if (posts.length > PREVIEWED) lines.push(`  and ${posts.length - PREVIEWED} more`);
    lines.push(...refused.map((why) => `  refused: ${why}`));
    process.stdout.write(`${posts.length} posts\n${lines.join("\n")}\n`);
  });
}

async function list({ json = false }: { json?: boolean }): Promise<void> {
  await withFeeds(async (feeds) => {
    const all = await Promise.all(
      (await feeds.all()).map(async (feed) => ({ ...feed, state: await feeds.state(feed.id) })),
    );
    if (json) {
      process.stdout.write(`${JSON.stringify(all)}\n`);
      return;
    }
    const lines = all.map(({ id, kind, name, url, paused, state }) => {
      const polled = state.polledAt === null ? "never polled" : `polled ${isoTime(state.polledAt)}`;
      const how =
        state.lastError === null
          ? `${state.added} added, ${state.changed} changed, ${state.retired} retired`
          : `failed ${state.failures} times: ${state.lastError}`;
      return `${id}\t${kind}\t${name}\t${url}\t${paused ? "paused" : polled}\t${how}`;
    });
    process.stdout.write(
      `${lines.join("\n") || "No feeds. Add one: agent-board feeds add URL --kind ics --name … --license …"}\n`,
    );
  });
}

async function poll(id: string): Promise<void> {
  await withSyndication(async (board) => {
    const feed = feedWith(await board.syndication.feeds.all(), id);
    const done = await board.syndication.poll(feed);
    process.stdout.write(
      done.unchanged
        ? "unchanged\n"
        : `${done.added} added, ${done.changed} changed, ${done.retired} retired, ${done.folded} told by others already, ${done.left} left for later\n${done.refused.map((why) => `  refused: ${why}\n`).join("")}`,
    );
  });
}

async function setPaused(id: string, paused: boolean): Promise<void> {
  await withFeeds(async (feeds) => {
    await feeds.change((all) => {
      const feed = feedWith(all, id);
      return { feeds: all.map((one) => (one === feed ? { ...feed, paused } : one)), result: undefined };
    });
    process.stdout.write(`${id} ${paused ? "paused" : "resumed"}\n`);
  });
}

async function remove(id: string, { keepPosts = false }: { keepPosts?: boolean }): Promise<void> {
  await withSyndication(async (board) => {
    const feed = await board.syndication.feeds.change((all) => {
      const found = feedWith(all, id);
      return { feeds: all.filter((one) => one !== found), result: found };
    });
    const publisher = keepPosts ? null : await board.store.publishers.get(feed.publisherId);
    if (publisher !== null) await board.services.publishers.erase(publisher);
    process.stdout.write(
      `${id} removed${keepPosts ? "; its posts stay until they expire" : " with its posts"}\n`,
    );
  });
}

function feedOf(url: string, options: Options): Feed {
  return {
    id: newId("feed"),
    url,
    kind: options.kind,
    name: options.name ?? "",
    license: options.license ?? "",
    publisherId: "",
    tags: options.tag,
    postKind: options.postKind ?? null,
    timezone: options.timezone,
    place: options.place === undefined ? null : { name: options.place, lat: null, lng: null },
    everyMs: options.every * MINUTE_MS,
    dailyMax: options.daily,
    paused: false,
  };
}

function refusalOf(board: OpenBoard, { url }: Feed): string | null {
  const refusal = board.syndication.refusal(url);
  return refusal === null ? null : `${url} may not be fetched: ${refusal}.`;
}

function feedWith(feeds: readonly Feed[], id: string): Feed {
  const feed = feeds.find((one) => one.id === id);
  if (feed === undefined) throw new Error(`No feed ${id}. \`agent-board feeds list\` names them.`);
  return feed;
}

/** The board with everything but the model and the work beside the answers. */
async function withSyndication(act: (board: OpenBoard) => Promise<void>): Promise<void> {
  const config = { ...readConfig(process.env), embeddings: "off" as const };
  const board = await openBoard(config, { logger: openLogger(config.logLevel) });
  try {
    await act(board);
  } finally {
    await board.close();
  }
}

async function withFeeds(act: (feeds: Feeds) => Promise<void>): Promise<void> {
  await withBoard(readConfig(process.env), (store) => act(new Feeds(store, Date.now)));
}

function zone(name: string): string {
  if (!TimeZone.safeParse(name).success)
    throw new InvalidArgumentError("Must be an IANA time zone, such as Europe/Berlin.");
  return name;
}

function minutes(text: string): number {
  const [least, most] = [POLL_EVERY.leastMs / MINUTE_MS, POLL_EVERY.mostMs / MINUTE_MS];
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new InvalidArgumentError(
      `Must be whole minutes from ${least} to ${most} (${most / (HOUR_MS / MINUTE_MS) / 24} days).`,
    );
  }
  return value;
}

function count(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("Must be a whole number from 1 to 99999.");
  return Number(text);
}
