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
import { actingIn, unknownFields } from "../calls/input.ts";
import { visibleLine } from "../text/untrusted.ts";
import type { Understood } from "./arguments.ts";

/** A call lacks this, and only the host's person can say it. */
interface Missing {
  message: string;
  /** The answer has this name, and its field in the form. */
  field: string;
  form:
    | { type: "boolean"; title: string; default: false }
    | { type: "string"; title: string; maxLength: 200 };
  /** Gives the arguments that an answer adds. */
  filled(answer: unknown): Record<string, unknown>;
}

function missingIn(tool: string, { input }: Understood, site: Site, hasKey: boolean): Missing | null {
  const { name, title } = input;
  if (tool === "register_publisher" && typeof name === "string" && input["accept_terms"] === undefined) {
    const terms = site.isServed ? `${site.root}/terms` : "board://terms among its resources";
    return {
      message: `Your agent registers "${visibleLine(name)}" on this bulletin board, in order to publish for you. The terms: ${terms}`,
      field: "accept_terms",
      form: { type: "boolean", title: "I accept the terms", default: false },
      filled: (answer) => ({ accept_terms: answer === true }),
    };
  }
  const saysWhere = ["location", "id", "parent_id"].some((field) => input[field] !== undefined);
  if (tool !== "create_post" || !hasKey || input["kind"] !== "event" || saysWhere) return null;
  return {
    message: `Where does "${visibleLine(String(title))}" take place? Leave it empty if it has no place.`,
    field: "place",
    form: { type: "string", title: "Place", maxLength: 200 },
    filled: (answer) =>
      typeof answer === "string" && answer.trim() !== "" ? { location: { name: answer.trim() } } : {},
  };
}

/**
 * Asks the host's person for what a call lacks, where the host has declared that it can. Without an answer, the call goes on
 * as it was sent; terms that were declined are marked so.
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
  const missing = missingIn(tool.name, understood, site, hasKey);
  const isMisspelt =
    unknownFields(served.operation.input, input).some(({ meant }) => meant !== null) ||
    actingIn(served.operation, input).length > 0;
  if (missing === null || isMisspelt || !canAsk(server, mcpReq)) return { understood };
  const { message, field, form, filled } = missing;
  const response = inputResponse(mcpReq.inputResponses, field);
  if (response.kind === "missing") {
    const required = form.type === "boolean" ? { required: [field] } : {};
    const requestedSchema = { type: "object" as const, properties: { [field]: form }, ...required };
    const question = inputRequired.elicit({ message, requestedSchema });
    return { ask: inputRequired({ inputRequests: { [field]: question } }) };
  }
  const isAccepted = response.kind === "elicit" && response.action === "accept";
  const answer = isAccepted ? response.content?.[field] : undefined;
  if (field === "accept_terms" && response.kind === "elicit" && answer !== true)
    return { understood: { ...understood, isDeclined: true } };
  return isAccepted
    ? { understood: { ...understood, input: { ...input, ...filled(answer) } } }
    : { understood };
}

/**
 * Tells whether the host shows forms. The current revision says so in each request, earlier ones in the handshake, which a
 * server without sessions has forgotten: over HTTP their hosts are not asked.
 */
function canAsk(server: Server, { envelope }: ServerContext["mcpReq"]): boolean {
  const declared = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const { elicitation } =
    (declared as ClientCapabilities | undefined) ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
