import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page, Route } from "playwright-core";
import { PASSWORD } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";
import { WAIT_LIMIT_MS } from "../wait-limit.ts";

const browser = await openBrowser();

let gateway: RunningGateway;
let operator: Visit;
let page: Page;
let dialog: Locator;

beforeAll(async () => {
  if (!browser) return;
  gateway = await startGateway({});
  operator = await visitAs(browser, gateway, null);
  page = operator.page;
  dialog = page.getByRole("dialog");
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** A connection that was cut is in the browser's console too, and is no fault. */
const faults = (): string[] => operator.complaints.filter((text) => !text.includes("ERR_FAILED"));

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

const makeKey = (name: string): Promise<MadeKey> => gateway.platform<MadeKey>("POST", "/api/keys", { name, models: ["*"] });

async function keysNamed(name: string): Promise<number> {
  return (await gateway.platform<{ data: unknown[] }>("GET", `/api/keys?search=${name}`)).data.length;
}

/** Whether the gateway still takes a key. */
async function works(key: string): Promise<boolean> {
  return (await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })).ok;
}

async function keep(): Promise<void> {
  await page.getByLabel("I have kept it").check();
  await page.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
}

interface Held {
  readonly asked: Promise<void>;
  readonly letGo: () => Promise<void>;
}

/** Holds back what is asked for at these addresses until it is let go on, or to where nobody answers. */
async function holdBack(address: string, end: (route: Route) => Promise<void> = (route) => route.continue()): Promise<Held> {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    asked.resolve();
    await held.promise;
    await end(route);
  });
  const letGo = async (): Promise<void> => {
    held.resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
  return { asked: asked.promise, letGo };
}

/** Has it done, and lets no reply come back. */
async function lose(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

async function openCreateKey(name: string): Promise<Locator> {
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  return dialog.getByRole("button", { name: "Create key" });
}

interface SignedIn {
  readonly id: string;
  readonly email: string;
}

async function personOn(on: Page): Promise<SignedIn> {
  return ((await (await on.request.get("/api/me")).json()) as { person: SignedIn }).person;
}

/** Ends every session of somebody at the moment at which they ask for this. */
async function endSessionAt(on: Page, address: string, { id }: SignedIn): Promise<void> {
  const end = async (route: Route): Promise<void> => {
    await gateway.platform("DELETE", `/api/people/${id}/sessions`);
    await route.continue();
  };
  await on.route(address, end, { times: 1 });
}

/** Signs in where the console asks for it. Nothing of the page before shows meanwhile. */
async function signIn(on: Page, { email }: SignedIn): Promise<void> {
  await on.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await on.getByRole("dialog").count()).toBe(0);
  expect(await on.getByRole("navigation").count()).toBe(0);
  await on.getByLabel("Email").fill(email);
  await on.getByLabel("Password").fill(PASSWORD);
  await on.getByRole("button", { name: "Sign in", exact: true }).click();
  await on.getByRole("heading", { name: "Sign in" }).waitFor({ state: "hidden" });
}

