import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Calls } from "./adapters/calls.ts";
import { CONTENT_NOTICE, Envelopes } from "./adapters/envelope.ts";
import { Limits, POLICY_NAMES } from "./adapters/limits.ts";
import { loadCatalog } from "./catalog.ts";
import { type Config, ConfigError } from "./config.ts";
import { Board, dayOf } from "./domain/board.ts";
import { BoardModel } from "./domain/board-model.ts";
import { Cursors } from "./domain/cursors.ts";
import { Inbox } from "./domain/inbox.ts";
import { Matching } from "./domain/matching.ts";
import { Metrics } from "./domain/metrics.ts";
import { Posts } from "./domain/posts.ts";
import { Publishers } from "./domain/publishers.ts";
import { Reports } from "./domain/reports.ts";
import { Search } from "./domain/search.ts";
import { newToken, SECRET_KEY_SETTING, Secrets } from "./domain/secrets.ts";
import { Site } from "./domain/site.ts";
import { Subscriptions } from "./domain/subscriptions.ts";
import { Consent } from "./domain/webhooks/consent.ts";
import { HourlyCalls } from "./domain/webhooks/hourly.ts";
import { Pushes } from "./domain/webhooks/pushes.ts";
import { Webhooks } from "./domain/webhooks/webhooks.ts";
import type { ProgressFactory } from "./embed/download.ts";
import { MODELS, modelNamed } from "./embed/models.ts";
import { openEmbedder } from "./embed/transformer.ts";
import { WebhookDelivery } from "./jobs/deliver-webhooks.ts";
import { embedPosts, enqueueMissing } from "./jobs/embed-posts.ts";
import { Follower } from "./jobs/follower.ts";
import { eraseOld, pruneScratch } from "./jobs/housekeeping.ts";
import { matchPosts } from "./jobs/match-posts.ts";
import { type Job, startJobs } from "./jobs/scheduler.ts";
import { openData } from "./open-data.ts";
import type { Catalog, Services } from "./operation.ts";
import { openOutbound } from "./outbound/guarded-fetch.ts";
import type { Embedder } from "./ports/embedder.ts";
import type { Outbound } from "./ports/outbound.ts";
import type { SearchIndex } from "./ports/search-index.ts";
import type { Store } from "./ports/store.ts";
import type { SearchState } from "./search-index/beside-mongodb.ts";
import { refuseHalfImported } from "./transfer/import-mark.ts";

const FLUSH_MS = 1_000;
/** A stop waits this long for the answers of webhooks that are being asked for consent; their owners can ask again. */
const ASKING_MS = 3_000;
const PROOF_AGE_MS = 30 * 86_400_000;

/** A whole board without its listeners: what a server, a stdio child and the commands are made of. */
export interface OpenBoard {
  config: Config;
  site: Site;
  catalog: Catalog;
  store: Store;
  index: SearchIndex;
  /** Who answers searches now. */
  searchState: () => SearchState;
  embedder: Embedder;
  services: Services;
  calls: Calls;
  envelopes: Envelopes;
  logger: Logger;
  clock: () => number;
  /** Counts an answer for the statistics. */
  answered: (operation: string, status: number, client?: string) => void;
  /** Begins matching, embedding, sending and the jobs by the clock. */
  start(): void;
  /** Ends what is under way and closes everything. */
  close(): Promise<void>;
}

/**
 * Opens all parts of a board. The model loads in the background.
 *
 * @param options.siteUrl  stands in for SITE_URL where the port is known only now
 * @param options.progress  shows the download of model files
 * @param options.outbound  stands in for the guarded way out under WEBHOOK_ALLOW; closed with the board
 * @param options.random  in 0…1, for the jitter of retries
 * @throws ConfigError, or an Error in one clear line when the store cannot be opened
 */
