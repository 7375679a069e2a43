import { prose } from "../../test/support/texts/prose.ts";
import type { Step } from "./agent.ts";
import type { World } from "./world.ts";

/** A first call that fails or is odd. */
export interface Situation {
  name: string;
  /** The agent meets the board at this address; `/mcp` unless named. */
  at?: "/mcp" | "/mcp/readonly" | "/mcp/data";
  /** The host sends the key of an agent unless this says otherwise. */
  key?: "none";
  first(world: World): Step;
  /** The last answer must say this, beyond that it is a success. */
  says?: RegExp;
}

/** Makes a post unlike any other. */
export const post = () => ({ title: "Repair café", body: prose() });
export const step = (tool: string, args: Record<string, unknown>): Step => ({ tool, args });
export const PUBLISHED = /^Published\.$|^Already published/m;
export const FOUND = /^1\. `/m;
