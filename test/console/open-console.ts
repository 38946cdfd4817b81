import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { findProgram } from "../clients/system-program.ts";
import { PASSWORD, tokenOf } from "../people/visitor.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { newComplaints } from "./complaints.ts";

const executablePath = findProgram(["chromium-headless-shell", "chromium"], "chromium-headless-shell");

/**
 * A real browser, if one is installed. In tests pages are open only for seconds, so generating optimized machine code would cost more CPU
 * time than it saves.
 */
export async function openBrowser({ optimizes = false } = {}): Promise<Browser | undefined> {
  if (!executablePath) return undefined;
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", ...(optimizes ? [] : ["--js-flags=--no-opt --no-maglev"])],
    timeout: WAIT_LIMIT_MS,
  });
}

/**
 * Extends the timeouts of temporary messages, which would otherwise disappear before the test on a stalled machine sees them:
 * toasts have 4 s (`parts/overlays/toasts.tsx`), "Copied" has 2 s (`parts/copy.tsx`). The delay before a query retry can be as long; its
 * callback is a native promise function, which distinguishes it.
 */
const EXTEND_MESSAGES = `const set = window.setTimeout;
const isMessage = (run, ms) => (ms === 4000 || ms === 2000) && !String(run).includes("[native code]");
window.setTimeout = (run, ms, ...more) => set(run, isMessage(run, ms) ? 600_000 : ms, ...more);`;

/** A page in a new browser context, without animations. */
export interface Visit {
  readonly page: Page;
  /** The errors in the browser console of the page since the test started. Each error is a bug. */
  readonly complaints: readonly string[];
}

export async function visit(browser: Browser, gateway: RunningGateway, options: BrowserContextOptions = {}): Promise<Visit> {
  const defaults = {
    baseURL: gateway.platformUrl,
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    locale: "en-GB",
  } as const;
  const context = await browser.newContext({ ...defaults, ...options });
  await context.addInitScript(EXTEND_MESSAGES);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  const complaints = newComplaints();
  page.on("pageerror", (error) => complaints.push(error.message));
  // A 4xx response of the API is also logged to the browser's console, and is not a bug.
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("the server responded with a status of 4")) complaints.push(message.text());
  });
  return { page, complaints };
}

/** Opens another page with the router, and waits until it is rendered. */
export async function navigate(page: Page, path: string, { replaces = false } = {}): Promise<void> {
  await page.evaluate(`new Promise((rendered) => {
    const end = __TSR_ROUTER__.subscribe("onRendered", () => (end(), rendered()));
    __TSR_ROUTER__.navigate({ href: ${JSON.stringify(path)}, replace: ${replaces} });
  })`);
}

/**
 * Waits until the page is not wider than the screen, so that it does not scroll horizontally. Charts are redrawn in the frames after a
 * change of size. (`waitForFunction` would evaluate text in the page, which the content security policy forbids.)
 */
export async function untilFits(page: Page): Promise<void> {
  await eventually(
    () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
    (excess) => excess === 0,
  );
}

/** Waits until no colour changes any more: an inherited colour changes in a transition after the transition of the parent. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await eventually(() => page.evaluate<boolean>("document.getAnimations().every(({ playState }) => playState === 'finished')"), Boolean);
}

/** Runs in the browser. React's component tree leads to the query client. */
const REMOVE_INACTIVE_QUERIES = `(() => {
  const root = document.querySelector("#console");
  let fiber = root[Object.keys(root).find((key) => key.startsWith("__reactContainer$"))];
  while (!fiber.memoizedProps?.client) fiber = fiber.child;
  fiber.memoizedProps.client.removeQueries({ type: "inactive" });
})()`;

/**
 * Opens a page with the router if a page of the console is open: loading the console again takes twice the CPU time. It navigates through
 * the only page without the layout. So, as after a load, every component is mounted again and the query cache is empty. Only modules keep
 * their state.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  const isLoaded = await page.evaluate<boolean>("typeof __TSR_ROUTER__ === 'object' && document.querySelector('main') !== null");
  if (!isLoaded) return void (await page.goto(path));
  await navigate(page, "/welcome");
  await page.evaluate(REMOVE_INACTIVE_QUERIES);
  await navigate(page, path, { replaces: true });
}

export const REFUSED = "Not today.";

/** Rejects every change to these URLs. */
export async function refuseChanges(page: Page, at: string): Promise<void> {
  const problem = { status: 409, code: "conflict", detail: REFUSED, param: null, request_id: null };
  await page.route(at, (route) => (route.request().method() === "GET" ? route.continue() : route.fulfill({ status: 409, json: problem })));
}

/** Simulates that the user returns to the window after a minute, which refetches the shown data. */
export async function lookAgain(page: Page, path: string): Promise<void> {
  const asked = page.waitForResponse((response) => new URL(response.url()).pathname === path && response.request().method() === "GET");
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate(`window.dispatchEvent(new Event("visibilitychange"))`);
  await (await asked).finished();
}

/** A visit that is signed in through an invitation: as an operator, or as a member of an account. No page of the console is open yet. */
export async function visitAs(
  browser: Browser,
  gateway: RunningGateway,
  account: string | null,
  options?: BrowserContextOptions,
): Promise<Visit> {
  const email = `${account ?? "operator"}-${crypto.randomUUID().slice(0, 8)}@example.test`;
  const role = account === null ? { role: "operator" } : { role: "member", account };
  const { invitation } = await gateway.platform<{ invitation: { url: string } }>("POST", "/api/people", {
    email,
    name: "Grace Hopper",
    ...role,
  });
  const opened = await visit(browser, gateway, options);
  const accepted = await opened.page.request.post("/api/invitations/accept", {
    headers: { "x-tollgate-request": "test" },
    data: { token: tokenOf(invitation.url), password: PASSWORD },
    timeout: WAIT_LIMIT_MS,
  });
  if (!accepted.ok()) throw new Error(await accepted.text());
  return opened;
}
