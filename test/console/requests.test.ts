import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { chunk, completion, GOOD_CHUNKS, events, startMockUpstream, TEST_PRICE, type MockUpstream } from "../mock-upstream.ts";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const HOSTILE = "<img src=x onerror=alert(1)>'; echo";

let upstream: MockUpstream;
let gateway: RunningGateway;
let operator: Visit;
let page: Page;
/** Of an account with credit whose prompts are kept, and of one that has nothing. */
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

/** Asks as a caller does, and gives the id of the request. */
async function send(key: string, body: object): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "what's <b>up</b>?" }], ...body }),
  });
  await response.text();
  return response.headers.get("x-request-id")!;
}

/** The same, and waits until the log has it. */
async function ask(key: string, body: object): Promise<string> {
  const id = await send(key, body);
  while ((await gateway.platform<{ data: object[] }>("GET", `/api/requests?request_id=${id}`)).data.length === 0) await Bun.sleep(20);
  return id;
}

/** How often prompts were looked at. */
async function looks(): Promise<number> {
  return (await gateway.platform<{ data: object[] }>("GET", "/api/audit-log?action=request.read_bodies")).data.length;
}

const list = (on = page): Locator => on.getByRole("table", { name: "Requests" });
const rowOf = (id: string, on = page): Locator => on.locator(`[data-row="${id}"]`);
const panel = (on = page): Locator => on.getByRole("region", { name: /^Request req_/ });
const opened = (id: string, on = page): Promise<void> => on.getByRole("region", { name: `Request ${id}` }).waitFor();

