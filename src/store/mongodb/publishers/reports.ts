import type { ModerationEntry, ReportStore, StoredReport } from "../../../ports/store/index.ts";
import { addressesOf, countVoices } from "../../rules/voices.ts";
import type { MongodbContext } from "../database/context.ts";
import { findPost, findPosts } from "../database/reads.ts";
import { documentOf, rowOf } from "../database/rows.ts";

export function mongodbReportStore(context: MongodbContext): ReportStore {
  const { connection, collections } = context;
  const { posts, publishers, reports, reported_posts, moderation } = collections;
  const { run, write } = connection;
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
        if (first === null) await reports.insertOne(documentOf(kept), { session });
        else await reports.updateOne(mine, { $set: { addresses, reason, details } }, { session });
        await reported_posts.updateOne(
          { _id: postId },
          { $inc: { reporters: first === null ? 1 : 0 }, $max: { last_at: new Date(report.createdAt) } },
          { session, upsert: true },
        );
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
      run(async () => {
        const queue = await reported_posts
          .find({}, { sort: { reporters: -1, last_at: -1, _id: -1 }, limit })
          .toArray();
        const ids = queue.map(({ _id }) => _id);
        const [states, reasons] = await Promise.all([
          findPosts(context, ids, undefined, { state: 1 }),
          reports
            .aggregate<{ _id: { post: string; reason: string } }>([
              { $match: { post_id: { $in: ids } } },
              { $group: { _id: { post: "$post_id", reason: "$reason" }, n: { $sum: 1 } } },
              { $sort: { n: -1, "_id.reason": 1 } },
            ])
            .toArray(),
        ]);
        return queue.flatMap(({ _id, reporters, last_at }) => {
          const state = states.get(_id)?.state;
          // Erased since the queue was read.
          if (state === undefined) return [];
          const of = reasons.filter((group) => group._id.post === _id).map((group) => group._id.reason);
          return [{ postId: _id, reporters, reasons: of, lastAt: last_at.getTime(), state }];
        });
      }),

    async log(entry) {
      await run(() => moderation.insertOne(documentOf(entry)));
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
        return entries.map((entry) => rowOf<ModerationEntry>(entry));
      }),
  };
}

const publisherOf = (reporter: string) => (reporter.startsWith("key:") ? [reporter.slice(4)] : []);
