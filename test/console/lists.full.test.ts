import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { goTo, openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

describe.skipIf(!browser)("the lists of the console", () => {
  let upstream: MockUpstream;
  let gateway: RunningGateway;
  let operator: Visit;
  let page: Page;

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-fast-chat": () => Response.json(completion()) });
    gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["fast-chat"]) });
    operator = await visitAs(browser!, gateway, null);
    page = operator.page;
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await upstream?.stop();
  });

  const dialog = (): Locator => page.getByRole("dialog");

  /** Waits until a list has rows with these names. */
  async function hasRows(list: string, wanted: readonly string[]): Promise<void> {
    const links = page.getByRole("table", { name: list }).locator("tbody a");
    await eventually(
      () => links.allTextContents(),
      (seen) => seen.join() === wanted.join(),
    );
  }

  async function select(...names: readonly string[]): Promise<void> {
    for (const name of names) await page.getByRole("row", { name }).getByLabel(`Select ${name}`).check();
  }

  /** Starts an action on the selected rows and confirms it. */
  async function confirm(action: string, what: string): Promise<void> {
    await page.getByRole("region", { name: "Selected rows" }).getByRole("button", { name: action, exact: true }).click();
    await dialog()
      .getByRole("button", { name: `${action} ${what}` })
      .click();
  }

  /** Changes the limits of two keys, by the labels of the fields. */
  async function changeLimits(typed: Readonly<Record<string, string>>): Promise<void> {
    await dialog().waitFor({ state: "hidden" });
    if ((await page.getByText("2 selected").count()) === 0) await select("Alpha", "beta");
    await page.getByRole("region", { name: "Selected rows" }).getByRole("button", { name: "Change limits" }).click();
    for (const [label, value] of Object.entries(typed)) await dialog().getByLabel(label).fill(value);
    await dialog().getByRole("button", { name: "Change limits of 2 keys" }).click();
  }

  async function doMore(name: string, action: string): Promise<void> {
    await page.getByRole("button", { name: `More actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: action }).click();
    await dialog().getByRole("button", { name: action }).click();
  }

  test("keys are sorted, paused, archived, restored and deleted, with the reasons where some fail", async () => {
    for (const name of ["Alpha", "beta", "gamma"]) await gateway.platform("POST", "/api/keys", { name, models: ["*"] });
    const { key } = await gateway.makeKey(["*"], { name: "called" });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "fast-chat", messages: [{ role: "user", content: "hi" }] });
    await (await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body })).text();
    await goTo(page, "/keys");
    await page.getByText("4 keys").waitFor();
    // The navigation fits a window of 1280 × 800.
    const navigation = page.getByRole("navigation", { name: "Pages" });
    expect(await navigation.evaluate((of) => of.scrollHeight - of.clientHeight)).toBe(0);
    await page.getByRole("columnheader", { name: "Spent, month (UTC)" }).waitFor();
    // On a phone the filters have a separate line, beside the number of keys.
    await page.setViewportSize({ width: 390, height: 800 });
    expect((await page.getByRole("combobox", { name: "State" }).boundingBox())!.width).toBeGreaterThan(100);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Name" }).click();
    await page.waitForURL(/sort=name/);
    await page.getByRole("columnheader", { name: "Name" }).and(page.locator("[aria-sort=ascending]")).waitFor();
    await hasRows("Keys", ["Alpha", "beta", "called", "gamma"]);
    await page.getByRole("button", { name: "Name" }).click();
    await hasRows("Keys", ["gamma", "called", "beta", "Alpha"]);
    // No key has a cap, so there is no column for it.
    expect(await page.getByRole("columnheader", { name: "Monthly cap" }).count()).toBe(0);

    await page.getByLabel("Select all loaded rows").check();
    await confirm("Pause", "4 keys");
    await page.getByText("4 keys paused.").waitFor();
    await eventually(
      () => page.getByRole("cell", { name: "paused" }).count(),
      (paused) => paused === 4,
    );

    await changeLimits({});
    await dialog().getByText("Fill in at least one field.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await changeLimits({ "Requests per minute": "30", "Max concurrent requests": "4", "Per month": "12.5" });
    await page.getByText("2 keys changed.").waitFor();
    await changeLimits({ "Requests per minute": "none" });
    const withoutRate = { requests_per_minute: null, concurrent_requests: 4 };
    const { data: limited } = await eventually(
      () => gateway.platform<{ data: { limits: object; caps: object }[] }>("GET", "/api/keys?sort=name"),
      ({ data }) => data.slice(0, 2).every(({ limits }) => Bun.deepMatch(withoutRate, limits)),
    );
    const changed = { limits: withoutRate, caps: { month: "12.50", day: null } };
    expect(limited).toMatchObject([changed, changed, { caps: { month: null } }, { limits: { concurrent_requests: null } }]);

    await select("called", "gamma");
    await confirm("Delete", "2 keys");
    await dialog().getByText("1 key deleted.").waitFor();
    const failures = dialog().getByRole("list", { name: "Failures" });
    expect(await failures.textContent()).toMatch(/^called.*cannot be removed.*Archive it instead\.$/);
    await dialog().getByRole("button", { name: "Close" }).last().click();
    await page.getByText("3 keys", { exact: true }).waitFor();
    await page.getByText("1 selected").waitFor();
    await confirm("Archive", "1 key");
    await hasRows("Keys", ["beta", "Alpha"]);

    await page.getByLabel("Archived").check();
    await page.waitForURL(/archived=true/);
    await select("called");
    await confirm("Restore", "1 key");
    await page.getByText("No matching keys").waitFor();
    const { data } = await gateway.platform<{ data: { name: string; state: string }[] }>("GET", "/api/keys?sort=name");
    expect(data.map(({ name, state }) => `${name} ${state}`)).toEqual(["Alpha paused", "beta paused", "called paused"]);
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("a key is cloned with its settings, archived, restored and deleted on its page", async () => {
    const settings = { models: ["fast-*"], limits: { requests_per_minute: 60 }, caps: { month: "50.00" } };
    const { id } = await gateway.platform<{ id: string }>("POST", "/api/keys", { name: "template", ...settings });
    await goTo(page, `/keys/${id}`);
    await page.getByRole("button", { name: "More actions for template" }).click();
    await page.getByRole("menuitem", { name: "Clone" }).click();
    expect(await dialog().getByLabel("Name", { exact: true }).inputValue()).toBe("template (copy)");
    await dialog().getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("I've saved this key").check();
    await page.getByRole("button", { name: "Done" }).click();
    const { data } = await gateway.platform<{ data: object[] }>("GET", "/api/keys?search=template+(copy)");
    expect(data).toMatchObject([settings]);

    await doMore("template", "Delete");
    await dialog().getByText("This key is active. Pause, archive or revoke it first.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await doMore("template", "Archive");
    await page.getByText("Restore it to use it again.").waitFor();
    await page.getByRole("button", { name: "Restore" }).click();
    await dialog().getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await doMore("template", "Delete");
    await page.waitForURL(/\/keys$/);
    expect((await gateway.platform<{ data: object[] }>("GET", "/api/keys?search=template")).data.length).toBe(1);
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("a mistyped model is deleted, and a used one is named with the reason", async () => {
    await goTo(page, "/models");
    await page.getByRole("link", { name: "fast-chat" }).click();
    await page.getByRole("button", { name: "More actions for fast-chat" }).click();
    await page.getByRole("menuitem", { name: "Clone" }).click();
    expect(await dialog().getByLabel("ID").inputValue()).toBe("fast-chat-copy");
    await dialog().getByLabel("ID").fill("fats-chat");
    await dialog().getByRole("button", { name: "Create model" }).click();
    await page.getByRole("heading", { level: 1, name: "fats-chat" }).waitFor();
    await doMore("fats-chat", "Archive");
    await dialog().getByText("The model fats-chat is available. Only a retired model can be archived.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();

    await goTo(page, "/models");
    await page.getByLabel("Select all loaded rows").check();
    await confirm("Delete", "2 models");
    await dialog().getByText("1 model deleted.").waitFor();
    await dialog().getByRole("listitem").getByText("fast-chat", { exact: true }).waitFor();
    await dialog().getByRole("button", { name: "Close" }).last().click();
    await hasRows("Models", ["fast-chat"]);
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("accounts are archived, restored and deleted; the credit column is there when an account has no credit", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme" });
    await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "10", reference: "first", reason: "initial credit" });
    await goTo(page, "/accounts?search=acme");
    await hasRows("Accounts", ["acme"]);
    expect(await page.getByRole("columnheader", { name: "Credit" }).count()).toBe(0);
    await gateway.platform("POST", "/api/accounts", { id: "acme-test", name: "Acme, test" });
    await goTo(page, "/accounts?search=acme&sort=available");
    await hasRows("Accounts", ["acme-test", "acme"]);
    await page.getByRole("columnheader", { name: "Credit" }).waitFor();

    await page.getByLabel("Select all loaded rows").check();
    await confirm("Archive", "2 accounts");
    await page.getByText("No matching accounts").waitFor();
    await page.getByLabel("Archived").check();
    await page.getByLabel("Select all loaded rows").check();
    await confirm("Delete", "2 accounts");
    await dialog().getByText("1 account deleted.").waitFor();
    await dialog()
      .getByText(/^The account acme cannot be removed: it has ledger entries/)
      .waitFor();
    await dialog().getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("link", { name: "acme" }).click();
    await page.getByText("Requests with its keys are rejected.").waitFor();
    await doMore("acme", "Restore");
    await page.getByText("Account acme restored.").waitFor();
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("people are disabled, archived and deleted in bulk, except for the operator who does it", async () => {
    const invited = { role: "operator", email: "typo@example.test", name: "Typo" };
    await gateway.platform("POST", "/api/people", invited);
    await goTo(page, "/people?sort=name");
    await hasRows("People", ["Grace Hopper", "Typo"]);
    await page.getByLabel("Select all loaded rows").check();
    await confirm("Archive", "2 people");
    await dialog().getByText("This is you.").waitFor();
    await dialog().getByRole("button", { name: "Close" }).last().click();
    await hasRows("People", ["Grace Hopper"]);
    await page.getByLabel("Archived").check();
    await page.getByRole("link", { name: "Typo" }).click();
    await doMore("Typo", "Delete");
    await page.waitForURL(/\/people$/);
    await hasRows("People", ["Grace Hopper"]);
    expect(operator.complaints).toEqual([]);
  }, 300_000);
});
