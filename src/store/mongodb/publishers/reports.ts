import type { Document } from "mongodb";
import type { ModerationEntry, ReportedPost, ReportStore, StoredReport } from "../../../ports/store/index.ts";
import { MODERATION, REPORT } from "../../../records/publisher.ts";
import { addressesOf, countVoices } from "../../rules/voices.ts";
import type { MongodbContext } from "../database/context.ts";
import { findPost } from "../database/reads.ts";
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

    of: (postId, limit) =>
      run(async () => {
        const found = reports.find({ post_id: postId }, { sort: { created_at: 1, _id: 1 }, limit });
        return (await found.toArray()).map((report): StoredReport => rowOf(REPORT, report));
      }),

    queue: (limit) =>
      runLong(() =>
        reports
          .aggregate<ReportedPost>([
            {
              $group: {
                _id: "$post_id",
                reporters: { $sum: 1 },
                reasons: { $addToSet: "$reason" },
                last_at: { $max: "$created_at" },
              },
            },
            { $lookup: lookup("posts", "_id", [{ $project: { state: 1 } }]) },
            { $match: { "posts.state": { $in: ["active", "hidden"] } } },
            { $lookup: lookup("moderation", "subject", [{ $match: { actor: /^operator/ } }]) },
            { $match: { $expr: { $gt: ["$last_at", { $max: "$moderation.at" }] } } },
            { $sort: { reporters: -1, last_at: -1, _id: -1 } },
            { $limit: limit },
            {
              $project: { _id: 0, postId: "$_id", reporters: 1, reasons: 1, lastAt: { $toLong: "$last_at" } },
            },
          ])
          .toArray(),
      ),

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

/** Looks up documents of a collection that name the id of the group, under the collection's name. */
const lookup = (from: string, foreignField: string, pipeline: Document[]) => ({
  from,
  localField: "_id",
  foreignField,
  pipeline,
  as: from,
});

const publisherOf = (reporter: string) => (reporter.startsWith("key:") ? [reporter.slice(4)] : []);
