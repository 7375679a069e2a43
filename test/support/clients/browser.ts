import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, firefox, type Page } from "playwright-core";

const PROGRAMS = {
  chromium: { variable: "CHROMIUM", paths: ["/usr/bin/chromium"] },
  // Debian's, then that of Mozilla, which the machines of GitHub have.
  firefox: { variable: "FIREFOX", paths: ["/usr/bin/firefox-esr", "/usr/bin/firefox"] },
};
type Program = keyof typeof PROGRAMS;

/** What a visitor's browser is like; English, light and of 1280 × 900 pixels by default. */
export interface Visitor {
  javaScript?: boolean;
  colours?: "light" | "dark";
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
  /** Another visitor with an empty profile, in the same program. Firefox keeps the colours it was started with. */
  beside(visitor: Visitor): Promise<TestBrowser>;
  /** Ends the visit; the one that `startBrowser` gave ends the program, and all visits with it. */
  close(): Promise<void>;
}

/**
 * Starts a browser with an empty profile.
 * @throws Error that says how to install it, when it is missing
 */
export async function startBrowser(
  visitor: Visitor = {},
  program: Program = "chromium",
): Promise<TestBrowser> {
  const { variable, paths } = PROGRAMS[program];
  const executablePath = [process.env[variable] ?? paths].flat().find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      `This test needs ${program}: \`sh test/support/clients/browsers.sh\` as root on Debian, or set ${variable} to its path.`,
    );
  }
  const browser = await (program === "firefox" ? startFirefox : startChromium)(executablePath, visitor);
  return { ...(await visit(browser, visitor)), close: () => browser.close() };
}

function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
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
}

/** Firefox as it is shipped, by WebDriver BiDi. */
async function startFirefox(executablePath: string, { colours }: Visitor): Promise<Browser> {
  const browser = await firefox.launch({
    executablePath,
    channel: "moz-firefox",
    firefoxUserPrefs: {
      "layout.css.prefers-color-scheme.content-override": colours === "dark" ? 0 : 1,
      // It asks a person whether a form is to be sent again, where a test would wait for ever.
      "dom.confirm_repost.testing.always_accept": true,
    },
  });
  // Firefox 153 does not know the command by which Playwright sets colours in each context, even when asked to leave them.
  const session = Reflect.get(browser, "_connection").toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = (method: string, params: unknown) =>
    method === "emulation.setMediaFeaturesOverride" ? Promise.resolve({}) : send(method, params);
  return browser;
}

async function visit(browser: Browser, visitor: Visitor): Promise<TestBrowser> {
  const context = await browser.newContext({
    // A bypass shows that no defence depends on the content policy alone.
    bypassCSP: visitor.bypassPolicy ?? false,
    javaScriptEnabled: visitor.javaScript ?? true,
    locale: visitor.locale ?? "en-US",
    viewport: { width: visitor.width ?? 1280, height: visitor.height ?? 900 },
    colorScheme: visitor.colours ?? "light",
    permissions: browser.browserType().name() === "chromium" ? ["clipboard-read", "clipboard-write"] : [],
  });
  // Playwright can neither turn scripts off in Firefox nor click there without them, so that the pages' one script is emptied.
  if (visitor.javaScript === false && browser.browserType().name() === "firefox") {
    await context.route(/\/script-/, (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  }
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
