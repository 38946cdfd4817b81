import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page, Route } from "playwright-core";
import { PASSWORD, Visitor } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { goTo, openBrowser, visitAs, type Visit } from "./open-console.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const browser = await openBrowser();

let gateway: RunningGateway;
let operator: Visit;
let page: Page;
let dialog: Locator;
/** Signed in as another person, whose session expires. */
let visitor: Visit;

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

/** An aborted connection is also logged to the browser's console, and is not a bug. */
const faults = (): string[] => operator.complaints.filter((text) => !text.includes("ERR_FAILED"));

interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

const makeKey = (name: string): Promise<CreatedKey> => gateway.platform<CreatedKey>("POST", "/api/keys", { name, models: ["*"] });

async function keysNamed(name: string): Promise<number> {
  return (await gateway.platform<{ data: unknown[] }>("GET", `/api/keys?search=${name}`)).data.length;
}

/** Whether the gateway accepts a key. */
async function works(key: string): Promise<boolean> {
  return (await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })).ok;
}

async function confirmSaved(): Promise<void> {
  await page.getByLabel("I've saved this key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
}

interface HeldRequest {
  readonly received: Promise<void>;
  readonly release: () => Promise<void>;
}

/** Holds changes at these URLs until released, then continues or aborts them. Reads at these URLs are not held. */
async function holdRequests(address: string, end: (route: Route) => Promise<void> = (route) => route.continue()): Promise<HeldRequest> {
  const received = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() === "GET") return route.continue();
    received.resolve();
    await held.promise;
    return end(route);
  });
  const release = async (): Promise<void> => {
    held.resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
  return { received: received.promise, release };
}

