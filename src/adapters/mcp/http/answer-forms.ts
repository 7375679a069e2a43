/** The SDK answers 406 to whoever names less; many clients name one of the two, or nothing. */
export const EVERY_FORM = "application/json, text/event-stream";

/**
 * Gives an answer of the SDK in a form that the caller accepts: as a stream if that is all it accepts, as JSON unless it
 * names streams. Of a stream that becomes JSON only the answers to requests are kept, not the news of their progress.
 *
 * @param accept  the caller's header
 */
export async function inAcceptedForm(answer: Response, accept = "*/*"): Promise<Response> {
  const type = answer.headers.get("content-type") ?? "";
  const { status } = answer;
  if (!accept.includes("text/event-stream")) {
    if (!type.startsWith("text/event-stream")) return answer;
    const messages = [...(await answer.text()).matchAll(/^data: (.*)$/gm)]
      .map(([, data = ""]) => JSON.parse(data))
      .filter((message) => "result" in message || "error" in message);
    return Response.json(messages.length === 1 ? messages[0] : messages, { status });
  }
  if (/json|\*\/\*|application\/\*/.test(accept) || !type.startsWith("application/json")) return answer;
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" };
  return new Response(`event: message\ndata: ${await answer.text()}\n\n`, { status, headers });
}

/**
 * Gives an answer once it has begun: the SDK opens a stream before it calls a tool.
 * @param sooner  ends the wait, too
 */
export async function begun(answer: Response, sooner: Promise<void>): Promise<Response> {
  const { body, status, headers } = answer;
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) return answer;
  const [first, whole] = body.tee();
  const reader = first.getReader();
  await Promise.race([reader.read().catch(() => {}), sooner]);
  // It waits for the end of the other half.
  reader.cancel().catch(() => {});
  return new Response(whole, { status, headers });
}
