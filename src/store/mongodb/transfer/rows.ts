import type { Document, Sort } from "mongodb";
import { preparationIn } from "../../../ports/store/index.ts";
import { type BoardRows, MOVED, type RowKind } from "../../../records/index.ts";
import { unclaimedPush } from "../../rules/settling.ts";
import type { Collections } from "../database/context.ts";
import { postOfDocument, vectorOfBinary } from "../database/posts.ts";
import { rowOf } from "../database/rows.ts";
import { type PostDocument, type PushDocument, timeOf } from "../database/schema/documents.ts";
import { pushRecordOfDocument } from "../database/subscriptions.ts";
import { waiting } from "../database/work.ts";

/** Where rows of a kind are. */
export interface Source<K extends RowKind> {
  collection: keyof Collections;
  /** Default: all. */
  filter?: Document;
  /** The order of an index; default: by id. */
  order?: Sort;
  // biome-ignore lint/suspicious/noExplicitAny: the documents of each collection; each source names its own
  rowOf(document: any): BoardRows[K];
}

const row =
  <K extends RowKind>(kind: K) =>
  (document: object): BoardRows[K] =>
    rowOf(MOVED[kind], document) as BoardRows[K];

/** Read one after another. */
export const DOCUMENT_SOURCES: { readonly [K in RowKind]: readonly Source<K>[] } = {
  setting: [{ collection: "settings", rowOf: ({ _id, value }) => ({ name: _id, value }) }],
  publisher: [{ collection: "publishers", rowOf: row("publisher") }],
  // Roots come first by a filter of their own: ids name their thread by convention only.
  post: [
    { collection: "posts", filter: { is_reply: false }, rowOf: post },
    { collection: "posts", filter: { is_reply: true }, rowOf: post },
  ],
  subscription: [
    {
      collection: "subscriptions",
      rowOf: row("subscription"),
    },
  ],
  delivery: [{ collection: "deliveries", rowOf: row("delivery") }],
  push: [{ collection: "pushes", rowOf: unclaimed }],
  inbox: [{ collection: "inbox", rowOf: row("inbox") }],
  report: [{ collection: "reports", rowOf: row("report") }],
  moderation: [{ collection: "moderation", order: { at: 1, _id: 1 }, rowOf: row("moderation") }],
  counter: [{ collection: "daily_counters", rowOf: row("counter") }],
  work: (["match", "embed"] as const).map((kind) => ({
    collection: "posts",
    filter: waiting(kind),
    rowOf: ({ _id }: PostDocument) => ({ kind, postId: _id }),
  })),
};

function post(document: PostDocument): BoardRows["post"] {
  const { vec, vec_model, vec_maker } = document;
  return {
    ...postOfDocument(document),
    removedAt: timeOf(document.removed_at),
    embedding:
      vec_model == null || vec === undefined
        ? null
        : { model: vec_model, ...preparationIn(vec_maker, vec_model), vector: vectorOfBinary(vec) },
  };
}

function unclaimed(document: PushDocument): BoardRows["push"] {
  const record = pushRecordOfDocument(document);
  if (document.token === null) return record;
  return { ...record, ...unclaimedPush({ ...record, againAt: timeOf(document.again_at) }) };
}
