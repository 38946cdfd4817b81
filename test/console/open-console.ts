import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { findProgram } from "../clients/system-program.ts";
import { PASSWORD } from "../people/visitor.ts";
import type { RunningGateway } from "../start-gateway.ts";
import { WAIT_LIMIT_MS } from "../wait-limit.ts";

const executablePath = findProgram(["chromium-headless-shell", "chromium"], "chromium-headless-shell");

/** A real browser, where the machine has one. */
export async function openBrowser(): Promise<Browser | undefined> {
  if (!executablePath) return undefined;
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    timeout: WAIT_LIMIT_MS,
  });
}

/**
 * What the console shows for some seconds, it shows for long: on a machine that stalls it would be gone before a test has looked.
 * Toasts have 4 s (`parts/toasts.tsx`) and "Copied" has 2 s (`parts/copy.tsx`). A pause before a query is repeated, which may be
 * as long, calls a function of the browser's own: the end of a promise.
 */
const KEEP_NOTICES = `const set = window.setTimeout;
const isNotice = (run, ms) => (ms === 4000 || ms === 2000) && !String(run).includes("[native code]");
window.setTimeout = (run, ms, ...more) => set(run, isNotice(run, ms) ? 600_000 : ms, ...more);`;

/** A page in a browser that nobody has used. Whatever the console complains of is a fault. */
export interface Visit {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function visit(browser: Browser, gateway: RunningGateway, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ baseURL: gateway.platformUrl, viewport: { width: 1280, height: 800 }, ...options });
  await context.addInitScript(KEEP_NOTICES);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  // A refusal by the API is in the browser's console too, and is no fault.
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("the server responded with a status of 4")) complaints.push(message.text());
  });
  return { page, complaints };
}

export const REFUSED = "Not today.";

/** Lets the browser see every change to these addresses refused. */
export async function refuseChanges(page: Page, at: string): Promise<void> {
  const problem = { status: 409, code: "conflict", detail: REFUSED, param: null, request_id: null };
  await page.route(at, (route) => (route.request().method() === "GET" ? route.continue() : route.fulfill({ status: 409, json: problem })));
}

/** Comes back to the window a minute later: what is shown is asked for anew. */
export async function lookAgain(page: Page, path: string): Promise<void> {
  const asked = page.waitForResponse((response) => new URL(response.url()).pathname === path && response.request().method() === "GET");
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate(`window.dispatchEvent(new Event("visibilitychange"))`);
  await (await asked).finished();
}

/** The same, signed in: an operator by the way of an invitation, or a member of an account. */
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
  await opened.page.goto(invitation.url);
  await opened.page.getByLabel("Password").fill(PASSWORD);
  await opened.page.getByRole("button", { name: "Continue" }).click();
  await opened.page.getByRole("heading", { level: 1 }).filter({ hasNotText: "Welcome" }).waitFor();
  return opened;
}
