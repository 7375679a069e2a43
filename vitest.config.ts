import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { mongodCommand } from "./test/support/mongodb/mongod.ts";
import { useMemoryForFiles } from "./test/support/run/files-in-memory.ts";

useMemoryForFiles();

/**
 * The suites of what agents see that hold promises of a store: they run on either. Which words a search understands, what
 * passes its filters, how a model reads them, how a feed is written or a foreign one read is the same on both.
 */
const ON_EITHER_STORE = [
  "test/tools/*{,.slow}.test.ts",
  "test/tools/search/{pages,series}{,.slow}.test.ts",
  "test/routes/{erasure,meeting-calls,posts,publishers,recovery,repeated-calls,retention,subscriptions,threads,told-changes,waiting}{,.slow}.test.ts",
  "test/**/{clocks,inbox,webhooks,delivery,delivery-crash,delivering-boards}{,.slow}.test.ts",
  "test/domain/metrics{,.slow}.test.ts",
  "test/sign-in/{renewals,bounds}{,.slow}.test.ts",
  "test/syndication/{homes,polls,unreadable}{,.slow}.test.ts",
  "test/cli/{moderate,registration,wave}{,.slow}.test.ts",
  "test/http/operate{,.slow}.test.ts",
  "test/mcp/events/*{,.slow}.test.ts",
];

/** What waits long for processes, timers or databases begins first: as the last, it would run alone. */
const LONG = new RegExp(
  `test/(${[
    "cli/(command-line|doctor|transfer|wave)",
    "delivery/(delivering-boards|delivery-crash|outbound-paths|report-webhook)",
    "http/slow-clients",
    "mcp/(conformance|events/(attacks|streams|webhooks)|stdio)",
    "mongodb/(replica|several-machines|two-shards)",
    "pages/(browser|hostile-pages)",
    "project/(broken-machine|kills|memory|ninth-tool|starving|stopping)",
    "store/(built-in-sqlite|store)",
  ].join("|")})(\\.slow)?\\.test`,
);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      `${project.name} ${LONG.test(moduleId) ? 0 : 1}`;
    return (await super.sort(files)).sort((a, b) => rank(a).localeCompare(rank(b)));
  }
}

/**
 * Files share the process that runs them, which saves loading the program, and in MongoDB making collections, for each. Real
 * processes, models and databases on small machines need generous times; no test measures time with them.
 */
const COMMON = {
  isolate: false,
  setupFiles: ["test/support/run/compiled-threads.ts"],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 20_000 } },
};
const sqlite = { test: { name: "sqlite", include: ["test/**/*.test.ts"], ...COMMON } };
const mongodb = {
  test: { name: "mongodb", include: ON_EITHER_STORE, env: { TEST_STORE: "mongodb" }, ...COMMON },
};

export default defineConfig(async () => ({
  test: {
    globalSetup: ["test/support/run/global-setup.ts"],
    reporters: ["default", "./test/support/run/summary-reporter.ts"],
    // As many as CI has processors: a third would save a minute, and make some tests wait longer than they can.
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    // Where no mongod can be had, that is said once here; in CI it is an error.
    projects: (await mongodCommand()) === null ? [sqlite] : [sqlite, mongodb],
  },
}));
