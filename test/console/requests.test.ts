import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import {
  chunk,
  completion,
  GOOD_CHUNKS,
  events,
  startMockUpstream,
  TEST_PRICE,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const HOSTILE = "<img src=x onerror=alert(1)>'; echo";

let upstream: MockUpstream;
let gateway: RunningGateway;
let operator: Visit;
let page: Page;
/** Keys of an account with credit and prompt logging, and of an account without credit. */
let [rich, poor] = ["", ""];

beforeAll(async () => {
  if (!browser) return;
  upstream = startMockUpstream({
    good: ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
    bad: () => Response.json({ error: { message: "east is out of order" } }, { status: 500 }),
    cut: () => events([chunk({ role: "assistant", content: "" })]),
  });
  gateway = await startGateway({ yaml: configOf(upstream.baseUrl) });
  rich = await keyOf("rich", { log_bodies: true });
  poor = await keyOf("poor", {});
  await gateway.platform("POST", "/api/accounts/rich/grants", { amount: "10", reference: "first", reason: "paid" });
  operator = await visitAs(browser, gateway, null);
  page = operator.page;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await upstream?.stop();
});

function configOf(baseUrl: string): string {
  const at = `dialect: openai, base_url: "${baseUrl}", allow_private: true, credential: canary`;
  return `upstreams:
  - { id: east, ${at} }
  - { id: west, ${at} }
models:
  - { id: plain, routes: [{ upstream: west, model: good }], price: ${TEST_PRICE} }
  - { id: twice, routes: [{ upstream: east, model: bad, priority: 1 }, { upstream: west, model: good, priority: 2 }], price: ${TEST_PRICE} }
`;
}

async function keyOf(account: string, more: object): Promise<string> {
  await gateway.platform("POST", "/api/accounts", { id: account, name: account, ...more });
  const made = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: `key of ${account}`, models: ["*"], account });
  return made.key;
}

/** Sends a request with a key and returns its ID. */
async function send(key: string, body: object): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "what's <b>up</b>?" }], ...body }),
  });
  await response.text();
  return response.headers.get("x-request-id")!;
}

/** Sends a request and waits until it is in the log. */
async function sendLogged(key: string, body: object): Promise<string> {
  const id = await send(key, body);
  while ((await gateway.platform<{ data: object[] }>("GET", `/api/requests?request_id=${id}`)).data.length === 0) await Bun.sleep(20);
  return id;
}

/** The number of recorded reads of prompts. */
async function bodyReads(): Promise<number> {
  return (await gateway.platform<{ data: object[] }>("GET", "/api/audit-log?action=request.read_bodies")).data.length;
}

const list = (on = page): Locator => on.getByRole("table", { name: "Requests" });
const rowOf = (id: string, on = page): Locator => on.locator(`[data-row="${id}"]`);
const panel = (on = page): Locator => on.getByRole("region", { name: /^Request req_/ });
const opened = (id: string, on = page): Promise<void> => on.getByRole("region", { name: `Request ${id}` }).waitFor();

