import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import gatewayDocument from "../../openapi/gateway.json" with { type: "json" };
import { eventually } from "../support/eventually.ts";
import { ROOT, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { axeViolations } from "./axe-violations.ts";
import { goTo, openBrowser, visit, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

let gateway: RunningGateway;

const searchBox = (page: Page): ReturnType<Page["getByRole"]> => page.getByRole("searchbox", { name: "Search the docs" });
const heading = (page: Page, level: number, name: string): ReturnType<Page["getByRole"]> =>
  page.getByRole("heading", { level, name, exact: true });

/** Waits until an element is at the top of the window, where a link to it scrolls. */
async function atTop(page: Page, id: string): Promise<void> {
  await eventually(
    () => page.evaluate<number>(`document.getElementById("${id}")?.getBoundingClientRect().top ?? -1`),
    (top) => top >= 0 && top < 100,
  );
}

/** Waits until the search box has this text, which it reads from the URL. */
async function hasTyped(page: Page, text: string): Promise<void> {
  await eventually(
    () => searchBox(page).inputValue(),
    (typed) => typed === text,
  );
}

describe.skipIf(!browser)("the documentation in the console", () => {
  let operator: Visit;
  beforeAll(async () => {
    gateway = await startGateway();
    operator = await visitAs(browser!, gateway, null, { permissions: ["clipboard-read", "clipboard-write"] });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  test("is readable without sign-in: pages, links with anchors, the API reference and the changelog", async () => {
    const { page, complaints } = await visit(browser!, gateway);
    await page.goto("/docs");
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Routing: failover", exact: true }).click();
    await page.waitForURL("**/docs/routing#failover");
    await heading(page, 1, "Routing").waitFor();
    await atTop(page, "failover");

    await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Public API (OpenAPI)" }).click();
    for (const path of Object.keys(gatewayDocument.paths)) await heading(page, 2, `/v1${path}`).waitFor();
    await page.getByText("max_completion_tokens", { exact: true }).first().waitFor();
    await page.getByText('"model": "your-model"').waitFor();
    expect(await page.getByRole("link", { name: "Announcements" }).count()).toBe(0);

    await page.getByRole("link", { name: "Platform API (OpenAPI)" }).click();
    await page.getByLabel("Search operations").fill("a key");
    await page.waitForURL("**/docs/openapi/platform?search=a+key");
    await page.getByText("/api/keys/{id}/rotate", { exact: true }).click();
    await page.getByText("Scope: keys:write", { exact: false }).first().waitFor();
    await page.getByText("/api/webhooks", { exact: true }).first().waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Changelog" }).click();
    const [, version] = /^## (.+)$/m.exec(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"))!;
    await heading(page, 2, version!).waitFor();
    for (const missing of ["announcements", "none-such", "a/b"]) {
      await goTo(page, `/docs/${missing}`);
      await page.getByText("There is no page at this URL").waitFor();
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);

  test("is searched by keyboard, loads the index when it is searched, and asks no other host", async () => {
    const { page, complaints } = operator;
    const requested: URL[] = [];
    page.on("request", (request) => requested.push(new URL(request.url())));
    await page.goto("/docs/storage");
    await heading(page, 1, "Storage").waitFor();
    const hasIndex = (): boolean => requested.some(({ pathname }) => pathname.startsWith("/assets/docs-search-"));
    expect(hasIndex()).toBe(false);

    await page.keyboard.press("/");
    await page.keyboard.type("circuit break");
    await page.waitForURL("**/docs?search=circuit+break");
    const results = page.getByRole("list", { name: "Search results" }).getByRole("link");
    await results.first().waitFor();
    expect(hasIndex()).toBe(true);
    // The results follow the URL.
    await eventually(
      () => results.first().textContent(),
      (text) => text === "Circuit breaker",
    );
    expect(await axeViolations(page)).toEqual([]);

    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe((await results.nth(1).textContent())!);
    await searchBox(page).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/routing#circuit-breaker");
    await atTop(page, "circuit-breaker");
    await hasTyped(page, "");
    await page.goBack();
    await results.first().waitFor();
    await hasTyped(page, "circuit break");

    await searchBox(page).fill("zebra");
    await page.getByText("No matches").waitFor();
    await page.keyboard.press("Escape");
    await heading(page, 1, "Docs").waitFor();
    expect([...new Set(requested.filter(({ protocol }) => protocol !== "data:").map(({ origin }) => origin))]).toEqual([
      gateway.platformUrl,
    ]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test("explains the pages of the console, and its code can be copied", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/alerts");
    await page.getByRole("link", { name: "Documentation of this page" }).click();
    await page.waitForURL("**/docs/alerts");
    await page.getByRole("button", { name: "Copy Example, Verify the signature" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toStartWith("import base64, hashlib, hmac, json, time\n");
    expect(complaints).toEqual([]);
  }, 300_000);

  test("its first call has a model that the person may call", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme" });
    const route = { upstream: "echo", model: "echo" };
    await gateway.platform("POST", "/api/models", {
      id: "for-acme",
      routes: [route],
      price: { input_per_million: 1, output_per_million: 1 },
    });
    await gateway.platform("POST", "/api/keys", { name: "theirs", account: "acme", models: ["for-acme"] });
    const { page, complaints } = await visitAs(browser!, gateway, "acme");
    await page.goto("/docs/openapi/gateway");
    await page.getByText('"model": "for-acme"').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 300_000);

  test("works under a path", async () => {
    const under = await startGateway({ env: { TOLLGATE_PLATFORM_URL: "http://127.0.0.1:1/tools" } });
    try {
      const { page, complaints } = await visit(browser!, under);
      await page.goto("/tools/docs/models");
      await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Routing", exact: true }).click();
      await page.waitForURL("**/tools/docs/routing");
      await heading(page, 2, "Failover").waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await under.stop();
    }
  }, 300_000);
});
