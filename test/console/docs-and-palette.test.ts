import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import gatewayDocument from "../../openapi/gateway.json" with { type: "json" };
import { ROOT } from "../start-gateway.ts";
import { seedGateway, type SeededGateway } from "./seeded-gateway.ts";
import { openBrowser, visit, visitAs } from "./open-console.ts";

const browser = await openBrowser();

let made: SeededGateway;

describe.skipIf(!browser)("the docs and the palette", () => {
  beforeAll(async () => {
    made = await seedGateway();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await made?.stop();
  });

  test("the docs are open to whoever has no place here, as the documents have them", async () => {
    const { page, complaints } = await visit(browser!, made.gateway);
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
    await page.getByText("There is nothing at this address").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);

  test("the palette goes to pages, to what the platform finds and to a request, by keyboard alone", async () => {
    const { page, complaints } = await visitAs(browser!, made.gateway, null);
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
    await go(made.requestId, new RegExp(made.requestId));
    await page.waitForURL(`**/requests/${made.requestId}`);
    await go("dark theme", /dark/);
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("nothing is called so");
    await page.getByText("Nothing matches.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Go to" }).waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);

  test("the palette offers members what is theirs, and asks for nothing else", async () => {
    const { page, complaints } = await visitAs(browser!, made.gateway, made.account);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: /^Go to/ }).click();
    const options = page.getByRole("option");
    await options.first().waitFor();
    expect(await options.filter({ hasText: /^(People|Audit|Upstreams|Alerts)$/ }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Go to" }).fill("acme");
    await page.getByRole("option", { name: /^acme/ }).waitFor();
    await page.getByRole("combobox", { name: "Go to" }).fill("globex");
    await page.getByText("Nothing matches.").waitFor();
    expect(asked).toContain("/api/keys");
    expect(asked).not.toContain("/api/people");
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);
});
