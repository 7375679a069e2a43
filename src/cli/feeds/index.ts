import { Command } from "commander";
import { DEMO_FEED } from "../../../demo/feed.ts";
import { whenOf } from "../../adapters/text/when.ts";
import { readConfig } from "../../config.ts";
import { isoTime, isoTimeOrNull } from "../../domain/resources.ts";
import type { OpenBoard } from "../../open-board.ts";
import { openOutbound } from "../../outbound/guarded-fetch.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/time.ts";
import type { Post, PostInput } from "../../schema/post.ts";
import { counted } from "../../schema/text.ts";
import type { Entries } from "../../syndication/entries.ts";
import { type Feed, Feeds } from "../../syndication/feeds.ts";
import { type Poll, previewFeed } from "../../syndication/index.ts";
import { requireBoard, withBoard, withServices } from "../open-store.ts";
import { commandBelow, jsonOption, print } from "../output.ts";
import { DAILY, describedFeed, type FeedOptions, feedFromOptions } from "./options.ts";

const PREVIEWED = 10;
const TEXT_CHARS = 160;

/** Makes `agent-board feeds …`, which says which public feeds the board relays. */
export function feedsCommand(): Command {
  const command = new Command("feeds");
  const named = (name: string, description: string) => commandBelow(command, name, description);
  describedFeed(named("add <url>", "relay a feed from now on; a running board polls it within a minute"))
    .requiredOption("--name <text>", "shown as the source of its posts")
    .requiredOption("--license <text>", "under which its content may be passed on, such as CC-BY-4.0")
    .action(add);
  describedFeed(named("test <url>", "show what a feed would post, and post nothing")).action(test);
  named("list", "all feeds, with how their last poll went").action(list);
  named("poll <id>", "poll a feed now").action(poll);
  named("pause <id>", "pause polling; its posts stay").action((id, { json }) => setPaused(id, true, json));
  named("resume <id>", "resume polling").action((id, { json }) => setPaused(id, false, json));
  named("remove <id>", "forget a feed and remove its posts").action(remove);
  return command;
}

async function add(url: string, options: FeedOptions): Promise<void> {
  await withSyndication(async (board) => {
    const feed = feedFromOptions(url, options);
    const { entries, refused } = await previewOf(feed);
    const description = `Relays ${url} (${feed.license}).`;
    const added = await addFeed(board, feed, { description, url });
    print(
      options.json,
      { ...added, entries: entries.length, refused },
      [
        `${added.id} added: ${counted(entries.length, "entry", "entries")} now, ${refused.length} refused. Publisher ${added.publisherId}.`,
        ...refusedLines(refused),
      ].join("\n"),
    );
  });
}

/**
 * Registers the publisher that relays a feed, and adds the feed.
 * @throws Error when a feed with its URL is there already
 */
async function addFeed(
  board: OpenBoard,
  feed: Feed,
  publisher: { description: string; url: string },
): Promise<Feed> {
  const { feeds } = board.syndication;
  const known = (await feeds.all()).find(({ url }) => url === feed.url);
  if (known !== undefined) throw new Error(`This feed is there already: ${known.id}.`);
  const input = { name: feed.name, ...publisher, accept_terms: true as const };
  const { id } = await board.services.publishers.register(input, board.clock());
  const added = { ...feed, publisherId: id };
  await feeds.change((all) => [...all, added]);
  return added;
}

async function test(url: string, options: FeedOptions): Promise<void> {
  const { entries, refused, over, withdrawn, left } = await previewOf(feedFromOptions(url, options));
  const posts = entries.map(({ input }) => input);
  const lines = [
    `${counted(posts.length, "post")}; not posted: ${over} over, ${withdrawn.length} cancelled or private, ${left} above what a feed may have, ${refused.length} refused`,
    ...posts.slice(0, PREVIEWED).map(shown),
    ...(posts.length > PREVIEWED ? [`  and ${posts.length - PREVIEWED} more`] : []),
    ...refusedLines(refused),
  ];
  print(options.json, { posts, over, withdrawn: withdrawn.length, left, refused }, lines.join("\n"));
}

/** Shows a post as readers will see it, in a few lines. */
function shown(post: PostInput): string {
  const { kind, title, body, starts_at: startsAt, ends_at: endsAt, location, tags, url } = post;
  const times = { starts_at: isoTimeOrNull(startsAt ?? null), ends_at: isoTimeOrNull(endsAt ?? null) };
  const when = startsAt == null ? null : whenOf({ timezone: null, ...post, ...times } as unknown as Post);
  const about = [when, location?.name, tags?.join(", "), url].filter((part) => part != null && part !== "");
  const text = body === title ? "" : body.replace(/\s+/g, " ").slice(0, TEXT_CHARS);
  return [`  ${kind}: ${title}`, about.join(" · "), text].filter((line) => line !== "").join("\n    ");
}

