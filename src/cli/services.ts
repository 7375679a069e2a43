import type { Config } from "../config.ts";
import type { OpenBoard } from "../open-board.ts";
import { openLogger } from "./logger.ts";

/**
 * Opens a board for `act`, and closes it: everything but the model and the work beside the answers. What it writes gets its
 * vectors when the board runs.
 */
export async function withServices(config: Config, act: (board: OpenBoard) => Promise<void>): Promise<void> {
  // Help and completion do without it.
  const { openBoard } = await import("../open-board.ts");
  const board = await openBoard({ ...config, embeddings: "off" }, { logger: openLogger(config.logLevel) });
  try {
    await act(board);
  } finally {
    await board.close();
  }
}
