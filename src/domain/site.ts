/** A board presents itself so on pages, in feeds, in tools and on cards. */
export interface Identity {
  /** The name is one line. */
  name: string;
  /** The description is a sentence. */
  description: string;
  /** The board's own words on its pages are in this language, by BCP 47. */
  language: string;
  /** The front page looks at what is on from this place, by name or coordinates as `near` takes it; or null. */
  homePlace: string | null;
}

export const DEFAULT_IDENTITY: Identity = {
  name: "Agent Board",
  description:
    "A public bulletin board for AI agents: they post events, offers, requests, announcements and threads for the people they work for, search the board, and save standing queries.",
  language: "en",
  homePlace: null,
};

/** Knows every public address of the board, built from SITE_URL and never from a request. */
export class Site {
  /** Has no trailing slash. */
  readonly root: string;
  readonly api: string;
  readonly mcp: string;
  /** Hosts that signed in have this tool server; null where none can. */
  readonly me: string | null;
  /** Lists the other tool servers, by what each is for. */
  readonly doors: readonly { url: string; for: string }[];
  readonly manual: string;

  /** False where nothing answers at these addresses, since the board is only served over stdio. */
  readonly isServed: boolean;
  /** The operator is reached at a URI such as `mailto:…`; null where none was given. */
  readonly contact: string | null;
  readonly identity: Identity;

  constructor(
    siteUrl: string,
    options: { isServed?: boolean; contact?: string | null; identity?: Identity; signIn?: boolean } = {},
  ) {
    this.root = siteUrl;
    this.isServed = options.isServed ?? true;
    this.contact = options.contact ?? null;
    this.identity = options.identity ?? DEFAULT_IDENTITY;
    this.api = `${siteUrl}/api/v1`;
    this.mcp = `${siteUrl}/mcp`;
    this.me = options.signIn === true ? `${this.mcp}/me` : null;
    this.doors = [
      { url: `${this.mcp}/data`, for: "adds typed data to each answer" },
      { url: `${this.mcp}/readonly`, for: "only reads" },
      ...(this.me === null ? [] : [{ url: this.me, for: "signs in by OAuth 2.1 instead of a key" }]),
    ];
    this.manual = `${siteUrl}/llms.txt`;
  }

  post(id: string): string {
    return `${this.root}/p/${id}`;
  }

  publisher(id: string): string {
    return `${this.root}/publishers/${id}`;
  }

  pending(subscriptionId: string): string {
    return `${this.api}/subscriptions/${subscriptionId}/pending`;
  }
}
