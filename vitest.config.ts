import { defineConfig } from "vitest/config";
import { mongodCommand } from "./test/support/mongodb/mongod.ts";

/** Real processes, models and databases on small machines: generous, and no test measures time with it. */
const TIMEOUTS = { testTimeout: 300_000, hookTimeout: 300_000 };

/** The suites of what agents see: they run on either store. */
const ON_EITHER_STORE = [
  "test/{tools,tools/search,routes}/*.test.ts",
  "test/**/{surfaces,failures,limits,inbox,webhooks,delivery,delivering-boards,metrics,feeds,moderate}.test.ts",
  "test/syndication/{polls,awkward,an-hour}.test.ts",
];

const sqlite = { test: { name: "sqlite", include: ["test/**/*.test.ts"], ...TIMEOUTS } };
const mongodb = {
  test: { name: "mongodb", include: ON_EITHER_STORE, env: { TEST_STORE: "mongodb" }, ...TIMEOUTS },
};

export default defineConfig(async () => ({
  test: {
    globalSetup: ["test/support/run/global-setup.ts"],
    reporters: ["default", "./test/support/run/summary-reporter.ts"],
    maxWorkers: 2,
    // Where no mongod can be had, that is said once here; in CI it is an error.
    projects: (await mongodCommand()) === null ? [sqlite] : [sqlite, mongodb],
  },
}));
