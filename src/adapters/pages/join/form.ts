import type { Request, Response } from "express";
import type { Operation } from "../../../board/operation.ts";
import type { Site } from "../../../domain/site.ts";
import type { Post } from "../../../schema/post.ts";
import type { Admission, Dispatcher } from "../../calls/dispatcher.ts";
import { admitted, credentialsOf } from "../../http/requests.ts";
import type { Html } from "../frame/html.ts";
import { languageOf } from "../frame/language.ts";
import { isFresh } from "./once.ts";
import { type OwnPublisher, type OwnView, ownHtml } from "./own-page.ts";
import { latestReplies } from "./replies.ts";

export const ROUTES = [
  "POST /publishers",
  "GET /publishers/me",
  "PATCH /publishers/me",
  "DELETE /publishers/me",
  "POST /publishers/me/rotate-key",
  "POST /publishers/verify",
  "GET /publishers/me/inbox",
  "GET /publishers/{id}",
  "POST /posts",
  "GET /posts/{id}",
  "PATCH /posts/{id}",
  "DELETE /posts/{id}",
  "PATCH /subscriptions/{id}",
  "DELETE /subscriptions/{id}",
] as const;
export type Route = (typeof ROUTES)[number];

export interface Answer {
  status: number;
  page: string;
}

interface Sent {
  /** Holds what was filled into the boxes of its action. */
  filled: Readonly<Record<string, string>>;
  /** See `addedFields`. */
  added: Readonly<Record<string, unknown>>;
  /** The whole body of the form is here. */
  body: unknown;
  /** A form that needs no key has null. */
  apiKey: string | null;
}

interface FormParts {
  request: Request;
  response: Response;
  dispatcher: Dispatcher;
  site: Site;
  operationOf(route: Route): Operation;
}

/** Holds a form under way: what was sent, and the calls that it makes in the name of its sender. */
export class SentForm<Key extends string | null = string | null> {
  readonly filled: Sent["filled"];
  readonly added: Sent["added"];
  readonly apiKey: Key;
  readonly site: Site;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #parts: FormParts;

  constructor({ filled, added, body, apiKey }: Sent & { apiKey: Key }, parts: FormParts) {
    this.filled = filled;
    this.added = added;
    this.apiKey = apiKey;
    this.site = parts.site;
    this.#body = (body ?? {}) as Record<string, unknown>;
    this.#parts = parts;
  }

  /** Gives epoch milliseconds. */
  get now(): number {
    return this.#parts.dispatcher.now;
  }

  /** The input has the form that an operation takes. */
  get input(): Record<string, unknown> {
    return { ...this.added, ...this.filled };
  }

  /** Gives a field as it was sent, even an empty one. */
  sent(name: string): string | undefined {
    const value = this.#body[name];
    return typeof value === "string" ? value : undefined;
  }

  /**
   * @returns the operation's `data`
   * @throws BoardError  any failure of the operation
   */
  async perform(route: Route, input: Record<string, unknown>): Promise<unknown> {
    const { dispatcher, operationOf } = this.#parts;
    const { body } = await dispatcher.perform(
      operationOf(route),
      await this.#admission(route),
      input,
      "body",
    );
    return body.data;
  }

  /**
   * Performs a call whose answer shows a key, and gives the same answer when the same form is sent again. A form that was
   * shown so long ago that its answer may have been forgotten does nothing.
   * @returns null for such a form
   */
  async performOnce(route: Route, input: Record<string, unknown>): Promise<unknown> {
    const { dispatcher, request, operationOf } = this.#parts;
    const once = this.sent("once");
    if (once === undefined) return this.perform(route, input);
    const { address } = credentialsOf(request);
    const caller = this.apiKey ?? `${address} ${request.get("user-agent")}`;
    const call = { operation: operationOf(route).name, idempotencyKey: once, caller, input };
    const mayAct = isFresh(once, dispatcher.now);
    const { body } = await dispatcher.answers.once(call, async () => ({
      status: 200,
      location: null,
      body: mayAct ? await this.perform(route, input) : null,
    }));
    return body;
  }

  async #admission(route: Route): Promise<Admission> {
    const { dispatcher, request, response, operationOf } = this.#parts;
    return admitted(dispatcher, operationOf(route), request, response, { apiKey: this.apiKey });
  }

  /** Reads the post that the form names. */
  async post(): Promise<Post> {
    return (await this.perform("GET /posts/{id}", { id: this.filled["id"] })) as Post;
  }

  /**
   * One's own page.
   * @param said  what was just done
   */
  async ownPage(
    this: OwnForm,
    said: string | Html | null = null,
    { status = 200, refused = null }: { status?: number; refused?: OwnView["refused"] } = {},
  ): Promise<Answer> {
    const { dispatcher, request, operationOf } = this.#parts;
    const admission = await this.#admission("GET /publishers/me");
    const ask = (route: Route, input: Record<string, unknown> = {}) =>
      dispatcher.ask(operationOf(route), admission, input);
    const own = (await ask("GET /publishers/me")).data as Omit<OwnPublisher, "recent_posts">;
    const { recent_posts } = (await ask("GET /publishers/{id}", { id: own.id })).data as OwnPublisher;
    const replies = await latestReplies((page) => ask("GET /publishers/me/inbox", page));
    dispatcher.answered({ as: operationOf("GET /publishers/me").name }, 200);
    const { apiKey } = this;
    const view = { apiKey, said, refused, replies, now: admission.now, language: languageOf(request) };
    return { status, page: ownHtml({ ...own, recent_posts }, view, this.site) };
  }
}

export type OwnForm = SentForm<string>;
