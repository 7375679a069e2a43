import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** A browser for a test, and the faults of the pages it showed. */
export interface TestBrowser {
  context: BrowserContext;
  /** Opens a page and records its complaints. */
  open(): Promise<Page>;
  /** Errors of the console, exceptions of scripts, and requests to any other host than 127.0.0.1, since the last call. */
  complaints(): string[];
  close(): Promise<void>;
}

/**
 * Starts Chromium with an empty profile.
 * @throws Error that says how to install Chromium, when it is missing
 */
export async function startBrowser(
  options: {
    javaScript?: boolean;
    colours?: "light" | "dark";
    width?: number;
    height?: number;
    bypassPolicy?: boolean;
    /** Such as `de-DE`; English by default. */
    locale?: string;
  } = {},
): Promise<TestBrowser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `The browser tests need Chromium at ${CHROMIUM}: \`apt-get update && apt-get install -y chromium\`, or set CHROMIUM to its path.`,
    );
  }
  const profile = await mkdtemp(join(tmpdir(), "board-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
    // A bypass shows that no defence depends on the content policy alone.
    bypassCSP: options.bypassPolicy ?? false,
    javaScriptEnabled: options.javaScript ?? true,
    locale: options.locale ?? "en-US",
    colorScheme: options.colours ?? "light",
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
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
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