export async function openBoard(
  config: Config,
  options: {
    logger: Logger;
    clock?: () => number;
    siteUrl?: string;
    progress?: ProgressFactory;
    outbound?: Outbound;
    random?: () => number;
  },
): Promise<OpenBoard> {
  checkPolicyNames(config);
  const { logger } = options;
  const clock = options.clock ?? Date.now;
  const model = modelNamed(config.embeddingModel);
  if (model === null) {
    throw new ConfigError([`EMBEDDING_MODEL: must be one of ${MODELS.map(({ name }) => name).join(", ")}`]);
  }
  await mkdir(config.dataDir, { recursive: true });
  const embedder = openEmbedder({
    mode: config.embeddings,
    model,
    modelDir: config.modelDir,
    cacheDir: join(config.dataDir, "models"),
    log: logger,
    ...(options.progress === undefined ? {} : { progress: options.progress }),
  });
  const { modelId, dimension } = embedder;
  const data = await openData(config, { modelId, dimension }, { logger, now: clock() }).catch(
    async (error: unknown) => {
      await embedder.close();
      throw error;
    },
  );
  const { store, index } = data;
  await refuseHalfImported(store.settings).catch(async (error: unknown) => {
    await Promise.all([data.close(), embedder.close()]);
    throw error;
  });
  const outbound = options.outbound ?? openOutbound({ allow: config.webhookAllow });

  const secrets = new Secrets(
    config.secretKey ?? (await store.settings.setOnce(SECRET_KEY_SETTING, newToken() + newToken())),
  );
  const launched = await store.settings.setOnce("launched", dayOf(clock()));
  const site = new Site(options.siteUrl ?? config.siteUrl ?? `http://localhost:${config.port}`);
  const cursors = new Cursors(secrets.cursorKey());
  const failed = (what: string) => (error: unknown) => logger.error({ err: error }, `${what} failed`);
  const boardModel = new BoardModel({ store, embedder });
  const matching = new Matching({ store, embedder, boardModel });
  const matcher = new Follower(async () => {
    const took = await matchPosts({ store, matching, modelId: embedder.modelId }, clock());
    if (took > 0) deliverer.nudge();
    // Takes new subscriptions in now, and not only when a post waits for it.
    else await matching.refresh();
    return took;
  }, failed("matching"));
  const embedding = new Follower(async () => {
    const took = await embedPosts({ store, embedder, boardModel }, clock());
    if (took > 0) matcher.nudge();
    return took;
  }, failed("embedding posts"));
  const written = () => {
    matcher.nudge();
    embedding.nudge();
  };

  const board = new Board({ store, site, launched });
  const posts = new Posts({
    store,
    index,
    site,
    secrets,
    cursors,
    relatedCosine: embedder.minCosine,
    written,
  });
  const search = new Search({ store, index, embedder, cursors, posts });
  const publishers = new Publishers({ store, outbound, site, posts });
  const reports = new Reports({ store, reportsToHide: config.reportsToHide });
  const limited = config.rateLimits !== "off";
  const log = (message: string, error: unknown) => logger.error({ err: error }, message);
  const hourly = new HourlyCalls({ limits: store.limits, limited });
  const consent = new Consent({ outbound, secrets, hourly });
  const subscriptions = new Subscriptions({
    store,
    embedder,
    outbound,
    site,
    cursors,
    posts,
    secrets,
    consent,
    log,
  });
  const webhooks = new Webhooks({ store, outbound, secrets, cursors, hourly });
  const inbox = new Inbox({ store, cursors, posts });
  const jobs = jobsOf({ store, publishers, embedder, boardModel });
  const metrics = new Metrics({ store, board, secrets, jobs: jobs.map(({ name }) => name) });
  const services: Services = {
    board,
    inbox,
    metrics,
    posts,
    publishers,
    reports,
    search,
    subscriptions,
    webhooks,
  };
  const delivery = new WebhookDelivery({
    store,
    pushes: new Pushes({
      store,
      outbound,
      secrets,
      posts,
      contentNotice: CONTENT_NOTICE,
      random: options.random ?? Math.random,
    }),
    clock,
    ended: (name, now) => board.tally(name, now),
    freed: () => deliverer.nudge(),
    failed: failed("sending to a webhook"),
  });
  const deliverer = new Follower(() => delivery.claim(clock()), failed("claiming deliveries"));

  const envelopes = new Envelopes({ board, site });
  const limits = new Limits({ store: store.limits, secrets, overrides: config.rateLimits });
  const readOnly = config.readOnly;
  const calls = new Calls({
    services,
    publishers: store.publishers,
    limits,
    envelopes,
    secrets,
    readOnly,
    clock,
  });
  const catalog = await loadCatalog();

  const flush = async () => {
    await search.flushRetrievals();
    await board.flushTallies();
  };
  let flusher: NodeJS.Timeout | undefined;
  let stopJobs = async () => {};

  return {
    config,
    site,
    catalog,
    store,
    index,
    searchState: data.searchState,
    embedder,
    services,
    calls,
    envelopes,
    logger,
    clock,
    answered(operation, status, client) {
      // The MCP adapter answers as `tool:<name>`.
      board.tally(operation.startsWith("tool:") ? operation : `route:${operation}`, clock());
      if (status >= 500) board.tally(`error:${operation}`, clock());
      if (client !== undefined) board.tally(`client:${client}`, clock());
    },
    start() {
      matcher.start();
      embedding.start();
      deliverer.start();
      flusher = setInterval(() => void flush().catch(failed("writing counters")), FLUSH_MS);
      flusher.unref();
      stopJobs = startJobs(jobs, {
        leases: store.leases,
        clock,
        failed: (job, error) => failed(job)(error),
        ended: (job, ok) => metrics.jobEnded(job, ok, clock()),
      });
      void embedder.settled().then(async (state) => {
        if (state !== "ready") return;
        await boardModel.choose();
        await enqueueMissing({ store, embedder, boardModel });
        embedding.nudge();
      }, failed("loading the model"));
    },
    async close() {
      clearInterval(flusher);
      await stopJobs();
      await Promise.all([matcher.stop(), embedding.stop(), deliverer.stop()]);
      const asked = Promise.race([subscriptions.close(), sleep(ASKING_MS, null, { ref: false })]);
      await Promise.all([delivery.stop().catch(failed("giving deliveries back")), asked]);
      await flush().catch(failed("writing counters"));
      await Promise.all([embedder.close(), outbound.close()]);
      await subscriptions.close();
      await data.close();
    },
  };
}

