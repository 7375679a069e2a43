import { join } from "node:path";
import type { Config } from "./config.ts";
import type { BoardData, StoreLog } from "./store/module.ts";
import { openBoardData } from "./store/open.ts";

/**
 * Opens the store and the index that the configuration names.
 *
 * @param now  epoch milliseconds
 * @throws Error with one line for the operator
 */
export function openData(
  { storeUrl, dataDir, localIndex }: Config,
  model: { modelId: string | null; dimension: number },
  { logger, now }: { logger: StoreLog; now: number },
): Promise<BoardData> {
  return openBoardData(storeUrl, {
    model,
    indexFolder: join(dataDir, "search"),
    localIndex,
    log: logger,
    now,
  });
}
