import { CONFERENCES } from "../../demo/conferences.ts";
import type { PublisherInput } from "../schema/publisher.ts";

/** How rows of a source become posts. */
export interface RowMap {
  /** The publisher that relays them. */
  relay: Pick<PublisherInput, "name" | "description" | "url">;
  /** One row as PostInput of the wire, not yet checked. */
  toPost(row: Record<string, unknown>, now: number): Promise<Record<string, unknown>>;
}

/** The sources that `agent-board import --map NAME` knows. */
export const MAPS: Readonly<Record<string, RowMap>> = {
  posts: {
    relay: { name: "Import", description: "Posts imported by the operator of this board.", url: null },
    toPost: async (row) => row,
  },
  conferences: CONFERENCES,
};