const refusedLines = (refused: readonly string[]) => refused.map((why) => `  refused: ${why}`);

/** What cannot be read now would not be read later either. */
async function previewOf(feed: Feed): Promise<Entries> {
  const outbound = openOutbound({ allow: readConfig(process.env).webhookAllow });
  try {
    return await previewFeed(outbound, feed, Date.now());
  } finally {
    await outbound.close();
  }
}

async function list({ json }: { json: boolean }): Promise<void> {
  await withFeeds(async (feeds) => {
    const all = await Promise.all(
      (await feeds.all()).map(async (feed) => ({ ...feed, state: await feeds.state(feed.id) })),
    );
    const lines = all.map(({ id, kind, name, url, license, paused, state }) => {
      const polled = state.polledAt === null ? "never polled" : `polled ${isoTime(state.polledAt)}`;
      const how =
        state.lastError === null
          ? `${state.added} added, ${state.changed} changed, ${state.retired} retired`
          : `failed ${counted(state.failures, "time")}: ${state.lastError}`;
      const line = [id, kind, name, license, url, paused ? "paused" : polled, how].join("\t");
      return [line, ...refusedLines(state.refused)].join("\n");
    });
    const none = "No feeds. Add one: agent-board feeds add URL --kind ics --name … --license …";
    print(json, all, lines.join("\n") || none);
  });
}

async function poll(id: string, { json }: { json: boolean }): Promise<void> {
  await withSyndication(async (board) => {
    const feed = feedWith(await board.syndication.feeds.all(), id);
    const done = await board.syndication.poll(feed);
    print(json, done, pollInWords(done));
  });
}

/** Says in a line what a poll did, with a line for each refusal. */
function pollInWords(poll: Poll): string {
  if (poll.unchanged) return "unchanged";
  const { added, changed, retired, folded, left, doubted, refused } = poll;
  if (doubted > 0)
    return `nothing done, since most posts are missing (${doubted}); if the next poll says so too, they end`;
  const counts = `${added} added, ${changed} changed, ${retired} retired, ${folded} posted by others already, ${left} left for later`;
  return [counts, ...refusedLines(refused)].join("\n");
}

async function setPaused(id: string, paused: boolean, json: boolean): Promise<void> {
  await withFeeds(async (feeds) => {
    const { id: known } = feedWith(await feeds.all(), id);
    await feeds.change((all) => all.map((one) => (one.id === known ? { ...one, paused } : one)));
    print(json, { id, paused }, `${id} ${paused ? "paused" : "resumed"}`);
  });
}

async function remove(id: string, { json }: { json: boolean }): Promise<void> {
  await withSyndication(async ({ services, store, syndication: { feeds } }) => {
    const feed = feedWith(await feeds.all(), id);
    await feeds.change((all) => all.filter((one) => one.id !== feed.id));
    const publisher = await store.publishers.get(feed.publisherId);
    if (publisher !== null) await services.publishers.erase(publisher);
    print(json, { id, removed: true }, `${id} removed with its posts`);
  });
}

function feedWith(feeds: readonly Feed[], id: string): Feed {
  const feed = feeds.find((one) => one.id === id);
  if (feed === undefined) throw new Error(`No feed ${id}. \`agent-board feeds list\` names them.`);
  return feed;
}

/** Opens the board that is there, with everything but the model and the work beside the answers. */
async function withSyndication(act: (board: OpenBoard) => Promise<void>): Promise<void> {
  await requireBoard(readConfig(process.env));
  await withServices(act);
}

async function withFeeds(act: (feeds: Feeds) => Promise<void>): Promise<void> {
  await withBoard((store) => act(new Feeds(store, Date.now)));
}

/** Makes `agent-board demo`, a feed of real conferences that travels with the package. */
export function demoCommand(): Command {
  return new Command("demo").addOption(jsonOption()).action(demo);
}

async function demo({ json }: { json: boolean }): Promise<void> {
  await withServices(async (board) => {
    const { url, name, license, description, home } = DEMO_FEED;
    const known = (await board.syndication.feeds.all()).find((feed) => feed.url === url);
    const bounds = { every: DAY_MS / MINUTE_MS, daily: DAILY, timezone: "UTC", tag: [] };
    const described = feedFromOptions(url, { kind: "jsonl", name, license, ...bounds, json });
    const feed = known ?? (await addFeed(board, described, { description, url: home }));
    const done = await board.syndication.poll(feed);
    const advice = `Licence of the data: ${license}, ${home}. \`agent-board feeds remove ${feed.id}\` removes it.`;
    print(json, { feed: feed.id, license, home, ...done }, `${pollInWords(done)}\n${advice}`);
  });
}
