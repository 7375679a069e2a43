import { type AddressInfo, createServer } from "node:net";
import { type Binary, BSON, type Document, Double, Long, MongoClient } from "mongodb";
import { cosineOf } from "../../../src/search/ranking/vectors.ts";
import { matches } from "./mongot-operators.ts";

/** A search index as commands made it. */
export interface StandInIndex {
  id: string;
  name: string;
  type: string;
  definition: Document;
}

/**
 * Stands in for mongot, the search process of MongoDB, behind a real mongod: it lets the server itself check and run
 * `$search`, `$searchMeta`, `$vectorSearch` and the commands for search indexes. mongod speaks to it in OP_MSG over TCP.
 *
 * It reads the collection through an ordinary connection, so it lags only while frozen, and answers in one batch. To it all
 * posts that match are equally good. Only a real mongot can show Lucene's analyzers and scores, the recall of approximate
 * neighbours, real lag, which definitions it accepts, and how long an index takes to build.
 */
export class MongotStandIn {
  readonly port: number;
  /** By the namespace of the collection and the index's name. */
  readonly indexes = new Map<string, StandInIndex>();
  /** The error code of every answer, or null for real answers. */
  failure: number | null = null;
  /** Whether indexes report that they answer, and their status. */
  queryable = true;
  status = "READY";
  /** How often a definition was updated so far. */
  updates = 0;
  readonly #uri: () => string;
  readonly #server: ReturnType<typeof createServer>;
  #client: MongoClient | null = null;
  #frozen: Map<string, Document[]> | null = null;
  #count = 0;

  private constructor(uri: () => string, server: ReturnType<typeof createServer>) {
    this.#uri = uri;
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (socket) => {
      let waiting = Buffer.alloc(0);
      let turn = Promise.resolve();
      socket.on("error", () => {});
      socket.on("data", (data) => {
        waiting = Buffer.concat([waiting, data]);
        while (waiting.length >= 16 && waiting.length >= waiting.readInt32LE(0)) {
          const message = waiting.subarray(0, waiting.readInt32LE(0));
          waiting = waiting.subarray(message.length);
          turn = turn.then(async () => {
            const reply = replyTo(message, await this.#answer(commandOf(message)));
            if (!socket.destroyed) socket.write(reply);
          });
        }
      });
    });
  }

