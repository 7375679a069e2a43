import type { Metrics } from "../../domain/board/metrics.ts";
import { isoTime } from "../../domain/resources.ts";
import { parseUrl } from "../../platform/parse-url.ts";
import type { Store } from "../../ports/store/index.ts";
import { counted } from "../../schema/text.ts";
import type { healthHtml } from "./pages.ts";

type Tables = Parameters<typeof healthHtml>[1];

const FAILING_SHOWN = 50;

/** How a feed stands, as the operator reads it. */
export interface FeedStanding {
  id: string;
  name: string;
  paused: boolean;
  polledAt: number | null;
  failures: number;
  lastError: string | null;
}

/**
 * Reads what runs beside moderation: figures, feeds, receivers that fail. No address stands there whole, and no query at all.
 */
export async function healthOf(
  parts: { store: Store; metrics: Metrics; feeds: () => Promise<FeedStanding[]> },
  now: number,
): Promise<Tables> {
  const [{ health, metrics, funnel }, feeds, failing, match, embed] = await Promise.all([
    parts.metrics.read(now),
    parts.feeds(),
    parts.store.subscriptions.failing(FAILING_SHOWN),
    parts.store.work.backlog("match"),
    parts.store.work.backlog("embed"),
  ]);
  const figures = Object.entries({
    ...metrics,
    ...funnel,
    requests_7d: health.requests_7d,
    errors_7d: health.errors_7d,
  });
  return [
    [
      "Figures",
      [
        ...figures.map(([name, value]) => [name, String(value)]),
        ["posts to match", String(match)],
        ["posts to embed", String(embed)],
      ],
    ],
    [
      "Jobs",
      health.jobs.map(({ name, last_run: last, ok }) => [
        name,
        last ?? "never",
        ok === false ? "failed" : "",
      ]),
    ],
    [
      "Feeds",
      feeds.map(({ id, name, paused, polledAt, failures, lastError }) => [
        id,
        name,
        paused ? "paused" : polledAt === null ? "never polled" : isoTime(polledAt),
        lastError === null ? "" : `failed ${counted(failures, "time")}: ${lastError}`,
      ]),
    ],
    [
      "Deliveries that fail",
      failing.map(({ id, publisherId, webhookUrl, failures, failingSince, inactiveReason }) => [
        id,
        publisherId,
        parseUrl(webhookUrl ?? "")?.host ?? "",
        counted(failures, "failure"),
        failingSince === null ? "" : `since ${isoTime(failingSince)}`,
        inactiveReason ?? "",
      ]),
    ],
  ];
}
