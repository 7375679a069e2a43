import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type GetPromptResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  type ListToolsResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/**
 * What the official conformance suite calls and a board does not have: tools, resources and prompts with fixed names. They
 * are added to a server of the board, so that what is examined besides them is the board's own: transport, lists, headers,
 * errors.
 */
export function withFixtures(server: Server): void {
  server.registerCapabilities({ completions: {} });
  const own = (method: string): Handler => handlersOf(server).get(method) ?? (() => undefined);
  const listTools = own("tools/list");
  const callTool = own("tools/call");
  const readResource = own("resources/read");
  const getPrompt = own("prompts/get");
  server.setRequestHandler("tools/list", async (request, context) => {
    const { tools } = (await listTools(request, context)) as ListToolsResult;
    return {
      tools: [
        ...tools,
        ...LOOKED_UP.map((name) => ({
          name,
          description: "A fixture.",
          inputSchema: { type: "object" as const },
        })),
      ],
    };
  });
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    return TOOLS[name]?.(context, args) ?? ((await callTool(request, context)) as CallToolResult);
  });
  server.setRequestHandler("resources/read", async (request, context) => {
    const { uri } = request.params;
    const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    const found =
      id === undefined ? RESOURCES[uri] : { uri, mimeType: "application/json", text: JSON.stringify(data) };
    return found === undefined
      ? ((await readResource(request, context)) as ReadResourceResult)
      : { contents: [found] };
  });
  server.setRequestHandler("prompts/get", async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    return PROMPTS[name]?.(args, context) ?? ((await getPrompt(request, context)) as GetPromptResult);
  });
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }));
}

/** Tools that the suite calls only if they are listed. */
const LOOKED_UP = ["test_missing_capability", "test_streaming_elicitation", "test_logging_tool"];

type Handler = (request: object, context: ServerContext) => unknown;
/** The board's own handlers. The SDK keeps them private, but what replaces one must still call it. */
const handlersOf = (server: Server) =>
  (server as unknown as { _requestHandlers: Map<string, Handler> })._requestHandlers;

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (said: string) => ({ type: "text" as const, text: said });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const embedded = (uri: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType: "text/plain", text: "This is an embedded resource." },
});

const RESOURCES: Record<
  string,
  { uri: string; mimeType: string; text: string } | { uri: string; mimeType: string; blob: string }
> = {
  "test://static-text": {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  "test://static-binary": { uri: "test://static-binary", mimeType: "image/png", blob: PNG },
};

const said = (...content: GetPromptResult["messages"][number]["content"][]): GetPromptResult => ({
  messages: content.map((each) => ({ role: "user", content: each })),
});
type Prompt = (args: Record<string, string>, context: ServerContext) => GetPromptResult | InputRequiredResult;
const PROMPTS: Record<string, Prompt> = {
  test_simple_prompt: () => said(text("This is a simple prompt for testing.")),
  test_prompt_with_arguments: ({ arg1, arg2 }) =>
    said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  test_prompt_with_embedded_resource: ({ resourceUri = "" }) => said(embedded(resourceUri), text("Read it.")),
  test_prompt_with_image: () => said(image, text("Look at it.")),
  test_input_required_result_prompt: (_args, { mcpReq }) =>
    acceptedContent(mcpReq.inputResponses, "user_context") === undefined
      ? inputRequired({ inputRequests: { user_context: asks("context") } })
      : said(text("With context.")),
};

/** A question for one string. */
const asks = (field: string) =>
  inputRequired.elicit({
    message: `Please give your ${field}.`,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  });
const samples = () =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: text("What is the capital of France?") }],
    maxTokens: 100,
  });

/** The capabilities that the client declares. */
const ableOf = ({ envelope }: ServerContext["mcpReq"]): object =>
  (envelope as Record<string, object | undefined> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};

type Called = CallToolResult | InputRequiredResult;
type Tool = (context: ServerContext, args: Record<string, unknown>) => Called | Promise<Called>;
const answered = (...content: CallToolResult["content"]): CallToolResult => ({ content });

/** A tool that asks until every answer is there. */
const asking =
  (requests: InputRequests, requestState?: string): Tool =>
  ({ mcpReq }) => {
    const responses = mcpReq.inputResponses ?? {};
    const state = mcpReq.requestState<string>();
    if (requestState !== undefined && state !== undefined && state !== requestState) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The request state was tampered with.");
    }
    return Object.keys(requests).every((key) => isAnswer(responses[key]))
      ? answered(text(`state-ok: ${JSON.stringify(responses)}`))
      : inputRequired({
          inputRequests: requests,
          ...(requestState === undefined ? {} : { requestState }),
        });
  };
const isAnswer = (response: unknown) => typeof response === "object" && response !== null;

const TOOLS: Record<string, Tool> = {
  test_simple_text: () => answered(text("This is a simple text response for testing.")),
  test_image_content: () => answered(image),
  test_audio_content: () => answered({ type: "audio", data: WAV, mimeType: "audio/wav" }),
  test_embedded_resource: () => answered(embedded("test://embedded-resource")),
  test_multiple_content_types: () =>
    answered(text("Multiple content types test:"), image, embedded("test://mixed-content-resource")),
  test_error_handling: () => ({
    isError: true,
    content: [text("This tool intentionally returns an error for testing")],
  }),
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return answered(text("No progress asked for."));
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100 },
      });
    }
    return answered(text("Done."));
  },
  test_input_required_result_elicitation: asking({ user_name: asks("name") }),
  test_input_required_result_sampling: asking({ capital_question: samples() }),
  test_input_required_result_list_roots: asking({ client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: asking({ confirm: asks("ok") }, "state-1"),
  test_input_required_result_tampered_state: asking({ confirm: asks("ok") }, "state-1"),
  test_input_required_result_multiple_inputs: asking(
    { user_name: asks("name"), greeting: samples(), client_roots: inputRequired.listRoots() },
    "state-1",
  ),
  test_input_required_result_multi_round({ mcpReq }) {
    const state = mcpReq.requestState<string>();
    if (state === undefined)
      return inputRequired({ inputRequests: { step1: asks("name") }, requestState: "step-1" });
    return state === "step-1"
      ? inputRequired({ inputRequests: { step2: asks("color") }, requestState: "step-2" })
      : answered(text("Both steps are done."));
  },
  test_missing_capability({ mcpReq }) {
    if (!("sampling" in ableOf(mcpReq))) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    }
    return answered(text("The client can sample."));
  },
  test_streaming_elicitation: asking({ user_name: asks("name") }),
  test_logging_tool: () => answered(text("Nothing is logged.")),
  test_input_required_result_capabilities({ mcpReq }) {
    const able = ableOf(mcpReq);
    const requests: InputRequests = {
      ...("elicitation" in able ? { user_name: asks("name") } : {}),
      ...("sampling" in able ? { capital_question: samples() } : {}),
    };
    return Object.keys(requests).length === 0
      ? answered(text("Nothing to ask for."))
      : inputRequired({ inputRequests: requests });
  },
};
