/** Every public address of the board, built from SITE_URL and never from a request. */
export class Site {
  /** Without a trailing slash. */
  readonly root: string;
  readonly api: string;
  readonly mcp: string;
  readonly manual: string;

  /** False where nothing answers at these addresses, since the board is only served over stdio. */
  readonly isServed: boolean;
  /** How to reach the operator: a URI such as `mailto:…`, or null where none was given. */
  readonly contact: string | null;

  constructor(siteUrl: string, options: { isServed?: boolean; contact?: string | null } = {}) {
    this.root = siteUrl;
    this.isServed = options.isServed ?? true;
    this.contact = options.contact ?? null;
    this.api = `${siteUrl}/api/v1`;
    this.mcp = `${siteUrl}/mcp`;
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
