import type { Request, Response } from "express";
import type { Site } from "../../../domain/site.ts";
import type { Operation } from "../../../operation.ts";
import type { Post } from "../../../schema/post.ts";
import type { Dispatcher } from "../../calls/dispatcher.ts";
import { admitted } from "../../http/requests.ts";
import type { Html } from "../frame/html.ts";
import { languageOf } from "../frame/language.ts";
import { type OwnPublisher, type OwnView, ownHtml } from "./own-page.ts";

/** What `/join` asks of the board. */
export const ROUTES = [
  "POST /publishers",
  "GET /publishers/me",
  "PATCH /publishers/me",
  "DELETE /publishers/me",
  "POST /publishers/me/rotate-key",
  "POST /publishers/verify",
  "GET /publishers/{id}",
  "POST /posts",
  "GET /posts/{id}",
  "PATCH /posts/{id}",
  "DELETE /posts/{id}",
  "DELETE /subscriptions/{id}",
] as const;
export type Route = (typeof ROUTES)[number];

/** The page that answers a form. */
export interface Answer {
  status: number;
  page: string;
}

/** What a form of `/join` sent. */
interface Sent {
  /** The boxes of its action that were filled in. */
  filled: Readonly<Record<string, string>>;
  /** See `addedFields`. */
  added: Readonly<Record<string, unknown>>;
  /** All of it. */
  body: unknown;
  /** Null for a form that needs none. */
  apiKey: string | null;
}

interface FormParts {
  request: Request;
  response: Response;
  dispatcher: Dispatcher;
  site: Site;
  operationOf(route: Route): Operation;
}

/** A form under way: what was sent, and the calls that it makes in the name of its sender. */
export class SentForm<Key extends string | null = string | null> {
  readonly filled: Sent["filled"];
  readonly added: Sent["added"];
  readonly apiKey: Key;
  readonly site: Site;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #parts: FormParts;
  #now = 0;

  constructor({ filled, added, body, apiKey }: Sent & { apiKey: Key }, parts: FormParts) {
    this.filled = filled;
    this.added = added;
    this.apiKey = apiKey;
    this.site = parts.site;
    this.#body = (body ?? {}) as Record<string, unknown>;
    this.#parts = parts;
  }

  /** As an operation takes it. */
  get input(): Record<string, unknown> {
    return { ...this.added, ...this.filled };
  }

  /** A field as it was sent, even an empty one. */
  sent(name: string): string | undefined {
    const value = this.#body[name];
    return typeof value === "string" ? value : undefined;
  }

  /**
   * @returns the operation's `data`
   * @throws BoardError  any failure of the operation
   */
  async perform(route: Route, input: Record<string, unknown>): Promise<unknown> {
    const { dispatcher, request, response, operationOf } = this.#parts;
    const operation = operationOf(route);
    const admission = await admitted(dispatcher, operation, request, response, { apiKey: this.apiKey });
    this.#now = admission.now;
    return (await dispatcher.perform(operation, admission, input, "body")).body.data;
  }

  /** The post that the form names. */
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
    { status = 200, typed = {} }: { status?: number; typed?: OwnView["typed"] } = {},
  ): Promise<Answer> {
    const own = (await this.perform("GET /publishers/me", {})) as Omit<OwnPublisher, "recent_posts">;
    const shown = (await this.perform("GET /publishers/{id}", { id: own.id })) as OwnPublisher;
    const language = languageOf(this.#parts.request);
    const view = { apiKey: this.apiKey, said, typed, now: this.#now, language };
    return { status, page: ownHtml({ ...own, recent_posts: shown.recent_posts }, view, this.site) };
  }
}

/** A form that brought a key. */
export type OwnForm = SentForm<string>;
