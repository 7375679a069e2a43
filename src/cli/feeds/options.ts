import { type Command, InvalidArgumentError, Option } from "commander";
import { newId } from "../../domain/secrets.ts";
import { parseUrl } from "../../platform/parse-url.ts";
import { MINUTE_MS } from "../../platform/time.ts";
import { KINDS, type Kind } from "../../schema/post.ts";
import { zoneProblem } from "../../schema/scalars.ts";
import { zoneNamed } from "../../schema/time/zones.ts";
import type { Feed } from "../../syndication/feeds.ts";
import { POLL_EVERY } from "../../syndication/index.ts";
import { FEED_KINDS, type FeedKind } from "../../syndication/kinds/index.ts";
import { wholeNumber } from "../output.ts";

export const DAILY = 500;

export interface FeedOptions {
  kind: FeedKind;
  name?: string;
  license?: string;
  tag: string[];
  postKind?: Kind;
  timezone: string;
  place?: string;
  every: number;
  daily: number;
  json: boolean;
}

/** Adds the arguments that say what a feed is and how its entries become posts. */
export function describedFeed(command: Command): Command {
  command.registeredArguments[0]?.argParser(address);
  return command
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
    .option(
      "--every <minutes>",
      "between two polls",
      wholeNumber(POLL_EVERY.leastMs / MINUTE_MS, POLL_EVERY.mostMs / MINUTE_MS),
      POLL_EVERY.usualMs / MINUTE_MS,
    )
    .option("--daily <n>", "new posts a day at most", wholeNumber(1, 99_999), DAILY);
}

/** Describes a feed that no publisher relays yet. */
export function feedFromOptions(url: string, options: FeedOptions): Feed {
  const { kind, name = "", license = "", tag: tags, postKind = null, timezone } = options;
  const place = options.place === undefined ? null : { name: options.place, lat: null, lng: null };
  const bounds = { everyMs: options.every * MINUTE_MS, dailyMax: options.daily };
  const ids = { id: newId("feed"), publisherId: "", paused: false };
  return { ...ids, url, kind, name, license, tags, postKind, timezone, place, ...bounds };
}

function address(text: string): string {
  if (parseUrl(text) === null)
    throw new InvalidArgumentError("Must be a URL, such as https://example.org/events.ics.");
  return text;
}

function zone(name: string): string {
  const known = zoneNamed(name);
  if (known === null) throw new InvalidArgumentError(zoneProblem(name));
  return known;
}