describe.skipIf(!browser)("hands that are too quick", () => {
  test("a double click makes one key, and two submits in one moment do too", async () => {
    await (await openCreateKey("twice")).dblclick();
    await keep();
    expect(await keysNamed("twice")).toBe(1);
    await openCreateKey("at-once");
    const form = "document.querySelector('[role=dialog] form')";
    await page.evaluate(`${form}.requestSubmit(); ${form}.requestSubmit()`);
    await keep();
    expect(await keysNamed("at-once")).toBe(1);
    expect(faults()).toEqual([]);
  }, 300_000);

  test("a double click rotates once: the key as it was works on", async () => {
    const { id, key } = await makeKey("rotated");
    await page.goto(`/keys/${id}`);
    await page.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByRole("button", { name: "Rotate" }).dblclick();
    await keep();
    expect(await works(key)).toBe(true);
    expect(faults()).toEqual([]);
  }, 300_000);

  test("a try after a lost reply makes nothing anew, and says that the key is lost", async () => {
    const create = await openCreateKey("lost");
    await page.route("**/api/keys", lose);
    await create.click();
    await dialog.getByText("Tollgate cannot be reached.").waitFor();
    await page.unroute("**/api/keys", lose);
    await create.click();
    await dialog.getByText("Rotate it to get another.").waitFor();
    expect(await keysNamed("lost")).toBe(1);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(faults()).toEqual([]);
  }, 300_000);

  test("a dialog does not outlive the page that it was opened on, and act on another thing", async () => {
    for (const id of ["poor", "rich"]) await gateway.platform("POST", "/api/accounts", { id, name: id });
    await page.goto("/accounts/rich");
    await page.getByRole("heading", { level: 1, name: "rich" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("poor");
    await page.getByRole("option", { name: /poor/ }).click();
    await page.getByRole("heading", { level: 1, name: "poor" }).waitFor();
    await page.getByRole("button", { name: "Grant credit" }).click();
    await dialog.getByLabel("Amount in dollars").fill("5");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "rich" }).waitFor();
    expect(await dialog.count()).toBe(0);
    expect(faults()).toEqual([]);
  }, 300_000);

  test("nothing closes a dialog while its change is under way: neither the secret nor the refusal is lost", async () => {
    const { id, key } = await makeKey("held");
    await page.goto("/keys");
    await page.getByRole("link", { name: "held" }).click();
    await page.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("How long").selectOption("Not at all: it stops at once");
    const rotating = await holdBack("**/rotate");
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await rotating.asked;
    // The focus is not lost meanwhile, and another press does nothing.
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Rotate");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await page.evaluate("history.back()");
    expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    expect(await dialog.getByRole("button", { name: "Close" }).isDisabled()).toBe(true);
    await rotating.letGo();
    const rotated = (await page.getByLabel("The key", { exact: true }).textContent())!;
    expect([await works(key), await works(rotated)]).toEqual([false, true]);
    await keep();
    expect(page.url()).toEndWith(`/keys/${id}`);

    await page.getByRole("button", { name: "Revoke" }).click();
    const revoking = await holdBack(`**/api/keys/${id}`, (route) => route.abort());
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await revoking.asked;
    await page.keyboard.press("Escape");
    await revoking.letGo();
    await dialog.getByText("Tollgate cannot be reached.").waitFor();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("for good. What it has used stays on record.").waitFor();
    await dialog.waitFor({ state: "hidden" });
    expect(faults()).toEqual([]);
  }, 300_000);

  test("the palette finds a page, a model, a key and a request, and Enter goes there", async () => {
    const { id, key } = await makeKey("findable");
    const asked = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hi" }] }),
    });
    const request = asked.headers.get("x-request-id")!;
    await page.goto("/settings");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const goals = [
      ["accounts", "Accounts", "/accounts"],
      ["echo", "echo", "/models/echo"],
      ["findab", "findable", `/keys/${id}`],
      [request, request, `/requests/${request}`],
    ] as const;
    for (const [typed, label, path] of goals) {
      await openPalette(page);
      await page.getByRole("combobox", { name: "Go to" }).fill(typed);
      await enterOption(page, label, path);
      await dialog.waitFor({ state: "hidden" });
    }
    expect(faults()).toEqual([]);
  }, 300_000);

  test("signing out by the palette leaves nothing of whoever it was, also in the docs", async () => {
    const visitor = await visitAs(browser!, gateway, null);
    await visitor.page.goto("/keys");
    await visitor.page.getByRole("link", { name: "findable" }).waitFor();
    await visitor.page.getByRole("link", { name: "Docs" }).click();
    await visitor.page.getByRole("heading", { level: 1 }).waitFor();
    await openPalette(visitor.page);
    await visitor.page.getByRole("combobox", { name: "Go to" }).fill("sign out");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await visitor.page.getByText("Grace Hopper").count()).toBe(0);
    // Nothing that is fetched shows from now on: what shows was kept.
    await visitor.page.route("**/api/keys*", (route) => route.abort());
    await visitor.page.goBack();
    await visitor.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await visitor.page.getByText("findable").count()).toBe(0);
    await visitor.page.context().close();
  }, 300_000);

  test("whoever signs in again after the session has ended finds what was typed, and nobody else does", async () => {
    const other = await visitAs(browser!, gateway, null);
    const stranger = await personOn(other.page);
    await other.page.context().close();
    const visitor = await visitAs(browser!, gateway, null);
    const self = await personOn(visitor.page);
    const opened = visitor.page.getByRole("dialog");

    await visitor.page.goto("/keys");
    await visitor.page.getByRole("button", { name: "Create key" }).first().click();
    await opened.getByLabel("Name", { exact: true }).fill("long thought about");
    await endSessionAt(visitor.page, "**/api/keys", self);
    await opened.getByRole("button", { name: "Create key" }).click();
    await signIn(visitor.page, self);
    expect(await opened.getByLabel("Name", { exact: true }).inputValue()).toBe("long thought about");
    await opened.getByRole("button", { name: "Create key" }).click();
    await opened.getByLabel("The key", { exact: true }).waitFor();
    await opened.getByLabel("I have kept it").check();
    await opened.getByRole("button", { name: "Done" }).click();

    await visitor.page.getByRole("link", { name: "Playground" }).click();
    await visitor.page.getByLabel("Your message").fill("a secret of mine");
    await endSessionAt(visitor.page, "**/chat/completions", self);
    await visitor.page.getByRole("button", { name: "Send" }).click();
    await signIn(visitor.page, stranger);
    await visitor.page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    expect(await visitor.page.content()).not.toContain("a secret of mine");
    expect(visitor.complaints).toEqual([]);
    await visitor.page.context().close();
  }, 300_000);

  test("the focus goes along to the heading of another page, also from the navigation of a phone, which Escape closes", async () => {
    const focused = (): Promise<string | null> => page.evaluate<string | null>("document.activeElement.textContent");
    await page.goto("/keys");
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    expect(await focused()).not.toBe("Keys");
    await page.getByRole("link", { name: "Models" }).press("Enter");
    await page.locator("h1:focus").filter({ hasText: "Models" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("accounts");
    await page.keyboard.press("Enter");
    await page.locator("h1:focus").filter({ hasText: "Accounts" }).waitFor();

    await page.setViewportSize({ width: 390, height: 800 });
    const toggle = page.getByRole("button", { name: "Open the navigation" });
    await toggle.press("Enter");
    await page.getByRole("link", { name: "People" }).press("Escape");
    await page.getByRole("link", { name: "People" }).waitFor({ state: "hidden" });
    expect(await page.evaluate("document.activeElement.title")).toBe("Open the navigation");
    await toggle.press("Enter");
    await page.getByRole("link", { name: "People" }).press("Enter");
    await page.locator("h1:focus").filter({ hasText: "People" }).waitFor();
    expect(faults()).toEqual([]);
  }, 300_000);
});

/** Presses Enter on the highlighted option until the page is there: while results arrive, nothing is highlighted for a moment. */
async function enterOption(on: Page, label: string, path: string): Promise<void> {
  const isThere = (): boolean => new URL(on.url()).pathname === path;
  const highlighted = on.getByRole("option", { name: label }).and(on.locator("[data-highlighted]"));
  for (const deadline = performance.now() + WAIT_LIMIT_MS; !isThere() && performance.now() < deadline;) {
    const isReady = await highlighted.isVisible();
    if (isReady) await on.keyboard.press("Enter");
    for (let look = 0; look < (isReady ? 100 : 1) && !isThere(); look++) await Bun.sleep(50);
  }
  expect(new URL(on.url()).pathname).toBe(path);
}

/** A page that is about to be another hears no keys for a moment. */
async function openPalette(on: Page): Promise<void> {
  const isOpen = (): Promise<boolean> => on.getByRole("combobox", { name: "Go to" }).isVisible();
  for (const deadline = performance.now() + WAIT_LIMIT_MS; !(await isOpen()) && performance.now() < deadline;) {
    await on.keyboard.press("Control+k");
    for (let look = 0; look < 20 && !(await isOpen()); look++) await Bun.sleep(50);
  }
}
