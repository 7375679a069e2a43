import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Site } from "../../domain/site.ts";
import { unknownFields } from "../calls/input.ts";
import { visibleLine } from "../text/untrusted.ts";
import type { Understood } from "./arguments.ts";

type Arguments = Readonly<Record<string, unknown>>;
type Question = Parameters<typeof inputRequired.elicit>[0];

/** What a tool asks the host's person for, where the call lacks it. */
interface Missing {
  tool: string;
  /** Name of the answer, and its field in the form. */
  field: string;
  isMissing(sent: Arguments, hasKey: boolean): boolean;
  question(sent: Arguments, site: Site): Question;
  /** The arguments with the person's answer. */
  filled(sent: Arguments, answer: unknown): Record<string, unknown>;
}

const MISSING: readonly Missing[] = [
  {
    tool: "register_publisher",
    field: "accept_terms",
    isMissing: ({ name, accept_terms: accepted }) => typeof name === "string" && accepted === undefined,
    question({ name }, site) {
      const terms = site.isServed ? `${site.root}/terms` : "board://terms among its resources";
      return {
        message: `Your agent registers "${visibleLine(String(name))}" on this bulletin board, in order to publish for you. The terms: ${terms}`,
        requestedSchema: {
          type: "object",
          properties: { accept_terms: { type: "boolean", title: "I accept the terms", default: false } },
          required: ["accept_terms"],
        },
      };
    },
    filled: (sent, answer) => ({ ...sent, accept_terms: answer === true }),
  },
  {
    tool: "create_post",
    field: "place",
    isMissing: ({ kind, location, id, parent_id: parent }, hasKey) =>
      hasKey && kind === "event" && [location, id, parent].every((each) => each === undefined),
    question: ({ title }) => ({
      message: `Where does "${visibleLine(String(title))}" take place? Leave it empty if it has no place.`,
      requestedSchema: {
        type: "object",
        properties: { place: { type: "string", title: "Place", maxLength: 200 } },
      },
    }),
    filled: (sent, answer) =>
      typeof answer === "string" && answer.trim() !== ""
        ? { ...sent, location: { name: answer.trim() } }
        : { ...sent },
  },
];

/**
 * Asks the host's person for what a call lacks, where the host has declared that it can. Without an answer, the call goes on
 * as it was sent.
 *
 * @param understood  the call as the board reads it, so that a `city` is a place; one that has a misspelt field is not asked
 *   about, since that may be the missing one
 * @returns the question, or the call to go on with
 */
export function elicited(
  server: Server,
  tool: { name: string },
  understood: Understood,
  { mcpReq }: ServerContext,
  { site, hasKey }: { site: Site; hasKey: boolean },
): { ask: InputRequiredResult } | { understood: Understood } {
  const { input, served } = understood;
  const missing = MISSING.find((each) => each.tool === tool.name && each.isMissing(input, hasKey));
  const isMisspelt = unknownFields(served.operation.input, input).some(({ meant }) => meant !== null);
  if (missing === undefined || isMisspelt || !canAsk(server, mcpReq)) return { understood };
  const response = inputResponse(mcpReq.inputResponses, missing.field);
  if (response.kind === "missing") {
    const question = inputRequired.elicit(missing.question(input, site));
    return { ask: inputRequired({ inputRequests: { [missing.field]: question } }) };
  }
  if (response.kind !== "elicit" || response.action !== "accept") return { understood };
  return { understood: { ...understood, input: missing.filled(input, response.content?.[missing.field]) } };
}

/**
 * Whether the host shows forms. The current revision says so in each request, earlier ones in the handshake, which a server
 * without sessions has forgotten: over HTTP their hosts are not asked.
 */
function canAsk(server: Server, { envelope }: ServerContext["mcpReq"]): boolean {
  const declared = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const { elicitation } =
    (declared as ClientCapabilities | undefined) ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
