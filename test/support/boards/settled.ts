import { expect } from "vitest";
import type { TestBoard } from "./board.ts";
import { eventually } from "./client.ts";

/** Resolves once the model has read every post. */
export async function embedded({ board }: TestBoard): Promise<void> {
  const left = () => board.store.work.backlog("embed");
  expect(await eventually(left, (count) => count === 0, 120_000)).toBe(0);
}

/** Resolves once exactly so many calls wait for news. */
export async function waitersAt({ board }: TestBoard, wanted: number): Promise<void> {
  const waiters = async () => board.services.waits.count;
  expect(await eventually(waiters, (count) => count === wanted)).toBe(wanted);
}
