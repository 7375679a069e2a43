/** A row of a table whose second column is "Figure". */
export interface InputRow {
  what: string;
  /** One figure or several, with their units. */
  figures: string;
  /** The section of bench/RESULTS.md, and words of the row or paragraph there; empty for an assumption. */
  section: string;
  place: string;
}

/** The numbers of a text, as they are written there. */
export const numbersIn = (text: string): string[] => text.match(/\d[\d,.]*\d|\d/g) ?? [];

/** The tables of figures of a Markdown page. */
export function inputRows(page: string): InputRow[] {
  const rows: InputRow[] = [];
  let isInput = false;
  for (const line of page.split("\n")) {
    if (!line.startsWith("|")) isInput = false;
    const [what = "", figures = "", source = ""] = line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1);
    if (figures === "Figure") isInput = true;
    else if (isInput && !/^-+$/.test(what)) {
      const [section = "", place = ""] = source.split(": ");
      rows.push({ what, figures, section, place });
    }
  }
  return rows;
}

/** What docs/scaling.md measured and assumes, by the names of its rows. Times are milliseconds unless they say otherwise. */
export type Inputs = ReturnType<typeof readInputs>;

/** @throws Error when a row that the arithmetic needs is not on the page */
export function readInputs(page: string) {
  const rows = inputRows(page);
  const of = (what: string): number[] => {
    const row = rows.find((one) => one.what === what);
    if (row === undefined) throw new Error(`docs/scaling.md has no row "${what}".`);
    return numbersIn(row.figures).map((figure) => Number(figure.replaceAll(",", "")));
  };
  const one = (what: string, at = 0): number => of(what)[at] ?? Number.NaN;
  /** Bytes of a document. */
  const bytes = (what: string) => {
    const [stored = Number.NaN, bson = Number.NaN, indexes = Number.NaN] = of(what);
    return { stored, bson, indexes };
  };
  return {
    posts: of("posts of the three boards"),
    savedQueries: of("their saved queries"),
    searchesPerSecond: of("their searches a second at the peak"),
    peak: one("a peak, in means"),
    answersPerDay: one("posts a day that answer a saved query"),
    withWebhook: one("saved queries with a webhook, of all"),
    cachedDocuments: one("documents in MongoDB's memory, of all"),
    shardMemoryGb: one("a shard: memory, MongoDB's part of it, disk", 0),
    shardCacheBytes: one("a shard: memory, MongoDB's part of it, disk", 1) * 1e9,
    shardDiskBytes: one("a shard: memory, MongoDB's part of it, disk", 2) * 1e9,
    load: one("a core may be busy, of its time"),
    searchMsMax: one("a search of the replica may take"),
    instanceBytesMax: one("an instance may take") * 1e9,
    instanceBytes: one("an instance with the model, before its first post") * 1e6,
    receiverMs: one("a receiver answers after"),
    heapFilled: one("of V8's limit may be filled"),

    collections: {
      posts: bytes("a post: bytes on the disk, as BSON, in its indexes"),
      subscriptions: bytes("a subscription, likewise"),
      deliveries: bytes("a delivery, likewise"),
      inbox: bytes("an inbox entry, likewise"),
    },
    oplogBytes: one("oplog of a post, from its insertion to the end of its matching"),
    pageMs: {
      p50: one("twenty posts by id, p50 and p95", 0),
      p95: one("twenty posts by id, p50 and p95", 1),
    },
    vectorsMs: one("a thousand vectors by id, as the database looks up the nearest that mongot names"),
    insertionMs: one("one insertion"),
    deliveryMs: one("one delivery"),
    savingMs: one("saving one query"),
    countsMs: one("counting the posts for `meta.board`, of 100,000"),
    overviewMs: one("counting all for `GET /board`, top tags included, of 100,000"),
    insertsPerSecond: one("posts a second of 32 publishers, a transaction for each"),
    writingMs: one("CPU of such an insertion, server and client"),
    firstStartMs: one("a replica's first start, of 100,000 posts") * 1_000,
    /** Of many words, at 10,000 and at 100,000 posts. */
    indexMs: of("the index's part of a search of many words, at 10,000 and 100,000 posts"),
    indexMsAtMillion: one("the same at a million posts, in a thread with a helper"),
    indexBytes: one("the index's memory, for 100,000 posts") * 10,
    searchMs: one("CPU of a search at 10,000 posts, all its threads"),
    embeddedPerSecond: one("posts written and embedded a second, by two cores"),
    /** With 10,000, 100,000 and 1,000,000 saved queries. */
    matchingMs: of("CPU of matching one post with 10,000, 100,000 and 1,000,000 saved queries"),
    queryBytes: one("bytes of a saved query in a process, on V8's heap", 0),
    queryHeapBytes: one("bytes of a saved query in a process, on V8's heap", 1),
    heapBytesMax: one("V8's limit by default, on a machine of 24 GB") * 1e6,
  };
}
