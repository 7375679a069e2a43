import type { ReportStore, StoredReport } from "../../../ports/store/index.ts";
import type { MongodbContext } from "../server/context.ts";
import { findPost, findPosts } from "../server/reads.ts";

export function mongodbReportStore(context: MongodbContext): ReportStore {
  const { connection, collections } = context;
  const { posts, reports, reported_posts, moderation } = collections;
  const { run, write } = connection;
  return {
    upsert: (report) =>
      write([`report:${report.postId}`], async (session) => {
        const post = await findPost(context, report.postId, session);
        if (post === null) throw new Error(`Post ${report.postId} is gone; the report was not kept.`);
        await posts.updateOne({ _id: post._id, root: post.root }, { $inc: { reports: 1 } }, { session });

        const { postId, reporter, reason, details } = report;
        const first = await reports.findOneAndUpdate(
          { post_id: postId, reporter },
          { $set: { reason, details } },
          { session },
        );
        const at = new Date(report.createdAt);
        if (first === null) {
          const one = { _id: report.id, post_id: postId, reporter, reason, details, created_at: at };
          await reports.insertOne(one, { session });
        }
        await reported_posts.updateOne(
          { _id: postId },
          { $inc: { reporters: first === null ? 1 : 0 }, $max: { last_at: at } },
          { session, upsert: true },
        );
        const kept: StoredReport = { ...report };
        return first === null ? kept : { ...kept, id: first._id, createdAt: first.created_at.getTime() };
      }),

    reporters: (postId, since) =>
      run(() => reports.countDocuments({ post_id: postId, created_at: { $gt: new Date(since) } })),

    queue: (limit) =>
      run(async () => {
        const queue = await reported_posts
          .find()
          .sort({ reporters: -1, last_at: -1, _id: -1 })
          .limit(limit)
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
      await run(() => moderation.insertOne({ ...entry, at: new Date(entry.at) }));
    },

    history: (subject, limit) =>
      run(async () => {
        const entries = await moderation
          .find(subject === null ? {} : { subject }, { projection: { _id: 0 } })
          .sort({ at: -1, _id: -1 })
          .limit(limit)
          .toArray();
        return entries.map(({ at, action, subject: of, actor, reason }) => ({
          at: at.getTime(),
          action,
          subject: of,
          actor,
          reason,
        }));
      }),
  };
}
