import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { seedGateway, type SeededGateway } from "./seeded-gateway.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

let seeded: SeededGateway;

/** A signed-in visit at rest on a page without charts. */
async function visitSettings(account: string | null): Promise<Visit> {
  const opened = await visitAs(browser!, seeded.gateway, account);
  await opened.page.goto("/settings");
  await opened.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  return opened;
}

describe.skipIf(!browser)("the palette", () => {
  let operator: Visit;
  beforeAll(async () => {
    seeded = await seedGateway();
    operator = await visitSettings(null);
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });

  test("keeps what is typed while its code is loaded", async () => {
    const { page, complaints } = operator;
    const loading = Promise.withResolvers<void>();
    await page.route("**/assets/*.js", async (route) => {
      await loading.promise;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("audi");
    loading.resolve();
    await page.getByRole("option", { name: /^Audit/ }).waitFor();
    await page.keyboard.type("t");
    expect(await page.getByRole("combobox", { name: "Go to" }).inputValue()).toBe("audit");
    await page.unroute("**/assets/*.js");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
  }, 300_000);

  test("opens pages, search results, a request and the search of the docs by keyboard", async () => {
    const { page, complaints } = operator;
    const dialog = page.getByRole("dialog", { name: "Go to" });
    const opens = async (): Promise<boolean> => {
      await page.keyboard.press("Control+k");
      return dialog.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    };
    // The shortcut toggles the palette: pressed while a page is loading, it may close the palette that was opened before.
    const open = (): Promise<boolean> => eventually(opens, (isOpen) => isOpen);
    const go = async (text: string, option: RegExp): Promise<void> => {
      await open();
      await page.getByRole("combobox", { name: "Go to" }).fill(text);
      // Search results may arrive later, and Enter selects the highlighted option.
      await page.getByRole("option", { name: option }).and(page.locator("[data-highlighted]")).waitFor();
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "hidden" });
    };
    await go("audi", /^Audit/);
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    await go("no credit", /^no credit/);
    await page.getByRole("heading", { level: 1, name: "no credit" }).waitFor();
    await go("lovelace", /^Ada Lovelace/);
    await page.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
    await go(seeded.requestId, new RegExp(seeded.requestId));
    await page.waitForURL(`**/requests/${seeded.requestId}`);
    await page.getByRole("region", { name: `Request ${seeded.requestId}` }).waitFor();
    await go("dark theme", /^Switch to dark/);
    await page.locator("html[data-theme=dark]").waitFor();

    await go("circuit breaker", /^Search the docs for “circuit breaker”/);
    await page.waitForURL("**/docs?search=circuit+breaker");

    await open();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
  }, 300_000);

  test("offers members only their resources, and requests nothing else", async () => {
    const { page, complaints } = await visitSettings(seeded.account);
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: /^Search or go to/ }).click();
    const options = page.getByRole("option");
    await options.first().waitFor();
    expect(await options.filter({ hasText: /^(People|Audit log|Upstreams|Alerts)$/ }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Go to" }).fill("acme");
    await page.getByRole("option", { name: /^acme/ }).waitFor();
    const searched = ["models", "keys", "accounts"].map((kind) =>
      page.waitForResponse((response) => response.url().includes(`/api/${kind}?search=globex`)),
    );
    await page.getByRole("combobox", { name: "Go to" }).fill("globex");
    await Promise.all(searched);
    // Earlier results are shown until the results for the new text arrive.
    await eventually(
      () => options.allTextContents(),
      (names) => names.join() === "Search the docs for “globex”",
    );
    expect(requested).toContain("/api/keys");
    expect(requested).not.toContain("/api/people");
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);
});