/** Sends the request and drops its response. */
async function dropResponse(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

async function openCreateKey(name: string): Promise<Locator> {
  await goTo(page, "/keys");
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

/** Ends all sessions of a person when they request this URL. */
async function endSessionAt(on: Page, address: string, { id }: SignedIn): Promise<void> {
  const end = async (route: Route): Promise<void> => {
    await gateway.platform("DELETE", `/api/people/${id}/sessions`);
    await route.continue();
  };
  await on.route(address, end, { times: 1 });
}

/** Signs in on the current page. The page behind the sign-in form must not be visible. */
async function signIn(on: Page, { email }: SignedIn): Promise<void> {
  await on.getByRole("heading", { name: "Sign in" }).waitFor();
  await on.getByRole("dialog").first().waitFor({ state: "detached" });
  await on.getByRole("navigation").first().waitFor({ state: "detached" });
  await on.getByLabel("Email").fill(email);
  await on.getByLabel("Password").fill(PASSWORD);
  await on.getByRole("button", { name: "Sign in", exact: true }).click();
  await on.getByRole("heading", { name: "Sign in" }).waitFor({ state: "hidden" });
}

describe.skipIf(!browser)("double clicks, lost responses and the keyboard", () => {
  test("a double click, or two submits at once, create one key", async () => {
    await (await openCreateKey("twice")).dblclick();
    await confirmSaved();
    expect(await keysNamed("twice")).toBe(1);
    await openCreateKey("at-once");
    const form = "document.querySelector('[role=dialog] form')";
    await page.evaluate(`${form}.requestSubmit(); ${form}.requestSubmit()`);
    await confirmSaved();
    expect(await keysNamed("at-once")).toBe(1);
    expect(faults()).toEqual([]);
  }, 300_000);

  test("a double click rotates a key once, so that the old secret keeps working", async () => {
    const { id, key } = await makeKey("rotated");
    await goTo(page, `/keys/${id}`);
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    await dialog.getByRole("button", { name: "Rotate" }).dblclick();
    await confirmSaved();
    expect(await works(key)).toBe(true);
    expect(faults()).toEqual([]);
  }, 300_000);

  test("a retry after a lost response creates no second key and says that the secret is lost", async () => {
    const create = await openCreateKey("lost");
    await page.route("**/api/keys", dropResponse);
    await create.click();
    await dialog.getByText("Tollgate cannot be reached.").waitFor();
    await page.unroute("**/api/keys", dropResponse);
    await create.click();
    await dialog.getByText("Rotate the key to get a new secret.").waitFor();
    expect(await keysNamed("lost")).toBe(1);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(faults()).toEqual([]);
  }, 300_000);

  test("a dialog closes with its page, so that it cannot act on another resource", async () => {
    for (const id of ["poor", "rich"]) await gateway.platform("POST", "/api/accounts", { id, name: id });
    await goTo(page, "/accounts/rich");
    await page.getByRole("heading", { level: 1, name: "rich" }).waitFor();
    await typeInPalette(page, "poor");
    await page.getByRole("option", { name: /^poor/ }).click();
    await page.getByRole("heading", { level: 1, name: "poor" }).waitFor();
    await page.getByRole("button", { name: "Grant credit" }).click();
    await dialog.getByLabel("Amount (USD)").fill("5");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "rich" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(faults()).toEqual([]);
  }, 300_000);

  test("a dialog stays open while its change is in flight, so that neither the secret nor the error is lost", async () => {
    const { id, key } = await makeKey("held");
    await goTo(page, "/keys");
    await page.getByRole("link", { name: "held" }).click();
    await page.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("Grace period").selectOption("None: stop working immediately");
    const rotating = await holdRequests("**/rotate");
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await rotating.received;
    // The button keeps the focus, and another press does nothing.
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Rotate");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await page.evaluate("history.back()");
    expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    expect(await dialog.getByRole("button", { name: "Close" }).isDisabled()).toBe(true);
    await rotating.release();
    const rotated = (await page.getByLabel("New key", { exact: true }).textContent())!;
    expect([await works(key), await works(rotated)]).toEqual([false, true]);
    await confirmSaved();
    // The browser goes back before the router undoes it.
    await page.waitForURL(`**/keys/${id}`);

    await page.getByRole("button", { name: "Revoke" }).click();
    const revoking = await holdRequests(`**/api/keys/${id}`, (route) => route.abort());
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await revoking.received;
    await page.keyboard.press("Escape");
    await revoking.release();
    await dialog.getByText("Tollgate cannot be reached.").waitFor();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("This cannot be undone. Usage history stays available.").waitFor();
    await dialog.waitFor({ state: "hidden" });
    expect(faults()).toEqual([]);
  }, 300_000);

  test("the palette finds a page, a model, a key and a request, and opens it on Enter", async () => {
    const { id, key } = await makeKey("findable");
    const asked = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hi" }] }),
    });
    const request = asked.headers.get("x-request-id")!;
    await goTo(page, "/settings");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const targets = [
      ["accounts", "Accounts", "/accounts"],
      ["echo", "echo", "/models/echo"],
      ["findab", "findable", `/keys/${id}`],
      [request, request, `/requests/${request}`],
    ] as const;
    for (const [typed, label, path] of targets) {
      await typeInPalette(page, typed);
      await enterOption(page, typed, label, async () => pathOf(page) === path);
      expect(pathOf(page)).toBe(path);
      await dialog.waitFor({ state: "hidden" });
    }
    expect(faults()).toEqual([]);
  }, 300_000);

  test("after the session expires, unsaved input is restored for the same person only", async () => {
    visitor = await visitAs(browser!, gateway, null);
    const invited = { email: "stranger@example.test", name: "Stranger", role: "operator" };
    const stranger = await gateway.platform<SignedIn & { invitation: { url: string } }>("POST", "/api/people", invited);
    await new Visitor(gateway.platformUrl).accept(stranger.invitation.url);
    const self = await personOn(visitor.page);
    const opened = visitor.page.getByRole("dialog");

    await goTo(visitor.page, "/keys");
    await visitor.page.getByRole("button", { name: "Create key" }).first().click();
    await opened.getByLabel("Name", { exact: true }).fill("unsaved name");
    await endSessionAt(visitor.page, "**/api/keys", self);
    await opened.getByRole("button", { name: "Create key" }).click();
    await visitor.page.getByText("Your session has expired.").waitFor();
    await signIn(visitor.page, self);
    expect(await opened.getByLabel("Name", { exact: true }).inputValue()).toBe("unsaved name");
    await opened.getByRole("alert").first().waitFor({ state: "detached" });
    await opened.getByRole("button", { name: "Create key" }).click();
    await opened.getByLabel("New key", { exact: true }).waitFor();
    await opened.getByLabel("I've saved this key").check();
    await opened.getByRole("button", { name: "Done" }).click();

    // Likewise, a bulk change does not keep the error of the expired session.
    await visitor.page.locator("tbody").getByRole("checkbox").first().check();
    await visitor.page.getByRole("button", { name: "Pause", exact: true }).click();
    await endSessionAt(visitor.page, "**/api/keys/**", self);
    await opened.getByRole("button", { name: "Pause 1 key" }).click();
    await signIn(visitor.page, self);
    await opened.getByRole("button", { name: "Pause 1 key" }).waitFor();
    await opened.getByRole("alert").first().waitFor({ state: "detached" });
    await opened.getByRole("button", { name: "Pause 1 key" }).click();
    await visitor.page.getByText("1 key paused.").waitFor();

    await visitor.page.getByRole("link", { name: "Playground" }).click();
    await visitor.page.getByLabel("Your message").fill("private message");
    await endSessionAt(visitor.page, "**/chat/completions", self);
    await visitor.page.getByRole("button", { name: "Send" }).click();
    await signIn(visitor.page, stranger);
    await visitor.page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    expect(await visitor.page.content()).not.toContain("private message");
    expect(visitor.complaints).toEqual([]);
  }, 300_000);

  test("signing out in the palette removes all data of the person, also on the docs page", async () => {
    await goTo(visitor.page, "/keys");
    await visitor.page.getByRole("link", { name: "findable" }).waitFor();
    expect(await visitor.page.getByText("Stranger").count()).toBe(1);
    await visitor.page.getByRole("link", { name: "Docs" }).click();
    await visitor.page.getByRole("heading", { level: 1, name: "Docs" }).waitFor();
    await typeInPalette(visitor.page, "sign out");
    const palette = visitor.page.getByRole("dialog", { name: "Go to" });
    await enterOption(visitor.page, "sign out", "Sign out", () => palette.isHidden());
    await visitor.page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await visitor.page.getByText("Stranger").count()).toBe(0);
    // Fetching is blocked from now on: anything shown would come from the cache.
    await visitor.page.route("**/api/keys*", (route) => route.abort());
    await visitor.page.goBack();
    await visitor.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await visitor.page.getByText("findable").count()).toBe(0);
    await visitor.page.context().close();
  }, 300_000);

  test("navigation moves the focus to the page heading, also on a phone, where Escape closes the menu", async () => {
    const focused = (): Promise<string | null> => page.evaluate<string | null>("document.activeElement.textContent");
    await goTo(page, "/keys");
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    expect(await focused()).not.toBe("Keys");
    await page.getByRole("link", { name: "Models" }).press("Enter");
    await page.locator("h1:focus").filter({ hasText: "Models" }).waitFor();
    await typeInPalette(page, "accounts");
    await enterOption(page, "accounts", "Accounts", async () => pathOf(page) === "/accounts");
    await page.locator("h1:focus").filter({ hasText: "Accounts" }).waitFor();

    await page.setViewportSize({ width: 390, height: 800 });
    const toggle = page.getByRole("button", { name: "Open navigation" });
    await toggle.press("Enter");
    await page.getByRole("link", { name: "People" }).press("Escape");
    await page.getByRole("link", { name: "People" }).waitFor({ state: "hidden" });
    await page.locator("button[title='Open navigation']:focus").waitFor();
    await toggle.press("Enter");
    await page.getByRole("link", { name: "People" }).press("Enter");
    await page.locator("h1:focus").filter({ hasText: "People" }).waitFor();
    expect(faults()).toEqual([]);
  }, 300_000);
});

