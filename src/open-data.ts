import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { newToken } from "./domain/secrets.ts";
import type { SearchIndex } from "./ports/search-index.ts";
import type { Store } from "./ports/store/index.ts";
import { EmbeddedIndex } from "./search-index/index.ts";
import type { MongodbStore } from "./store/mongodb/index.ts";
import { openBesideMongodb, type SearchState } from "./store/mongodb/search/index.ts";
import { openStore } from "./store/open.ts";

/** The two parts that hold data. */
export interface BoardData {
  store: Store;
  index: SearchIndex;
  /** Who answers searches now. */
  searchState(): SearchState;
  close(): Promise<void>;
}

/** Tells boards apart to indexes that stand beside the store. */
export const BOARD_ID_SETTING = "board_id";

/**
 * Opens the store that the configuration names and the index that goes with it: inside an embedded store, beside any other.
 *
 * @param now  epoch milliseconds
 * @throws Error with one line for the operator
 */
export async function openData(
  config: Config,
  model: { modelId: string | null; dimension: number },
  options: { logger: Logger; now: number },
): Promise<BoardData> {
  if (!/^mongodb(\+srv)?:/.test(config.storeUrl)) {
    const index = new EmbeddedIndex(model);
    const store = await openStore(config.storeUrl, { index, log: (line) => options.logger.info(line) });
    return { store, index, searchState: () => "local", close: () => store.close() };
  }
  const store = (await openStore(config.storeUrl, { index: null })) as MongodbStore;
  try {
    const index = await openBesideMongodb({
      ...model,
      feed: store.feed,
      posts: store.collections.posts,
      run: store.connection.run,
      folder: join(config.dataDir, "search"),
      board: await store.settings.setOnce(BOARD_ID_SETTING, newToken()),
      localIndex: config.localIndex,
      log: options.logger,
      now: options.now,
    });
    return {
      store,
      index,
      searchState: () => index.state(),
      async close() {
        await index.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