describe.skipIf(!browser)("requests in the console", () => {
  test("one is opened from the list, with its attempts, its receipt and the way to ask it again", async () => {
    const id = await ask(rich, { model: "twice", stream: true });
    await page.goto("/requests?model=twice");
    await rowOf(id).getByText("×2").waitFor();
    await rowOf(id).getByRole("link").click();
    await panel().getByText("The answer was streamed to its end. It took 2 attempts.").waitFor();
    const attempts = await panel().getByRole("listitem").allInnerTexts();
    expect(attempts[0]).toMatch(/east bad[^]*failed after [^]*east is out of order/);
    expect(attempts[1]).toMatch(/west good[^]*answered after/);
    const receipt = panel().getByRole("table", { name: "How the cost came about" });
    await receipt.getByText("Charged").waitFor();
    const lines = await receipt.getByRole("row").allInnerTexts();
    expect(lines.map((line) => line.split(/\s*\t\s*/))).toEqual([
      ["Tokens", "Count", "× per million", "= cost"],
      ["Input", "4", "$1.00", "$0.000004"],
      ["Input, cached", "1", "$0.10", "$0.0000001"],
      ["Output", "2", "$2.00", "$0.000004"],
      ["Charged", "7", "$0.0000081"],
    ]);

    await panel().getByRole("button", { name: "Copy as curl" }).click();
    await panel().getByText("Copied").waitFor();
    const curl = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(curl).toStartWith(`curl -N ${gateway.baseUrl}/chat/completions `);
    expect(curl).toMatch(/Bearer \$OPENAI_API_KEY[^]*"model": "twice"[^]*"stream": true/);
    const again = await panel().getByRole("link", { name: "Open in the playground" }).getAttribute("href");
    expect(again).toMatch(new RegExp(`^/playground\\?request=${id}&model=twice&key=\\w+$`));
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/requests/${id}?model=twice`);
  }, 300_000);

  test("prompts are shown by a click that is recorded, and by nothing else", async () => {
    const id = await ask(rich, { model: "plain" });
    await page.goto(`/requests/${id}`);
    await panel().getByText("is recorded in the audit log").waitFor();
    expect(await looks()).toBe(0);
    await panel().getByRole("button", { name: "Show, and record it" }).click();
    await panel().getByLabel("what was asked", { exact: true }).getByText("what's <b>up</b>?").waitFor();
    expect(await looks()).toBe(1);
    await panel().getByRole("button", { name: "Copy as curl" }).click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain(String.raw`what'\''s <b>up</b>?`);
  }, 300_000);

  test("keys go through the list as it is filtered, beyond its first page, and back to the row", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 52; at++) ids.unshift(await send(rich, { model: HOSTILE }));
    await ask(rich, { model: "plain" });
    await page.goto("/requests?code=model_not_allowed");
    await rowOf(ids[0]!).getByText(HOSTILE).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await opened(ids[1]!);
    await panel().getByText("The caller was told: “This key may not call a model").waitFor();
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
    await page.getByRole("textbox", { name: "Request id" }).pressSequentially("jj");
    expect(await page.getByRole("textbox", { name: "Request id" }).inputValue()).toBe("jj");
    expect(new URL(page.url()).pathname).toBe(`/requests/${ids[50]}`);
    await page.getByRole("button", { name: "Remove filter Code model_not_allowed" }).click();
    await page.waitForURL((url) => url.search === "" && url.pathname === `/requests/${ids[50]}`);
  }, 300_000);

  test("a live list has what comes on top, and moves nothing while somebody reads further down", async () => {
    await page.goto("/requests");
    await list().waitFor();
    await page.getByRole("switch", { name: "Live" }).check();
    const first = await ask(rich, { model: "plain" });
    await rowOf(first).waitFor();

    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 600);
    await page.waitForFunction("scrollY > 300");
    const place = await rowOf(first).boundingBox();
    const [second, third] = [await ask(rich, { model: "plain" }), await ask(rich, { model: "plain" })];
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await rowOf(first).boundingBox()).toEqual(place);
    expect(await rowOf(third).count()).toBe(0);
    await page.getByRole("button", { name: "2 new" }).click();
    await rowOf(third).waitFor();
    const shown = await list()
      .locator("[data-row]")
      .evaluateAll((rows) => rows.slice(0, 3).map((row) => row.getAttribute("data-row")));
    expect(shown).toEqual([third, second, first]);

    // Nor under a pointer that is about to click.
    await page.waitForFunction("scrollY === 0");
    await rowOf(third).hover();
    const fourth = await ask(rich, { model: "plain" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await rowOf(fourth).count()).toBe(0);
    await page.mouse.move(0, 0);
    await rowOf(fourth).waitFor();
    await page.getByRole("switch", { name: "Live" }).uncheck();
  }, 300_000);

  test("a live list to which more has come than fits begins anew, also when that is refused at first", async () => {
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
      // As if there were more than was fetched.
      return route.fulfill({ response, json: { ...found, next: found.data.length > 0 ? found.newer : null } });
    });
    await page.getByRole("switch", { name: "Live" }).check();
    const id = await ask(rich, { model: "plain" });
    await rowOf(id).waitFor();
    expect(await rows.count()).toBe(50);
    expect(refusals).toBeGreaterThan(1);
    await page.getByRole("switch", { name: "Live" }).uncheck();
    await page.unroute("**/api/requests?**");
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("a member out of credit sees why, and of others nothing", async () => {
    const others = await ask(rich, { model: "plain" });
    const refused = await ask(poor, { model: "plain", max_tokens: 100 });
    const member = await visitAs(browser!, gateway, "poor");
    await member.page.goto("/requests");
    await rowOf(refused, member.page).getByText("402 refused").waitFor();
    expect(await member.page.locator("[data-row]").count()).toBe(1);
    expect(await list(member.page).getByRole("columnheader").allInnerTexts()).not.toContain("Account");
    await rowOf(refused, member.page).getByRole("link").click();
    await panel(member.page).getByText("Not enough credit").waitFor();
    await panel(member.page).getByText("the account poor has $0.00 of credit left").waitFor();
    await panel(member.page).getByRole("cell", { name: "Credit of the account" }).waitFor();
    expect(await panel(member.page).getByRole("link", { name: "To the account" }).getAttribute("href")).toBe("/accounts/poor");
    await member.page.goto(`/requests/${others}`);
    await member.page.getByText("Not found", { exact: true }).waitFor();
    expect(member.complaints).toEqual([]);
  }, 300_000);

  test("a range of one's own is in the address, and the export has the same filters", async () => {
    await page.goto("/requests?outcome=refused,failed");
    await page.getByLabel("Time", { exact: true }).selectOption("Custom range …");
    await page.getByLabel("From").fill("2020-01-02T03:04");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText("The end must be later").waitFor();
    await page.getByLabel("To", { exact: true }).fill("2020-01-03T00:00");
    await page.keyboard.press("Enter");
    await page.getByText("No request matches").waitFor();
    const { searchParams } = new URL(page.url());
    expect(Date.parse(searchParams.get("to")!) - Date.parse(searchParams.get("from")!)).toBe((20 * 60 + 56) * 60_000);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await list().waitFor();

    await page.goto("/requests?code=insufficient_credits");
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "As JSON lines" }).click()]);
    const lines = (await Bun.file(await file.path()).text()).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { code: string }).code)).toEqual(["insufficient_credits"]);
  }, 300_000);

  test("a log that is off says so", async () => {
    await page.route("**/api/about", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), request_log_days: 0 } });
    });
    await page.goto("/requests?model=nothing");
    await page.getByText("The request log is off").waitFor();
    await page.unroute("**/api/about");
  }, 300_000);

  test("on a phone and in the dark one request takes the place of the list", async () => {
    const id = await ask(poor, { model: "plain", max_tokens: 100 });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto("/requests?code=insufficient_credits");
    await list().waitFor();
    for (const filter of ["Time", "Outcome", "Model"])
      expect((await page.getByRole("combobox", { name: filter }).boundingBox())!.width).toBeGreaterThan(100);
    await rowOf(id).getByRole("link").click();
    await panel().getByRole("table", { name: "What pays for it now" }).waitFor();
    expect(await list().isVisible()).toBe(false);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await panel().getByRole("button", { name: "Close" }).click();
    await list().waitFor();
    expect(operator.complaints).toEqual([]);
  }, 300_000);
});
