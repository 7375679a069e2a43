import type { Registry } from "prom-client";
import { isoTime } from "../../domain/resources.ts";
import { parseUrl } from "../../platform/parse-url.ts";
import { counted } from "../../schema/text.ts";
import { type MeasuredBoard, measured } from "../http/measured.ts";
import type { Table } from "./pages.ts";

const FAILING_SHOWN = 50;

/**
 * Reads what runs beside moderation: the figures of `/metrics`, feeds, receivers that fail. No address stands there whole, and
 * no query at all.
 */
export function healthOf(board: MeasuredBoard, registry: Registry | null): () => Promise<Table[]> {
  const metrics = registry ?? measured(board);
  const { feeds } = board.syndication;
  return async () => {
    const [served, all, failing] = await Promise.all([
      metrics.getMetricsAsJSON(),
      feeds.all(),
      board.store.subscriptions.failing(FAILING_SHOWN),
    ]);
    const figures = served.filter(
      ({ name, values }) => name.startsWith("board_") && !("metricName" in (values[0] ?? {})),
    );
    const ofFeeds = all.map(async ({ id, name, paused }) => {
      const { failures, lastError } = await feeds.state(id);
      const why = lastError === null ? "" : `failed ${counted(failures, "time")}: ${lastError}`;
      return [id, name, paused ? "paused" : "", why];
    });
    return [
      [
        "Figures",
        figures.flatMap(({ name, help, values }) =>
          values.map(({ labels, value }) => [
            [help, ...Object.values(labels)].join(" "),
            name.endsWith("_timestamp_seconds") && value > 0 ? isoTime(value * 1_000) : String(value),
          ]),
        ),
      ],
      ["Feeds", await Promise.all(ofFeeds)],
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
  };
}