/** The schedule of the board: what runs when, in UTC, each on one instance at a time. */
function jobsOf(parts: {
  store: Store;
  publishers: Publishers;
  embedder: Embedder;
  boardModel: BoardModel;
}): Job[] {
  const { store, publishers } = parts;
  return [
    {
      name: "erase-old",
      cron: "7 * * * *",
      leaseMs: 10 * 60_000,
      run: (now, held) => eraseOld(store, now, held),
    },
    {
      name: "prune-scratch",
      cron: "*/5 * * * *",
      leaseMs: 60_000,
      run: (now, held) => pruneScratch(store, now, held),
    },
    {
      name: "embed-missing",
      cron: "*/10 * * * *",
      leaseMs: 60_000,
      run: () => enqueueMissing(parts),
    },
    {
      name: "recheck-domains",
      cron: "23 4 * * *",
      leaseMs: 30 * 60_000,
      run: (now, held) => publishers.recheck(now - PROOF_AGE_MS, 100, now, held),
    },
  ];
}

function checkPolicyNames(config: Config): void {
  if (typeof config.rateLimits !== "object") return;
  const unknown = Object.keys(config.rateLimits).filter((name) => !POLICY_NAMES.includes(name));
  if (unknown.length === 0) return;
  throw new ConfigError([
    `RATE_LIMITS: ${unknown.join(", ")} is no policy; there are ${POLICY_NAMES.join(", ")}`,
  ]);
}
