import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import gatewayDocument from "../../openapi/gateway.json" with { type: "json" };
import { ROOT } from "../support/gateway/start-gateway.ts";
import { seedGateway, type SeededGateway } from "./seeded-gateway.ts";
import { openBrowser, visit, visitAs } from "./open-console.ts";

const browser = await openBrowser();

let seeded: SeededGateway;

describe.skipIf(!browser)("the docs and the palette", () => {
  beforeAll(async () => {
    seeded = await seedGateway();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });

  test("the docs are readable without sign-in and list every operation of the OpenAPI document", async () => {
    const { page, complaints } = await visit(browser!, seeded.gateway);
    await page.goto("/docs");
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    for (const path of Object.keys(gatewayDocument.paths))
      await page.getByRole("heading", { level: 2, name: `/v1${path}`, exact: true }).waitFor();
    await page.getByText("max_completion_tokens", { exact: true }).first().waitFor();
    expect(await page.getByRole("link", { name: "Announcements" }).count()).toBe(0);

    await page.getByRole("link", { name: "Platform API" }).click();
    await page.getByLabel("Search operations").fill("a key");
    await page.waitForURL("**/docs/platform?search=a+key");
    await page.getByText("/api/keys/{id}/rotate", { exact: true }).click();
    await page.getByText("Scope: keys:write", { exact: false }).first().waitFor();
    expect(await page.getByText("/api/webhooks", { exact: true }).count()).toBe(0);

    await page.getByRole("link", { name: "Changelog" }).click();
    const [, version] = /^## (.+)$/m.exec(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"))!;
    await page.getByRole("heading", { name: version! }).waitFor();
    await page.goto("/docs/announcements");
    await page.getByText("There is no page at this URL").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);

  test("the palette opens pages, search results and a request by keyboard", async () => {
    const { page, complaints } = await visitAs(browser!, seeded.gateway, null);
    const go = async (text: string, option: RegExp): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Go to" }).fill(text);
      await page.getByRole("option", { name: option }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Go to" }).waitFor({ state: "hidden" });
    };
    await go("audi", /^Audit/);
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    await go("no credit", /^no credit/);
    await page.getByRole("heading", { level: 1, name: "no credit" }).waitFor();
    await go("lovelace", /^Ada Lovelace/);
    await page.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
    await go(seeded.requestId, new RegExp(seeded.requestId));
    await page.waitForURL(`**/requests/${seeded.requestId}`);
    await go("dark theme", /dark/);
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("no such name");
    await page.getByText("No matches.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Go to" }).waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);

  test("the palette offers members only their resources, and requests nothing else", async () => {
    const { page, complaints } = await visitAs(browser!, seeded.gateway, seeded.account);
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: /^Search or go to/ }).click();
    const options = page.getByRole("option");
    await options.first().waitFor();
    expect(await options.filter({ hasText: /^(People|Audit log|Upstreams|Alerts)$/ }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Go to" }).fill("acme");
    await page.getByRole("option", { name: /^acme/ }).waitFor();
    await page.getByRole("combobox", { name: "Go to" }).fill("globex");
    await page.getByText("No matches.").waitFor();
    expect(requested).toContain("/api/keys");
    expect(requested).not.toContain("/api/people");
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);
});
