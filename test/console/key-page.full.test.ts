import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page, Request } from "playwright-core";
import { IMAGE_MESSAGE } from "../support/upstreams/mock-upstream.ts";
import { ask, fund, startMoneyUpstream, usageOf, type MoneyUpstream } from "../support/upstreams/money-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { cells } from "../support/long.ts";
import { axeViolations } from "./axe-violations.ts";
import { openBrowser, untilFits, visit, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const PHONE = { width: 390, height: 800 };

async function enter(page: Page, text: string): Promise<void> {
  await page.getByLabel("API key").fill(text);
  await page.getByRole("button", { name: "Show usage" }).click();
}

/** The cells of a table, row by row. */
async function rowsOf(page: Page, label: string): Promise<string[][]> {
  const rows = await page.getByRole("table", { name: label }).locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("td").allInnerTexts()));
}

describe.skipIf(!browser)("the page for holders of keys", () => {
  let upstream: MoneyUpstream;
  let gateway: RunningGateway;
  let visitor: Visit;
  let page: Page;
  let id: string;
  let key: string;

  beforeAll(async () => {
    upstream = startMoneyUpstream();
    gateway = await startGateway({ yaml: upstream.yaml });
    ({ id, key } = await fund(gateway, "acme", "25"));
    await gateway.platform("PATCH", "/api/accounts/acme", { caps: { day: "8" } });
    const changes = { name: "search backend", caps: { month: "5" }, limits: { requests_per_minute: 60 } };
    await gateway.platform("PATCH", `/api/keys/${id}`, changes);
    const other = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "neighbour", account: "acme", models: ["*"] });
    // An image may have this many tokens, and the limit allows the output. Otherwise the counts would be implausible.
    const messages = [{ role: "user", content: usageOf(500_000, 250_000) }, IMAGE_MESSAGE];
    await ask(gateway, key, "counted", "", { messages, max_tokens: 250_000 }, { "x-tollgate-tags": "team=search" });
    await ask(gateway, key, "gratis", usageOf(7, 3));
    await ask(gateway, key, "nowhere", "x");
    await ask(gateway, other.key, "counted", usageOf(1, 1_000_000), { max_tokens: 1_000_000 }, { "x-tollgate-tags": "neighbour=yes" });
    if (!browser) return;
    visitor = await visit(browser, gateway);
    page = visitor.page;
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await upstream?.stop();
  });

  async function open(): Promise<void> {
    await page.goto("/key");
    await enter(page, key);
    await page.getByRole("heading", { level: 1, name: "search backend" }).waitFor();
  }

  test("shows credit, caps, limits, usage, requests and models of the key, and nothing of another one", async () => {
    await open();
    const text = await page.locator("main").innerText();
    expect(text).toContain(`Key ${id}, as of `);
    // $25, less $2 for this key and $2.000001 for the other key: the credit belongs to the account.
    for (const figures of ["$21.00", "$2.00", "2 requests", "750,010", "500K in, 250K out"]) expect(text).toContain(figures);
    const meters = await page.getByRole("meter").evaluateAll((all) => all.map((each) => each.getAttribute("aria-valuetext")));
    expect(meters).toEqual(["$2.00 of $5.00", "$4.00 of $8.00", "2 of 60 used"]);
    const [counted, gratis] = await rowsOf(page, "Usage by model");
    expect([counted, gratis]).toEqual([
      ["counted", "1", "0", "500,000", "250,000", "$2.00", "$2.00"],
      ["gratis", "1", "0", "7", "3", "$0.00", "$0.00"],
    ]);
    expect(await rowsOf(page, "Usage by tag")).toEqual([
      ["team", "search", "1", "0", "500,000", "250,000", "$2.00", "$2.00"],
      ["team", "none", "1", "0", "7", "3", "$0.00", "$0.00"],
    ]);
    const requests = (await rowsOf(page, "Latest requests")).map(([, model, status, tokens]) => [model, status, tokens]);
    expect(requests).toEqual([
      ["nowhere", "model_not_allowed", "–"],
      ["gratis", "200", "10"],
      ["counted", "200", "750,000"],
    ]);
    expect((await rowsOf(page, "Models")).map(([model]) => model)).toContain("counted");
    expect(text).not.toContain("neighbour");
    expect(visitor.complaints).toEqual([]);
  }, 300_000);

  test("sends the key to the gateway alone, in a header, and stores it nowhere", async () => {
    const sent: Request[] = [];
    page.on("request", (request) => sent.push(request));
    await page.goto("/key");
    const input = page.getByLabel("API key");
    expect(await Promise.all(["type", "autocomplete", "name"].map((name) => input.getAttribute(name)))).toEqual(["password", "off", null]);
    const loaded = sent.length;
    await open();
    const refreshed = page.waitForResponse((response) => response.request().method() === "GET" && response.url().endsWith("/v1/models"));
    await page.getByRole("button", { name: "Refresh" }).click();
    await refreshed;
    await page.getByRole("button", { name: "Refresh", disabled: false }).waitFor();
    const calls = sent.slice(loaded).filter((request) => request.method() !== "OPTIONS");
    const headers = await Promise.all(sent.map((request) => request.allHeaders()));
    const carriers = sent.filter((_, at) => JSON.stringify(headers[at]).includes(key)).map((request) => request.url());
    expect(new Set(carriers)).toEqual(new Set([`${gateway.baseUrl}/models`]));
    expect(calls.filter((request) => request.url().includes(key) || request.postData()?.includes(key))).toEqual([]);
    expect(page.url()).toBe(`${gateway.platformUrl}/key`);
    const stored = await page.evaluate<[string, string, string, number]>(
      "indexedDB.databases().then((all) => [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, all.length])",
    );
    expect(stored).toEqual(["{}", "{}", "", 0]);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.content()).not.toContain(key);
    await page.getByRole("button", { name: "Forget key" }).click();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    await page.reload();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
  }, 300_000);

  test("may connect to the gateway's model list and nowhere else, also for somebody who is signed in", async () => {
    const { page: signedIn } = await visitAs(browser!, gateway, null);
    const response = await signedIn.goto("/key");
    expect(response!.headers()["content-security-policy"]).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; connect-src ${gateway.baseUrl}/models; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
    const statusOf = (url: string): Promise<unknown> =>
      signedIn.evaluate(`fetch("${url}").then(({ status }) => status, (error) => error.message)`);
    expect(await statusOf(`${gateway.baseUrl}/models`)).toBe(401);
    for (const url of [`${gateway.platformUrl}/api/me`, `${gateway.baseUrl}/chat/completions`]) {
      expect([url, await statusOf(url)]).toEqual([url, "Failed to fetch"]);
    }
  }, 300_000);

  test("an invalid key learns nothing", async () => {
    const revoked = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", { name: "gone", models: ["*"] });
    await gateway.platform("DELETE", `/api/keys/${revoked.id}`);
    for (const wrong of ["sk-service-wrong", revoked.key, "schlüssel"]) {
      // The page is loaded again, because the message about the previous key stays until there is another message.
      await page.goto("/key");
      await enter(page, wrong);
      await page.getByText("This key is not valid.").waitFor();
      expect(await page.getByRole("heading").allInnerTexts()).toEqual(["Your key"]);
    }
  }, 300_000);

  test("keeps what it shows when a refresh is rejected", async () => {
    const { key: busy } = await fund(gateway, "busy", "1");
    await page.goto("/key");
    await enter(page, busy);
    await page.getByRole("heading", { level: 1, name: "busy" }).waitFor();
    const headers = { authorization: `Bearer ${busy}`, "x-usage": "1" };
    await Promise.all(Array.from({ length: 30 }, () => fetch(`${gateway.baseUrl}/models`, { headers })));
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("alert").getByText("This key has reached its limit of 30 usage reports per minute.").waitFor();
    expect(await page.getByText("No usage this month").isVisible()).toBe(true);
  }, 300_000);

  test("shows limits and spend caps of each end user and tag, and names dry runs", async () => {
    const { id: limited, key: own } = await fund(gateway, "parts", "1");
    const caps = { per_user: { day: "0.10", month: "2" }, per_tag: { team: { day: "5" } } };
    await gateway.platform("PATCH", `/api/keys/${limited}`, {
      limits: { per_user: { requests_per_minute: 20, concurrent_requests: 2 } },
      caps,
    });
    await gateway.platform("PATCH", "/api/accounts/parts", { limits: { concurrent_requests: 9 }, caps: { per_user: { day: "0.30" } } });
    const headers = { authorization: `Bearer ${own}`, "content-type": "application/json", "x-dry-run": "1" };
    const body = JSON.stringify({ model: "counted", messages: [{ role: "user", content: "x" }] });
    await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
    await page.goto("/key");
    await enter(page, own);
    await page.getByRole("heading", { level: 1, name: "parts" }).waitFor();
    const text = (await page.locator("main").innerText()).replaceAll("\n", " ");
    for (const shown of [
      "Per end user, this key $0.10 a day, $2.00 a month",
      "Per value of team, this key $5.00 a day",
      "Per end user, whole account $0.30 a day",
      "Requests per minute 20 per end user",
      "Tokens per minute No limit",
      "Max concurrent requests 9; 2 per end user",
    ])
      expect(text).toContain(shown);
    expect((await rowsOf(page, "Latest requests")).map(([, model, status]) => [model, status])).toEqual([["counted", "dry run"]]);
    expect(await axeViolations(page)).toEqual([]);
  }, 300_000);

  test("does not show the credit of an account that hides it", async () => {
    const { key: hidden } = await fund(gateway, "hidden", "77.77");
    await gateway.platform("PATCH", "/api/accounts/hidden", { show_credit: false, caps: { day: "66.66" } });
    await page.goto("/key");
    await enter(page, hidden);
    await page.getByText("Not shown").waitFor();
    expect(await page.content()).not.toMatch(/77\.77|66\.66/);
  }, 300_000);

  test("axe finds no violations in either theme, and it fits a phone", async () => {
    const desk = { width: 1280, height: 800 };
    for (const [colorScheme, viewport] of cells(["light", "dark"] as const, [PHONE, desk])) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await open();
      expect([colorScheme, ...(await axeViolations(page))]).toEqual([colorScheme]);
      await untilFits(page);
    }
    await page.goto("/key");
    await enter(page, "sk-service-wrong");
    await page.getByRole("alert").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  }, 300_000);

  test("the sign-in page links to it", async () => {
    await page.goto("/");
    await page.getByRole("link", { name: "see its usage" }).click();
    await page.getByRole("heading", { level: 1, name: "Your key" }).waitFor();
  }, 300_000);

  test("says that the gateway cannot be reached, also where its proxy lets no other origin read it", async () => {
    const proxy = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ object: "list", data: [] }) });
    const url = `http://127.0.0.1:${proxy.port}`;
    const published = await startGateway({ env: { TOLLGATE_GATEWAY_URL: url } });
    try {
      for (const stop of [() => undefined, () => proxy.stop(true)]) {
        await stop();
        await page.goto(`${published.platformUrl}/key`);
        await enter(page, key);
        await page.getByText(`The gateway at ${url}/v1 cannot be reached from this browser.`).waitFor();
      }
    } finally {
      await published.stop();
      await proxy.stop(true);
    }
  }, 300_000);
});
