import type { ModerationEntry, ReportStore, StoredReport } from "../../../ports/store/index.ts";
import { MODERATION, REPORT } from "../../../records/publisher.ts";
import { addressesOf, countVoices } from "../../rules/voices.ts";
import type { MongodbContext } from "../database/context.ts";
import { findPost, findPosts } from "../database/reads.ts";
import { documentOf, rowOf } from "../database/rows.ts";

export function mongodbReportStore(context: MongodbContext): ReportStore {
  const { connection, collections } = context;
  const { posts, publishers, reports, moderation } = collections;
  const { run, runLong, write } = connection;
  return {
    upsert: (report) =>
      write([`report:${report.postId}`], async (session) => {
        const post = await findPost(context, report.postId, session);
        if (post === null) throw new Error(`Post ${report.postId} is gone; the report was not kept.`);
        await posts.updateOne({ _id: post._id, root: post.root }, { $inc: { reports: 1 } }, { session });

        const { postId, reporter, reason, details } = report;
        const mine = { post_id: postId, reporter };
        const first = await reports.findOne(mine, { session });
        const addresses = addressesOf(first?.addresses ?? [], report.addresses);
        const kept: StoredReport = { ...report, addresses };
        if (first === null) await reports.insertOne(documentOf(REPORT, kept), { session });
        else await reports.updateOne(mine, { $set: { addresses, reason, details } }, { session });
        return first === null ? kept : { ...kept, id: first._id, createdAt: first.created_at.getTime() };
      }),

    voices: (postId, since) =>
      run(async () => {
        const heard = await reports.find({ post_id: postId }, { projection: { details: 0 } }).toArray();
        const keys = heard.flatMap(({ reporter }) => publisherOf(reporter));
        const suspended = await publishers
          .find({ _id: { $in: keys }, suspended_at: { $ne: null } }, { projection: { _id: 1 } })
          .toArray();
        const silent = new Set(suspended.map(({ _id }) => `key:${_id}`));
        return countVoices(
          heard.map((report) => ({
            addresses: report.addresses,
            createdAt: report.created_at.getTime(),
            silent: silent.has(report.reporter),
          })),
          since,
        );
      }),

    queue: (limit) =>
      runLong(async () => {
        const queue = await reports
          .aggregate<{ _id: string; reporters: number; reasons: string[]; last_at: Date }>([
            {
              $group: {
                _id: { post: "$post_id", reason: "$reason" },
                n: { $sum: 1 },
                last_at: { $max: "$created_at" },
              },
            },
            { $sort: { n: -1, "_id.reason": 1 } },
            {
              $group: {
                _id: "$_id.post",
                reporters: { $sum: "$n" },
                reasons: { $push: "$_id.reason" },
                last_at: { $max: "$last_at" },
              },
            },
            { $sort: { reporters: -1, last_at: -1, _id: -1 } },
            { $limit: limit },
          ])
          .toArray();
        const ids = queue.map(({ _id }) => _id);
        const states = await findPosts(context, ids, undefined, { state: 1 });
        return queue.flatMap(({ _id, reporters, reasons, last_at }) => {
          const state = states.get(_id)?.state;
          // Erased since the queue was read.
          if (state === undefined) return [];
          return [{ postId: _id, reporters, reasons, lastAt: last_at.getTime(), state }];
        });
      }),

    async log(entry) {
      await run(() => moderation.insertOne(documentOf(MODERATION, entry)));
    },

    history: (subject, limit) =>
      run(async () => {
        const entries = await moderation
          .find(subject === null ? {} : { subject }, {
            projection: { _id: 0 },
            sort: { at: -1, _id: -1 },
            limit,
          })
          .toArray();
        return entries.map((entry): ModerationEntry => rowOf(MODERATION, entry));
      }),
  };
}

const publisherOf = (reporter: string) => (reporter.startsWith("key:") ? [reporter.slice(4)] : []);
