import type { MongoClient, ServerDescription } from "mongodb";

/** Kinds of servers that take writes. */
const WRITABLE: ReadonlySet<ServerDescription["type"]> = new Set([
  "RSPrimary",
  "Mongos",
  "Standalone",
  "LoadBalancer",
]);

/** Watches whether the database has a server that takes writes, as the driver's monitors see it. */
export class PrimaryWatch {
  /** In milliseconds of `performance.now()`; null while there is one. */
  #lostAt: number | null = null;

  constructor(client: MongoClient) {
    client.on("topologyDescriptionChanged", ({ newDescription }) => {
      const there = [...newDescription.servers.values()].some(({ type }) => WRITABLE.has(type));
      this.#lostAt = there ? null : (this.#lostAt ?? performance.now());
    });
  }

  /** For how long there has been none, in milliseconds; 0 while there is one. */
  lostForMs(): number {
    return this.#lostAt === null ? 0 : performance.now() - this.#lostAt;
  }
}