describe.skipIf(!browser)("the requests page", () => {
  test("opens a request with its attempts, its receipt, curl command and playground link", async () => {
    const id = await sendLogged(rich, { model: "twice", stream: true });
    await page.goto("/requests?model=twice");
    await rowOf(id).getByText("×2").waitFor();
    await rowOf(id).getByRole("link").click();
    await panel().getByText("The response was streamed completely. It took 2 attempts.").waitFor();
    const attempts = await panel().getByRole("listitem").allInnerTexts();
    expect(attempts[0]).toMatch(/east bad[^]*failed after [^]*east is out of order/);
    expect(attempts[1]).toMatch(/west good[^]*succeeded after/);
    const receipt = panel().getByRole("table", { name: "Cost breakdown" });
    await receipt.getByText("Charged").waitFor();
    const lines = await receipt.getByRole("row").allInnerTexts();
    expect(lines.map((line) => line.split(/\s*\t\s*/))).toEqual([
      ["Tokens", "Count", "× per million", "= cost"],
      ["Input", "4", "$1.00", "$0.000004"],
      ["Cached input", "1", "$0.10", "$0.0000001"],
      ["Output", "2", "$2.00", "$0.000004"],
      ["Charged", "7", "$0.0000081"],
    ]);

    await panel().getByRole("button", { name: "Copy as curl" }).click();
    await panel().getByText("Copied").waitFor();
    const curl = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(curl).toStartWith(`curl -N ${gateway.baseUrl}/chat/completions `);
    expect(curl).toMatch(/Bearer \$OPENAI_API_KEY[^]*"model": "twice"[^]*"stream": true/);
    const link = await panel().getByRole("link", { name: "Open in playground" }).getAttribute("href");
    expect(link).toMatch(new RegExp(`^/playground\\?request=${id}&model=twice&key=\\w+$`));
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/requests/${id}?model=twice`);
  }, 300_000);

  test("loads prompts only on a click, and records it in the audit log", async () => {
    const id = await sendLogged(rich, { model: "plain" });
    await page.goto(`/requests/${id}`);
    await panel().getByText("is recorded in the audit log").waitFor();
    expect(await bodyReads()).toBe(0);
    await panel().getByRole("button", { name: "View prompt and response" }).click();
    await panel().getByLabel("prompt", { exact: true }).getByText("what's <b>up</b>?").waitFor();
    expect(await bodyReads()).toBe(1);
    await panel().getByRole("button", { name: "Copy as curl" }).click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain(String.raw`what'\''s <b>up</b>?`);
  }, 300_000);

  test("moves through the filtered list by keyboard, across pages, and returns the focus to the row", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 52; at++) ids.unshift(await send(rich, { model: HOSTILE }));
    await sendLogged(rich, { model: "plain" });
    await page.goto("/requests?code=model_not_allowed");
    await rowOf(ids[0]!).getByText(HOSTILE).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await opened(ids[1]!);
    await panel().getByText("Message to the client: “This key may not call a model").waitFor();
    await page.keyboard.press("k");
    await opened(ids[0]!);
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "hidden" });
    await rowOf(ids[0]!).locator("a:focus").waitFor();

    await rowOf(ids[49]!).getByRole("link").click();
    await opened(ids[49]!);
    expect(await rowOf(ids[50]!).count()).toBe(0);
    await page.keyboard.press("j");
    await opened(ids[50]!);
    expect(new URL(page.url()).search).toBe("?code=model_not_allowed");

    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("textbox", { name: "Request ID" }).pressSequentially("jj");
    expect(await page.getByRole("textbox", { name: "Request ID" }).inputValue()).toBe("jj");
    expect(new URL(page.url()).pathname).toBe(`/requests/${ids[50]}`);
    await page.getByRole("button", { name: "Remove filter Error code model_not_allowed" }).click();
    await page.waitForURL((url) => url.search === "" && url.pathname === `/requests/${ids[50]}`);
  }, 300_000);

  test("prepends new requests live, and moves no row while the list is scrolled or hovered", async () => {
    await page.goto("/requests");
    await list().waitFor();
    await page.getByRole("switch", { name: "Live" }).check();
    const first = await sendLogged(rich, { model: "plain" });
    await rowOf(first).waitFor();

    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 600);
    await eventually(
      () => page.evaluate<number>("scrollY"),
      (top) => top > 300,
    );
    const place = await rowOf(first).boundingBox();
    const [second, third] = [await sendLogged(rich, { model: "plain" }), await sendLogged(rich, { model: "plain" })];
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await rowOf(first).boundingBox()).toEqual(place);
    expect(await rowOf(third).count()).toBe(0);
    await page.getByRole("button", { name: "2 new" }).click();
    await rowOf(third).waitFor();
    const shown = await list()
      .locator("[data-row]")
      .evaluateAll((rows) => rows.slice(0, 3).map((row) => row.getAttribute("data-row")));
    expect(shown).toEqual([third, second, first]);

    // Rows under the pointer do not move either.
    await eventually(
      () => page.evaluate<number>("scrollY"),
      (top) => top === 0,
    );
    await rowOf(third).hover();
    const fourth = await sendLogged(rich, { model: "plain" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await rowOf(fourth).count()).toBe(0);
    await page.mouse.move(0, 0);
    await rowOf(fourth).waitFor();
    await page.getByRole("switch", { name: "Live" }).uncheck();
  }, 300_000);

  test("resets a live list after too many new requests, and retries a failed reset", async () => {
    await page.goto("/requests");
    await page.getByRole("button", { name: "Show more" }).click();
    const rows = list().locator("[data-row]");
    await rows.nth(50).waitFor();
    await page.evaluate("scrollTo(0, 0)");
    let refusals = 0;
    await page.route("**/api/requests?**", async (route) => {
      if (new URL(route.request().url()).searchParams.get("order") !== "oldest") {
        if (refusals++ > 1) return route.continue();
        return route.fulfill({
          status: 429,
          json: { status: 429, code: "overloaded", detail: "Too many.", param: null, request_id: null },
        });
      }
      const response = await route.fetch();
      const found = (await response.json()) as { data: object[]; newer: string };
      // Pretends that there is another page.
      return route.fulfill({ response, json: { ...found, next: found.data.length > 0 ? found.newer : null } });
    });
    await page.getByRole("switch", { name: "Live" }).check();
    const id = await sendLogged(rich, { model: "plain" });
    await rowOf(id).waitFor();
    expect(await rows.count()).toBe(50);
    expect(refusals).toBeGreaterThan(1);
    await page.getByRole("switch", { name: "Live" }).uncheck();
    await page.unroute("**/api/requests?**");
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("explains a 402 to a member, and hides the requests of other accounts", async () => {
    const others = await sendLogged(rich, { model: "plain" });
    const refused = await sendLogged(poor, { model: "plain", max_tokens: 100 });
    const member = await visitAs(browser!, gateway, "poor");
    await member.page.goto("/requests");
    await rowOf(refused, member.page).getByText("402 rejected").waitFor();
    expect(await member.page.locator("[data-row]").count()).toBe(1);
    expect(await list(member.page).getByRole("columnheader").allInnerTexts()).not.toContain("Account");
    await rowOf(refused, member.page).getByRole("link").click();
    await panel(member.page).getByText("Insufficient credit").waitFor();
    await panel(member.page).getByText("the account poor has $0.00 of credit left").waitFor();
    await panel(member.page).getByRole("cell", { name: "Account credit" }).waitFor();
    expect(await panel(member.page).getByRole("link", { name: "Open account" }).getAttribute("href")).toBe("/accounts/poor");
    await member.page.goto(`/requests/${others}`);
    await member.page.getByText("Not found", { exact: true }).waitFor();
    expect(member.complaints).toEqual([]);
  }, 300_000);

  test("keeps a custom range in the URL, and exports with the same filters", async () => {
    await page.goto("/requests?outcome=refused,failed");
    await page.getByLabel("Time", { exact: true }).selectOption("Custom range …");
    await page.getByLabel("From").fill("2020-01-02T03:04");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("The end must be after the start.").waitFor();
    await page.getByLabel("To", { exact: true }).fill("2020-01-03T00:00");
    await page.keyboard.press("Enter");
    await page.getByText("No matching requests").waitFor();
    const { searchParams } = new URL(page.url());
    expect(Date.parse(searchParams.get("to")!) - Date.parse(searchParams.get("from")!)).toBe((20 * 60 + 56) * 60_000);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await list().waitFor();

    await page.goto("/requests?code=insufficient_credits");
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "JSON Lines" }).click()]);
    const lines = (await Bun.file(await file.path()).text()).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { code: string }).code)).toEqual(["insufficient_credits"]);
  }, 300_000);

  test("shows that the request log is off", async () => {
    await page.route("**/api/about", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), request_log_days: 0 } });
    });
    await page.goto("/requests?model=nothing");
    await page.getByText("The request log is off").waitFor();
    await page.unroute("**/api/about");
  }, 300_000);

  test("shows an open request instead of the list on a phone, in dark mode", async () => {
    const id = await sendLogged(poor, { model: "plain", max_tokens: 100 });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto("/requests?code=insufficient_credits");
    await list().waitFor();
    for (const filter of ["Time", "Outcome", "Model"])
      expect((await page.getByRole("combobox", { name: filter }).boundingBox())!.width).toBeGreaterThan(100);
    await rowOf(id).getByRole("link").click();
    await panel().getByRole("table", { name: "Credit and spend caps" }).waitFor();
    expect(await list().isVisible()).toBe(false);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await panel().getByRole("button", { name: "Close" }).click();
    await list().waitFor();
    expect(operator.complaints).toEqual([]);
  }, 300_000);
});
