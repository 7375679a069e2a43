import type { TestBoard } from "../boards/board.ts";

export const OPERATOR_KEY = "an-operator-key-for-tests-0";

/** A browser of an operator, behind a proxy with https. */
export class Operator {
  readonly #board: Pick<TestBoard, "url">;
  #requests = 0;
  setCookie = "";
  formToken = "";
  /** Where the last form led. */
  location: string | null = null;

  private constructor(board: Pick<TestBoard, "url">) {
    this.#board = board;
  }

  static async signIn(board: Pick<TestBoard, "url">, key: string): Promise<Operator> {
    const operator = new Operator(board);
    const signedIn = await operator.ask("/operate", new URLSearchParams({ key }));
    operator.setCookie = signedIn.headers.get("set-cookie") ?? "";
    await operator.page("/operate");
    return operator;
  }

  /** The same browser at another address of the board. */
  at(board: Pick<TestBoard, "url">): Operator {
    const there = new Operator(board);
    there.setCookie = this.setCookie;
    return there;
  }

  /** Pages that were loaded and forms that were sent, where a form leads on included. */
  get requests(): number {
    return this.#requests;
  }

  ask(path: string, form?: URLSearchParams, more: Record<string, string> = {}): Promise<Response> {
    this.#requests += 1;
    const [cookie = ""] = this.setCookie.split(";");
    const headers = { cookie, "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https", ...more };
    const sent = form === undefined ? {} : { method: "POST", body: form };
    return fetch(this.#board.url + path, { ...sent, headers, redirect: "manual" });
  }

  async page(path: string): Promise<string> {
    const text = await (await this.ask(path)).text();
    this.formToken = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? this.formToken;
    return text;
  }

  /** Sends a form, with the token of the last page; resolves to the status. */
  async post(
    path: string,
    fields: Record<string, string>,
    more: Record<string, string> = {},
  ): Promise<number> {
    const form = new URLSearchParams({ form_token: this.formToken, ...fields });
    const response = await this.ask(path, form, more);
    this.location = response.headers.get("location");
    return response.status;
  }

  act(fields: Record<string, string>, more: Record<string, string> = {}): Promise<number> {
    return this.post("/operate/act", fields, more);
  }
}
