import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * From the moment readiness falls until the listener closes: long enough for a load balancer that looks every second.
 * A system resets connections that wait in a closing listener's queue, so callers need time to go elsewhere.
 */
const NOTICE_MS = 1_500;
/** How long a stop then waits for answers under way. */
const DRAIN_MS = 5_000;

/** The one stop of a process. */
export class Stopping {
  #begun = false;

  /** True from the signal on: readiness says so, while requests are still answered. */
  get begun(): boolean {
    return this.#begun;
  }

  /**
   * Lets readiness fall, goes on answering for a while, then ends what waits for news, refuses new connections and waits
   * for answers under way.
   * Further calls do nothing and resolve to false at once: under `npm start`, Ctrl-C arrives twice, from the terminal and
   * from npm.
   *
   * @param options.notice  false closes the listener at once: nobody at a terminal waits for a load balancer
   */
  async begin(server: Server, options: { notice: boolean; endWaits: () => void }): Promise<boolean> {
    if (this.#begun) return false;
    this.#begun = true;
    server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
    if (options.notice) await sleep(NOTICE_MS);
    options.endWaits();
    await closed(server);
    return true;
  }
}

async function closed(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await new Promise<void>((done) => server.close(() => done()));
  clearInterval(idle);
  clearTimeout(late);
}
