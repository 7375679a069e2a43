import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { DEMO_FEED, demoFeed } from "../demo/feed.ts";
import { Dispatcher } from "./adapters/calls/dispatcher.ts";
import { CONTENT_NOTICE, Envelopes } from "./adapters/calls/envelope.ts";
import { Outages } from "./adapters/calls/errors.ts";
import { KeptAnswers } from "./adapters/calls/kept-answers.ts";
import { Limits, mistakeIn } from "./adapters/calls/limits.ts";
import { OperatorAccess } from "./adapters/operator/access.ts";
import { openSignIn, type SignIn } from "./adapters/sign-in/index.ts";
import { loadCatalog } from "./board/catalog.ts";
import { ConfigError } from "./board/failures.ts";
import type { Catalog, Services } from "./board/operation.ts";
import { type Config, siteRoot } from "./config.ts";
import { BoardModel } from "./domain/board/embedding-model.ts";
import { Board } from "./domain/board/index.ts";
import { Metrics } from "./domain/board/metrics.ts";
import { Usage } from "./domain/board/usage.ts";
import { Cursors } from "./domain/cursors.ts";
import { Events } from "./domain/events/index.ts";
import { Moderation } from "./domain/moderation.ts";
import { Posts } from "./domain/posts/index.ts";
import { Writing } from "./domain/posts/writing.ts";
import { Inbox } from "./domain/publishers/inbox.ts";
import { Publishers } from "./domain/publishers/index.ts";
import { Reports } from "./domain/reports.ts";
import { dayOf } from "./domain/resources.ts";
import { Corrections } from "./domain/search/corrections.ts";
import { Search } from "./domain/search/index.ts";
import { newToken, SECRET_KEY_CHECK_SETTING, SECRET_KEY_SETTING, Secrets } from "./domain/secrets.ts";
import { Site } from "./domain/site.ts";
import { Subscriptions } from "./domain/subscriptions/index.ts";
import { Matching } from "./domain/subscriptions/matching.ts";
import { Waits } from "./domain/subscriptions/waits.ts";
import { Consent } from "./domain/webhooks/consent.ts";
import { HourlyLimit } from "./domain/webhooks/hourly-limit.ts";
import { Webhooks } from "./domain/webhooks/index.ts";
import { Pushes } from "./domain/webhooks/pushes.ts";
import { tellOfReports } from "./domain/webhooks/reported.ts";
import { chooseModel, ModelRefused, ModelUnreachable } from "./embed/chosen/index.ts";
import type { ProgressFactory } from "./embed/download.ts";
import { absentEmbedder, openEmbedder } from "./embed/transformer.ts";
import { Background } from "./jobs/background.ts";
import { jobsOf } from "./jobs/schedule.ts";
import { openOutbound } from "./outbound/guarded-fetch.ts";
import { makeFolder } from "./platform/folders.ts";
import type { Embedder } from "./ports/embedder.ts";
import type { Outbound } from "./ports/outbound.ts";
import type { SearchIndex } from "./ports/search-index.ts";
import { type Store, type StoredPublisher, StoreUnavailable } from "./ports/store/index.ts";
import type { PostInput } from "./schema/post.ts";
import type { SearchState } from "./store/module.ts";
import { openBoardData } from "./store/open.ts";
import { Syndication } from "./syndication/index.ts";
import { refuseHalfImported } from "./transfer/import-board.ts";

/** `close` waits this long for webhooks that are being asked for consent. Their owners can ask again. */
const ASKING_MS = 3_000;

/** Holds a whole board without listeners. The server, the stdio child and the commands are built on it. */
export interface OpenBoard {
  config: Config;
  site: Site;
  catalog: Catalog;
  isNew: boolean;
  store: Store;
  index: SearchIndex;
  searchState: () => SearchState;
  embedder: Embedder;
  services: Services;
  syndication: Syndication;
  /** Writes a post that the board itself relays, and counts it; false for one that was there already. */
  relay: (input: PostInput, publisher: StoredPublisher) => Promise<boolean>;
  dispatcher: Dispatcher;
  /** No host can sign in where this is null. */
  signIn: SignIn | null;
  /** Nobody operates the board from afar where this is null. */
  operator: OperatorAccess | null;
  usage: Usage;
  envelopes: Envelopes;
  logger: Logger;
  clock: () => number;
  /** Counts the saved queries that this process keeps for matching, and estimates their memory. */
  held: () => { queries: number; bytes: number };
  /** Starts matching, embedding, webhook delivery and the scheduled jobs. */
  start(): void;
  /** Ends the work under way and closes everything. */
  close(): Promise<void>;
}

