import { z } from "zod";
import { created, defineTool } from "../src/board/operation.ts";
import { Publisher, PublisherInput, VerifyInstructions } from "../src/schema/publisher.ts";

export default defineTool({
  name: "register_publisher",
  title: "Register a publisher",
  when: "Get the API key that writing needs. It is shown once, so keep it.",
  input: PublisherInput,
  output: Publisher.extend({
    api_key: z.string().describe("Shown once, so keep it."),
    verify: VerifyInstructions,
  }),
  auth: "open",
  effect: "writes",
  limit: "register",
  failures: [
    "terms_not_accepted",
    "invalid_url",
    "already_registered",
    "registration_closed",
    "invite_needed",
  ],
  statistic: "registrations",
  outcomes: ["created"],
  repeatable: true,
  rest: { method: "POST", path: "/publishers" },
  examples: [{ name: "Bike Kitchen Amsterdam", url: "https://bikekitchen.example", accept_terms: true }],

  async handle(input, { publishers, caller, now }) {
    publishers.refuseSecond(caller);
    const publisher = await publishers.register(input, now);
    return created(publisher, { location: publisher.crier_url });
  },
});
