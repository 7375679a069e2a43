import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** What a visitor's browser is like; English, light and of 1280 × 900 pixels by default. */
export interface Visitor {
  javaScript?: boolean;
  width?: number;
  height?: number;
  bypassPolicy?: boolean;
  /** Such as `de-DE`. */
  locale?: string;
}

/** A browser for a test, and the faults of the pages it showed. */
export interface TestBrowser {
  context: BrowserContext;
  /** Opens a page and records its complaints. */
  open(): Promise<Page>;
  /** Errors of the console, exceptions of scripts, and requests to any other host than 127.0.0.1, since the last call. */
  complaints(): string[];
  /** Another visitor with an empty profile, in the same Chromium. */
  beside(visitor: Visitor): Promise<TestBrowser>;
  /** Ends the visit; the one that `startBrowser` gave ends Chromium, and all visits with it. */
  close(): Promise<void>;
}

/**
 * Starts Chromium with an empty profile.
 * @throws Error that says how to install Chromium, when it is missing
 */
export async function startBrowser(visitor: Visitor = {}): Promise<TestBrowser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `The browser tests need Chromium at ${CHROMIUM}: \`apt-get update && apt-get install -y chromium\`, or set CHROMIUM to its path.`,
    );
  }
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  return { ...(await visit(browser, visitor)), close: () => browser.close() };
}

async function visit(browser: Browser, visitor: Visitor): Promise<TestBrowser> {
  const context = await browser.newContext({
    // A bypass shows that no defence depends on the content policy alone.
    bypassCSP: visitor.bypassPolicy ?? false,
    javaScriptEnabled: visitor.javaScript ?? true,
    locale: visitor.locale ?? "en-US",
    viewport: { width: visitor.width ?? 1280, height: visitor.height ?? 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const complaints: string[] = [];
  return {
    context,
    async open() {
      const page = await context.newPage();
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("request", (request) => {
        if (new URL(request.url()).hostname !== "127.0.0.1") complaints.push(`request to ${request.url()}`);
      });
      return page;
    },
    complaints: () => complaints.splice(0),
    beside: (other) => visit(browser, other),
    close: () => context.close(),
  };
}

/** How far a page scrolls sideways, in pixels. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
