import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page, Route } from "playwright-core";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";

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
}, 60_000);

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

async function openCreateKey(name: string): Promise<Locator> {
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  return dialog.getByRole("button", { name: "Create key" });
}

describe.skipIf(!browser)("hands that are too quick", () => {
  test("a double click makes one key, and two submits in one moment do too", async () => {
    await (await openCreateKey("twice")).dblclick();
    await keep();
    expect(await keysNamed("twice")).toBe(1);
    await openCreateKey("at-once");
    await dialog.locator("form").evaluate((form: HTMLFormElement) => {
      form.requestSubmit();
      form.requestSubmit();
    });
    await keep();
    expect(await keysNamed("at-once")).toBe(1);
    expect(faults()).toEqual([]);
  }, 60_000);

  test("a double click rotates once: the key as it was works on", async () => {
    const { id, key } = await makeKey("rotated");
    await page.goto(`/keys/${id}`);
    await page.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByRole("button", { name: "Rotate" }).dblclick();
    await keep();
    expect(await works(key)).toBe(true);
    expect(faults()).toEqual([]);
  }, 60_000);

  test("a try after a lost reply makes nothing anew, and says that the key is lost", async () => {
    const create = await openCreateKey("lost");
    const lose = async (route: Route): Promise<void> => {
      await route.fetch();
      await route.abort();
    };
    await page.route("**/api/keys", lose);
    await create.click();
    await dialog.getByText("Tollgate cannot be reached.").waitFor();
    await page.unroute("**/api/keys", lose);
    await create.click();
    await dialog.getByText("Rotate it to get another.").waitFor();
    expect(await keysNamed("lost")).toBe(1);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(faults()).toEqual([]);
  }, 60_000);

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
  }, 60_000);
});