/**
 * Opens all parts of a board. The model is loaded in the background.
 *
 * @param options.site  replaces the addresses that SITE_URL and PORT give
 * @param options.progress  shows the download of model files
 * @param options.hub  base URL of the hub that models come from; default: the public one
 * @param options.outbound  replaces the guarded outbound of WEBHOOK_ALLOW; closed with the board
 * @param options.random  in 0…1, for the jitter of retries
 * @throws ConfigError, or an Error of one clear line when the store cannot be opened
 */
export async function openBoard(
  config: Config,
  options: {
    logger: Logger;
    clock?: () => number;
    site?: Site;
    progress?: ProgressFactory;
    outbound?: Outbound;
    random?: () => number;
    hub?: string;
  },
): Promise<OpenBoard> {
  const { logger } = options;
  const clock = options.clock ?? Date.now;
  const limitMistake = mistakeIn(config.rateLimits);
  if (limitMistake !== null) throw new ConfigError([`RATE_LIMITS: ${limitMistake}`]);
  const outbound = options.outbound ?? openOutbound({ allow: config.webhookAllow });
  const to = config.reportWebhook;
  const refused = to === null ? null : outbound.refusal(to.url);
  if (refused !== null) throw new ConfigError([`REPORT_WEBHOOK: ${refused}`]);
  try {
    makeFolder(config.dataDir);
  } catch (error) {
    throw new ConfigError([`DATA_DIR: the folder cannot be made (${(error as Error).message})`]);
  }
  const embedder = await embedderOf(config, options);
  const { modelId, dimension } = embedder;
  const data = await openBoardData(config.storeUrl, {
    model: { modelId, dimension },
    indexFolder: join(config.dataDir, "search"),
    search: config.search,
    log: logger,
  }).catch(async (error: unknown) => {
    await embedder.close();
    throw error;
  });
  const { store, index } = data;
  const secrets = await refuseHalfImported(store.settings)
    .then(() => secretsOf(config, store))
    .catch(async (error: unknown) => {
      await Promise.all([data.close(), embedder.close()]);
      throw error;
    });

  const isNew = (await store.settings.get("launched")) === null;
  const launched = await store.settings.setOnce("launched", dayOf(clock()));
  const site = options.site ?? new Site(siteRoot(config), config);
  const cursors = new Cursors(secrets.cursorKey());
  const boardModel = new BoardModel({ store, embedder });

  const usage = new Usage({ store, secrets });
  const board = new Board({ store, index, site, launched });
  const posts = new Posts({ store, index, site, cursors, relatedCosine: () => embedder.scale.minCosine });
  const corrections = new Corrections({ index, embedder });
  const search = new Search({
    store,
    index,
    embedder,
    cursors,
    posts,
    corrections,
    activePosts: async (now) => (await board.counts(now)).activePosts,
    staged: usage.staged.bind(usage),
  });
  const publishers = new Publishers({ store, outbound, site, posts, registration: config.registration });
  const reports = new Reports({ store, reportsToHide: config.reportsToHide });
  const outages = new Outages({ logger, clock });
  const log = (message: string, error: unknown) => {
    if (error instanceof StoreUnavailable) outages.met(error);
    else logger.error({ err: error }, message);
  };
  const hourly = new HourlyLimit({ limits: store.limits, limited: config.rateLimits !== "off" });
  const consent = new Consent({ store, outbound, secrets, hourly, log });
  const standing = { store, index, embedder, outbound, site, cursors, secrets, consent, posts };
  const subscriptions = new Subscriptions({ ...standing, corrections });
  const events = new Events({ ...standing, contentNotice: CONTENT_NOTICE });
  const webhooks = new Webhooks({ store, outbound, secrets, cursors, hourly });
  const waits = new Waits({
    inbox: store.inbox,
    failed: (error) => log("looking for matches that are waited for failed", error),
  });
  const inbox = new Inbox({ store, embedder, cursors, posts });
  const jobs = jobsOf({
    store,
    index,
    publishers,
    embedder,
    boardModel,
    pollFeeds: (now, held) => syndication.pollDue(now, held),
    tellOfReports: to === null ? null : (now) => tellOfReports({ store, outbound, site, to, log }, now),
  });
  const metrics = new Metrics({ store, board, jobs: jobs.map(({ name }) => name) });
  const background = new Background({
    store,
    embedder,
    boardModel,
    matching: new Matching({ store, index, embedder, boardModel }),
    pushes: new Pushes({
      store,
      embedder,
      outbound,
      secrets,
      posts,
      contentNotice: CONTENT_NOTICE,
      events,
      log: (message) => logger.error(message),
      random: options.random ?? Math.random,
    }),
    usage,
    waits,
    metrics,
    jobs,
    clock,
    failed: (what, error) => log(`${what} failed`, error),
    available: () => outages.over(),
    missed: (job, why) => logger.warn({ job, why }, "a run of a job was left out"),
  });
  const writing = new Writing({
    store,
    index,
    site,
    secrets,
    holdFirst: config.holdFirstPosts,
    written: background.written.bind(background),
  });
  const relay = async (input: PostInput, publisher: StoredPublisher) => {
    const { replayed } = await writing.create(input, publisher, clock(), { relayed: true });
    const caller = { caller: `key:${publisher.id}`, client: "agent-board" };
    usage.succeeded("posts", { isNew: !replayed, input, data: null, ...caller }, clock());
    return !replayed;
  };
  const syndication = new Syndication({
    store,
    index,
    outbound,
    writing,
    builtIn: (url, now) => (url === DEMO_FEED.url ? demoFeed(now) : null),
    create: relay,
    clock,
  });
  const services: Services = {
    board,
    events,
    inbox,
    metrics,
    moderation: new Moderation({ store }),
    posts,
    publishers,
    reports,
    search,
    subscriptions,
    waits,
    webhooks,
    writing,
  };

  const envelopes = new Envelopes({ board, site });
  const limits = new Limits({ store: store.limits, secrets, overrides: config.rateLimits });
  const dispatcher = new Dispatcher({
    services,
    publishers: store.publishers,
    limits,
    answers: new KeptAnswers({ rows: store.signIns, leases: store.leases, secrets, clock }),
    envelopes,
    secrets,
    usage,
    logger,
    outages,
    readOnly: config.readOnly,
    clock,
  });
  const catalog = await loadCatalog();
  const signIn =
    site.me === null
      ? null
      : await openSignIn(site.me, { site, store, secrets, outbound, dispatcher, catalog, logger, clock });

  return {
    config,
    site,
    catalog,
    isNew,
    store,
    index,
    searchState: data.searchState,
    embedder,
    services,
    syndication,
    relay,
    dispatcher,
    signIn,
    operator: OperatorAccess.of({ store, secrets, keys: config.operatorKeys, clock }),
    usage,
    envelopes,
    logger,
    clock,
    held: () => background.held(),
    start: () => background.start(),
    async close() {
      waits.stop();
      const asked = Promise.race([consent.close(), sleep(ASKING_MS, null, { ref: false })]);
      await Promise.all([background.stop(), asked]);
      await background.flush();
      await Promise.all([embedder.close(), outbound.close()]);
      await consent.close();
      await data.close();
    },
  };
}