  /** @param uri  gives the address of the mongod that asks it, once that runs */
  static async start(uri: () => string): Promise<MongotStandIn> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new MongotStandIn(uri, server);
  }

  /** From now on it answers from the collections as they are now, like a mongot that lags behind. */
  async freeze(ns: string): Promise<void> {
    this.#frozen = new Map([[ns, await this.#documents(ns)]]);
  }

  catchUp(): void {
    this.#frozen = null;
  }

  /** Ends all that a test told it. */
  workAsUsual(): void {
    this.failure = null;
    this.queryable = true;
    this.status = "READY";
    this.catchUp();
  }

  async stop(): Promise<void> {
    this.#server.close();
    await this.#client?.close();
  }

  async #answer(command: Document): Promise<Document> {
    const [name = ""] = Object.keys(command);
    try {
      switch (name) {
        case "hello":
        case "isMaster":
        case "ismaster":
          return HELLO;
        case "ping":
          return { ok: 1 };
        case "search":
          return await this.#search(command);
        case "vectorSearch":
          return await this.#vectorSearch(command);
        case "manageSearchIndex":
          this.#refuse();
          return this.#manage(`${command["$db"]}.${command[name]}`, command["userCommand"]);
        default:
          return failure(59, `no command is called ${name}`);
      }
    } catch (error) {
      const { code = 8, message } = error as { code?: number; message: string };
      return failure(code, message);
    }
  }

  async #search(command: Document): Promise<Document> {
    this.#refuse();
    const { $db, search, query } = command;
    const ns = `${$db}.${search}`;
    const { index, count, sort = {}, ...operator } = query;
    // Like the real one: without an index there are no results, and no error.
    const documents = this.indexes.has(`${ns} ${index}`) ? await this.#documents(ns) : [];
    const found = documents.filter((document) => matches(document, operator));
    const keys = Object.entries(sort as Document).map(([path, order]) => ({
      order: Number(order),
      of: (document: Document) => (order.$meta === undefined ? document[path] : SCORE),
    }));
    const ordered = found.toSorted((a, b) => {
      const key = keys.find(({ of }) => of(a) < of(b) || of(a) > of(b));
      return key === undefined ? 0 : key.of(a) < key.of(b) ? -key.order : key.order;
    });
    const rows = ordered.map((document) => ({
      _id: document["_id"],
      $searchScore: SCORE,
      $searchSortValues: Object.fromEntries(keys.map(({ of }, at) => [`_${at}`, of(document)])),
    }));
    const counted = { [count?.type === "total" ? "total" : "lowerBound"]: Long.fromNumber(found.length) };
    return { ...pageOf(ns, rows), vars: { SEARCH_META: { count: counted } } };
  }

  async #vectorSearch({
    $db,
    vectorSearch,
    index,
    path,
    queryVector,
    filter,
    limit,
  }: Document): Promise<Document> {
    this.#refuse();
    const ns = `${$db}.${vectorSearch}`;
    const wanted = (queryVector as Binary).toInt8Array();
    const known = this.indexes.get(`${ns} ${index}`);
    if (known === undefined) return pageOf(ns, []);
    const filterable = known.definition["fields"].map((field: Document) => field["path"]);
    for (const field of fieldsOf(filter)) {
      if (!filterable.includes(field)) throw Object.assign(new Error(`no filter on ${field}`), { code: 8 });
    }
    const passing = await this.#passing(ns, filter);
    const rows = passing
      .filter((document) => document[path] !== undefined)
      .map((document) => {
        const score = (1 + cosineOf(wanted, (document[path] as Binary).toInt8Array())) / 2;
        return { _id: document["_id"], $vectorSearchScore: new Double(score) };
      });
    rows.sort((a, b) => b.$vectorSearchScore.valueOf() - a.$vectorSearchScore.valueOf());
    return pageOf(ns, rows.slice(0, Number(limit)));
  }

  #manage(ns: string, command: Document): Document {
    const named = (name: string) => this.indexes.get(`${ns} ${name}`);
    if (command["createSearchIndexes"] !== undefined) {
      const made = (command["indexes"] as Document[]).map(({ name, type, definition }) => {
        if (named(name) !== undefined) throw Object.assign(new Error(`${name} exists`), { code: 68 });
        this.#count += 1;
        const index = { id: String(this.#count), name, type, definition };
        this.indexes.set(`${ns} ${name}`, index);
        return { id: index.id, name };
      });
      return { ok: 1, indexesCreated: made };
    }
    if (command["updateSearchIndex"] !== undefined) {
      const index = named(command["name"]);
      if (index === undefined) throw Object.assign(new Error("no such index"), { code: 27 });
      index.definition = command["definition"];
      this.updates += 1;
      return { ok: 1 };
    }
    const listed = [...this.indexes]
      .filter(([key]) => key.startsWith(`${ns} `))
      .map(([, index]) => ({
        id: index.id,
        name: index.name,
        type: index.type,
        status: this.queryable ? this.status : "BUILDING",
        queryable: this.queryable,
        latestDefinition: index.definition,
      }));
    return { ok: 1, cursor: { id: Long.ZERO, ns, firstBatch: listed } };
  }

  async #documents(ns: string): Promise<Document[]> {
    return this.#frozen?.get(ns) ?? this.#passing(ns, {});
  }

  /** mongod itself evaluates the filter of `$vectorSearch`, which is in its own query language. */
  async #passing(ns: string, filter: Document): Promise<Document[]> {
    this.#client ??= new MongoClient(this.#uri(), { directConnection: true, maxPoolSize: 4 });
    const [db, ...collection] = ns.split(".");
    const found = await this.#client.db(db).collection(collection.join(".")).find(filter).toArray();
    const frozen = this.#frozen?.get(ns);
    if (frozen === undefined) return found;
    const ids = new Set(frozen.map(({ _id }) => _id));
    return found.filter(({ _id }) => ids.has(_id));
  }

  #refuse(): void {
    if (this.failure !== null) throw Object.assign(new Error("told to fail"), { code: this.failure });
  }
}

const HELLO = {
  ok: 1,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 27,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
};

const failure = (code: number, errmsg: string) => ({ ok: 0, code, errmsg });

const SCORE = new Double(1);

const pageOf = (ns: string, rows: Document[]): Document => ({
  ok: 1,
  cursor: { id: Long.ZERO, ns, nextBatch: rows },
});

/** Names of the fields that a filter compares. */
function fieldsOf(filter: Document = {}): string[] {
  return Object.entries(filter).flatMap(([key, value]) =>
    key === "$and" || key === "$or" ? (value as Document[]).flatMap(fieldsOf) : [key],
  );
}

const OP_MSG = 2013;
const OP_QUERY = 2004;

/** The command in a message: one body, and its sequences of documents. Servers say hello with OP_QUERY. */
function commandOf(message: Buffer): Document {
  if (message.readInt32LE(12) === OP_QUERY) {
    const start = message.indexOf(0, 20) + 9;
    return BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
  }
  const end = message.length - ((message.readInt32LE(16) & 1) === 1 ? 4 : 0);
  let command: Document = {};
  for (let at = 20; at < end; ) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    const part = message.subarray(at + 1, at + 1 + size);
    at += 1 + size;
    if (kind === 0) {
      command = { ...BSON.deserialize(part, { promoteLongs: false }), ...command };
      continue;
    }
    const nameEnd = part.indexOf(0, 4);
    const list: Document[] = [];
    for (let from = nameEnd + 1; from < part.length; from += part.readInt32LE(from)) {
      list.push(
        BSON.deserialize(part.subarray(from, from + part.readInt32LE(from)), { promoteLongs: false }),
      );
    }
    command = { ...command, [part.toString("utf8", 4, nameEnd)]: list };
  }
  return command;
}

function replyTo(message: Buffer, answer: Document): Buffer {
  const body = BSON.serialize(answer);
  const old = message.readInt32LE(12) === OP_QUERY;
  const head = Buffer.alloc(old ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(old ? 1 : OP_MSG, 12);
  if (old) {
    head.writeInt32LE(8, 16);
    head.writeInt32LE(1, 32);
  }
  return Buffer.concat([head, body]);
}
