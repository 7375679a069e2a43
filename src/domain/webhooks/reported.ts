import { HOUR_MS, MINUTE_MS } from "../../platform/time.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { Store } from "../../ports/store/index.ts";
import { isoTime } from "../resources.ts";
import { sha256 } from "../secrets.ts";
import type { Site } from "../site.ts";
import { callWebhook, isDelivered } from "./request.ts";

/** The operator hears of reports at this URL; the secret signs what is sent there. */
interface ReportWebhook {
  url: string;
  secret: string;
}

interface Parts {
  store: Store;
  outbound: Outbound;
  site: Site;
  to: ReportWebhook;
  log: (message: string, error: unknown) => void;
}

/** The webhook has taken this, kept as a setting: the reporters of each post with open reports, and how calls went since. */
interface Told {
  reporters: Record<string, number>;
  failures: number;
  nextAt: number;
}

const SETTING = "report_webhook";
const OPEN_MAX = 1_000;
const POSTS_PER_MESSAGE = 50;

/**
 * Tells the operator's webhook of posts that were reported since it last took a message, most reporters first. What it does not
 * take waits: a minute, then twice as long each time, an hour at most.
 * @returns how many posts it was told of
 */
export async function tellOfReports({ store, outbound, site, to, log }: Parts, now: number): Promise<number> {
  const kept = await store.settings.get(SETTING);
  const told: Told = kept === null ? { reporters: {}, failures: 0, nextAt: 0 } : JSON.parse(kept);
  if (told.nextAt > now) return 0;
  const open = await store.reports.queue(OPEN_MAX);
  const news = open
    .filter(({ postId, reporters }) => reporters > (told.reporters[postId] ?? 0))
    .slice(0, POSTS_PER_MESSAGE);
  // An act on a post closes its reports; later ones are news again.
  const stillOpen = open.flatMap(({ postId }) => {
    const reporters = told.reporters[postId];
    return reporters === undefined ? [] : [[postId, reporters] as const];
  });
  const keep = (change: Partial<Told>) => store.settings.set(SETTING, JSON.stringify({ ...told, ...change }));
  if (news.length === 0) {
    if (stillOpen.length < Object.keys(told.reporters).length)
      await keep({ reporters: Object.fromEntries(stillOpen) });
    return 0;
  }
  const rows = await store.posts.many(news.map(({ postId }) => postId));
  const known = new Map(rows.map((row) => [row.id, row]));
  const posts = news.map(({ postId, reporters, reasons, lastAt }) => ({
    id: postId,
    url: site.post(postId),
    title: known.get(postId)?.title ?? null,
    state: known.get(postId)?.state ?? "removed",
    reporters,
    reasons,
    last_reported_at: isoTime(lastAt),
  }));
  const body = JSON.stringify({
    type: "posts.reported",
    timestamp: isoTime(now),
    data: { posts, open: open.length },
  });
  const message = { id: `msg_reports_${sha256(JSON.stringify(posts)).slice(0, 24)}`, body };
  const receiver = { id: "reports", event: null, url: to.url };
  const { attempt } = await callWebhook(outbound, receiver, [to.secret], message, now);
  if (isDelivered(attempt)) {
    const taken = news.map(({ postId, reporters }) => [postId, reporters] as const);
    await keep({ reporters: Object.fromEntries([...stillOpen, ...taken]), failures: 0, nextAt: 0 });
    return posts.length;
  }
  const failures = told.failures + 1;
  log("REPORT_WEBHOOK did not take the reports", attempt.error ?? `It answered ${attempt.status}.`);
  await keep({ failures, nextAt: now + Math.min(MINUTE_MS * 2 ** Math.min(failures - 1, 10), HOUR_MS) });
  return 0;
}