const pathOf = (on: Page): string => new URL(on.url()).pathname;

/**
 * Presses Enter on the highlighted option until the palette has accepted it. While results arrive, nothing is highlighted for a moment. On
 * a stalled machine, the arrow key highlights the option first, and a closed palette is opened again.
 */
async function enterOption(on: Page, typed: string, label: string, isTaken: () => Promise<boolean>): Promise<void> {
  const option = on.getByRole("option", { name: label });
  const highlighted = option.and(on.locator("[data-highlighted]"));
  const search = on.getByRole("combobox", { name: "Go to" });
  for (let tries = 1, deadline = performance.now() + WAIT_LIMIT_MS; !(await isTaken()) && performance.now() < deadline; tries++) {
    const isReady = await highlighted.isVisible();
    if (isReady) await on.keyboard.press("Enter");
    else if (tries % 40 === 0 && (await option.isVisible())) await on.keyboard.press("ArrowDown");
    else if (tries % 40 === 0 && !(await search.isVisible())) {
      await typeInPalette(on, typed);
    }
    for (let look = 0; look < (isReady ? 100 : 1) && !(await isTaken()); look++) await Bun.sleep(50);
  }
}

/** Opens the palette and types. Retries both: during navigation, key presses are ignored for a moment, and an open palette closes. */
async function typeInPalette(on: Page, typed: string): Promise<void> {
  const search = on.getByRole("combobox", { name: "Go to" });
  const fill = (): Promise<boolean> =>
    search.fill(typed, { timeout: 1000 }).then(
      () => true,
      () => false,
    );
  for (const deadline = performance.now() + WAIT_LIMIT_MS; !(await search.isVisible()) || !(await fill());) {
    if (performance.now() > deadline) throw new Error("The palette does not open.");
    await on.keyboard.press("Control+k");
    for (let look = 0; look < 20 && !(await search.isVisible()); look++) await Bun.sleep(50);
  }
}
