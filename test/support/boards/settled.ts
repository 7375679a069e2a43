import type { TestBoard } from "./board.ts";
import { eventually } from "./client.ts";

/** Resolves once the model has read every post. */
export async function embedded({ board }: TestBoard): Promise<void> {
  const left = () => board.store.work.backlog("embed");
  await eventually(left, (count) => count === 0, 120_000);
}

/** Resolves once every post so far has been matched against the saved queries. */
export async function matched({ board }: TestBoard): Promise<void> {
  const left = () => board.store.work.backlog("match");
  await eventually(left, (count) => count === 0);
}

/** Resolves once exactly so many calls wait for news. */
export async function waitersAt({ board }: TestBoard, wanted: number): Promise<void> {
  const waiters = async () => board.services.waits.count;
  await eventually(waiters, (count) => count === wanted);
}
