import { type Binary, type Document, Double, Long, MongoClient } from "mongodb";
import { cosineOf } from "../../../src/search/ranking/vectors.ts";
import { CommandServer, failure, HELLO } from "./command-server.ts";
import { fieldsIn, matches } from "./mongot-operators.ts";

/** A search index as commands made it. */
export interface StandInIndex {
  id: string;
  name: string;
  type: string;
  definition: Document;
}

/**
 * Stands in for mongot, the search process of MongoDB, behind a real mongod: it lets the server itself check and run
 * `$search`, `$searchMeta`, `$vectorSearch` and the commands for search indexes.
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
  /** How well every match fits. */
  score = 1;
  /** How often a definition was updated so far. */
  updates = 0;
  readonly #uri: () => string;
  readonly #server: CommandServer;
  #client: MongoClient | null = null;
  #frozen: Map<string, Document[]> | null = null;
  #count = 0;

  private constructor(uri: () => string, server: CommandServer) {
    this.#uri = uri;
    this.#server = server;
    this.port = server.port;
  }

  /** @param uri  gives the address of the mongod that asks it, once that runs */
  static async start(uri: () => string): Promise<MongotStandIn> {
    const server = await CommandServer.start((command) => standIn.#answer(command));
    const standIn = new MongotStandIn(uri, server);
    return standIn;
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
    this.score = 1;
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
    const known = this.indexes.get(`${ns} ${index}`);
    const documents = known === undefined ? [] : await this.#documents(ns);
    if (known !== undefined) {
      const { mappings } = known.definition;
      for (const { path, types } of fieldsIn(operator, sort)) {
        if (!typesAt(mappings, path).some((type) => types.includes(type)))
          throw Object.assign(new Error(`${path} is not indexed as ${types}`), { code: 8 });
      }
    }
    const score = new Double(this.score);
    const found = documents.filter((document) => matches(document, operator));
    const keys = Object.entries(sort as Document).map(([path, order]) => ({
      order: Number(order),
      of: (document: Document) => (order.$meta === undefined ? document[path] : score),
    }));
    const ordered = found.toSorted((a, b) => {
      const key = keys.find(({ of }) => of(a) < of(b) || of(a) > of(b));
      return key === undefined ? 0 : key.of(a) < key.of(b) ? -key.order : key.order;
    });
    const rows = ordered.map((document) => ({
      _id: document["_id"],
      $searchScore: score,
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

/** How a search index has a field: in several ways, or in none. */
function typesAt({ fields }: Document, path: string): string[] {
  const [name = "", ...within] = path.split(".");
  const forms: Document[] = [fields[name] ?? []].flat();
  return within.length > 0
    ? forms.flatMap((form) => typesAt(form, within.join(".")))
    : forms.map(({ type }) => type);
}
