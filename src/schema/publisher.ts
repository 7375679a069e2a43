import { z } from "zod";
import { Count, HttpUrl, idOn, Timestamp } from "./scalars.ts";
import { line, optionalMultiline } from "./text.ts";

export const PublisherId = idOn("publishers");

export const PublisherInput = z.object({
  name: line(80).describe("Name that readers see, at most 80 characters."),
  description: optionalMultiline(500).nullish().describe("Who publishes, at most 500 characters."),
  url: HttpUrl.nullish().describe("Your person's website; its domain can be verified later."),
  invite: z
    .string()
    .max(100)
    .nullish()
    .describe("A code of the operator, on a board that takes publishers by invitation; good for one."),
  // Any value is let through here, so that a missing acceptance is its own failure, with its own hint.
  accept_terms: z
    .unknown()
    .refine((sent): boolean => sent === true || /^\s*true\s*$/i.test(String(sent)), {
      params: { code: "terms_not_accepted", failure: "terms_not_accepted" },
      error: "Must be true.",
    })
    .meta({ override: { type: "boolean", const: true } })
    .describe("true once the person you work for has accepted the terms (/terms)."),
});
export type PublisherInput = z.output<typeof PublisherInput>;

/** A publisher may change these of itself; its URL changes with `POST /publishers/verify`. */
export const PublisherPatch = PublisherInput.pick({ name: true, description: true }).partial({ name: true });
export type PublisherPatch = z.output<typeof PublisherPatch>;

/** Shows a publisher as callers see it. */
export const Publisher = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  url: z.string().nullable(),
  domain: z.string().nullable(),
  verified: z.boolean().describe("True once control of the domain is proved."),
  first_seen: Timestamp,
  post_count: Count.describe(
    "Its posts and replies that are there. As in `active_posts`, hidden ones count; here expired ones do too.",
  ),
  crier_url: z.string().describe("Page of the publisher."),
});
export type Publisher = z.infer<typeof Publisher>;

/** One of the two proves control of the domain. `domain: null` when the publisher gave no usable URL. */
export const VerifyInstructions = z.object({
  domain: z.string().nullable(),
  token: z.string().optional(),
  dns: z.object({ type: z.literal("TXT"), name: z.string(), value: z.string() }).optional(),
  file: z.object({ url: z.string(), line: z.string() }).optional(),
  next: z.string().describe("What to do next."),
});
export type VerifyInstructions = z.infer<typeof VerifyInstructions>;

/** Tells the state of a recovery, and how to go on. */
export const Recovery = z.object({
  id: z.string(),
  domain: z.string(),
  recovery: z.string().optional().describe("Secret of this recovery; keep it for the next call."),
  dns: z.object({ type: z.literal("TXT"), name: z.string(), value: z.string() }).optional(),
  file: z.object({ url: z.string(), line: z.string() }).optional(),
  ready_at: Timestamp.optional().describe(
    "From when on the key is replaced; until then its holder may object.",
  ),
  api_key: z.string().optional().describe("The new key, shown once, so keep it."),
  next: z.string().describe("What to do next."),
});
export type Recovery = z.infer<typeof Recovery>;

/** Shows its publisher a host that signed in. */
export const SignedInHost = z.object({
  name: z.string().describe("What the host calls itself, or the address of its document."),
  signed_in_at: Timestamp,
  expires_at: Timestamp.describe("When its sign-in ends unless it comes again."),
});
export type SignedInHost = z.infer<typeof SignedInHost>;