/** @throws ConfigError for a model that is not there, or cannot be used */
async function embedderOf(
  config: Config,
  { logger, progress, hub }: { logger: Logger; progress?: ProgressFactory; hub?: string },
): Promise<Embedder> {
  const places = {
    modelDir: config.modelDir,
    cacheDir: join(config.dataDir, "models"),
    offline: config.embeddings === "off",
    ...(progress === undefined ? {} : { progress }),
    ...(hub === undefined ? {} : { hub }),
  };
  try {
    const model = await chooseModel(config.embeddingModel, places);
    return openEmbedder({ ...places, mode: config.embeddings, model, log: logger });
  } catch (error) {
    if (error instanceof ModelRefused) throw new ConfigError([`EMBEDDING_MODEL: ${error.message}`]);
    if (!(error instanceof ModelUnreachable)) throw error;
    if (config.embeddings !== "off") {
      const reason = `${error.message}; the next start tries again`;
      logger.warn({ model: config.embeddingModel, reason }, "no model: the board searches by words only");
    }
    return absentEmbedder(config.embeddingModel ?? "", config.embeddings === "off" ? "off" : "absent");
  }
}

/** @throws ConfigError for another SECRET_KEY than this board has had so far */
async function secretsOf({ secretKey }: Config, { settings }: Store): Promise<Secrets> {
  const key = secretKey ?? (await settings.setOnce(SECRET_KEY_SETTING, newToken() + newToken()));
  const secrets = new Secrets(key);
  const check = secrets.storeCheck();
  if ((await settings.setOnce(SECRET_KEY_CHECK_SETTING, check)) === check) return secrets;
  const given =
    secretKey === null ? "is not set, but was when this board started first" : "is not this board's";
  throw new ConfigError([
    `SECRET_KEY: ${given}; set the one its other processes have. To change it for good, stop them all and run \`agent-board secret-key --change\` with the new one: webhook secrets and ids by idempotency key change with it`,
  ]);
}
