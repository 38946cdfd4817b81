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
import { eventually, settled } from "../support/eventually.ts";
import { axeViolations } from "./axe-violations.ts";
import { goTo, openBrowser, untilFits, visitAs, type Visit } from "./open-console.ts";

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
  - { id: compared, routes: [{ upstream: west, model: good }], mirror: { upstream: east, model: bad, percent: 100 }, price: ${TEST_PRICE} }
  - { id: twice, routes: [{ upstream: east, model: bad, priority: 1 }, { upstream: west, model: good, priority: 2 }], price: ${TEST_PRICE} }
`;
}

async function keyOf(account: string, more: object): Promise<string> {
  await gateway.platform("POST", "/api/accounts", { id: account, name: account, ...more });
  const made = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: `key of ${account}`, models: ["*"], account });
  return made.key;
}

/** Sends a request with a key and returns its ID. */
async function send(key: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
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
const panelWidth = async (): Promise<number> => Math.round((await panel().boundingBox())!.width);
const opened = (id: string, on = page): Promise<void> => on.getByRole("region", { name: `Request ${id}` }).waitFor();

describe.skipIf(!browser)("the requests page", () => {
  test("opens a request with its attempts, its receipt, curl command and playground link", async () => {
    const id = await sendLogged(rich, { model: "twice", stream: true });
    await goTo(page, "/requests?model=twice");
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

    await panel().getByRole("button", { name: "Copy as" }).click();
    await page.getByRole("menuitem", { name: "curl" }).click();
    await panel().getByText("Copied").waitFor();
    const curl = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(curl).toStartWith(`curl -N ${gateway.baseUrl}/chat/completions `);
    expect(curl).toMatch(/Bearer \$OPENAI_API_KEY[^]*"model": ?"twice"[^]*"stream": ?true/);
    const link = await panel().getByRole("link", { name: "Open in playground" }).getAttribute("href");
    expect(link).toMatch(new RegExp(`^/playground\\?request=${id}&model=twice&key=\\w+$`));
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/requests/${id}?model=twice`);
  }, 300_000);

  test("loads prompts only on a click, and records it in the audit log", async () => {
    const id = await sendLogged(rich, { model: "plain" });
    await goTo(page, `/requests/${id}`);
    await panel().getByText("is recorded in the audit log").waitFor();
    const reads = await bodyReads();
    await panel().getByRole("button", { name: "View prompt and response" }).click();
    await panel().getByRole("list", { name: "Prompt" }).getByText("what's <b>up</b>?").waitFor();
    await panel().getByRole("tab", { name: "JSON" }).click();
    await panel().getByLabel("prompt", { exact: true }).getByText("what's <b>up</b>?").waitFor();
    expect(await bodyReads()).toBe(reads + 1);
    await panel().getByRole("button", { name: "Copy as" }).click();
    await page.getByRole("menuitem", { name: "curl" }).click();
    await panel().getByText("Copied").waitFor();
    expect(await bodyReads()).toBe(reads + 1);
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain(String.raw`what'\''s <b>up</b>?`);
  }, 300_000);

  test("moves through the filtered list by keyboard, across pages, and returns the focus to the row", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 120; at++) ids.unshift(await send(rich, { model: HOSTILE }));
    await sendLogged(rich, { model: "plain" });
    await goTo(page, "/requests?code=model_not_allowed");
    await rowOf(ids[0]!).getByText(HOSTILE).waitFor();
    // At 1280 pixels the model column has the space that the other columns do not need.
    await eventually(
      () =>
        rowOf(ids[0]!)
          .getByTitle(HOSTILE)
          .evaluate((of) => of.scrollWidth - of.clientWidth),
      (excess) => excess === 0,
    );
    await rowOf(ids[0]!)
      .getByLabel(/^Select request of \d\d:\d\d:\d\d, </)
      .waitFor();
    // Rows that are added above "Loading more …" must not move the window to the new end, which would load the next rows.
    const held = Promise.withResolvers<void>();
    await page.route("**/api/requests?**cursor=**", (route) => held.promise.then(() => route.continue()), { times: 1 });
    await page.evaluate("scrollTo(0, 1_000_000)");
    const more = page.getByText("Loading more …");
    await more.waitFor();
    const end = await page.evaluate<number>("scrollY");
    held.resolve();
    await more.waitFor({ state: "detached" });
    expect(await page.evaluate<number>("scrollY")).toBe(end);
    await page.evaluate("scrollTo(0, 0)");

    await rowOf(ids[0]!).waitFor();
    await page.keyboard.press("j");
    await rowOf(ids[0]!).locator("a:focus").waitFor();
    await page.keyboard.press("ArrowDown");
    await rowOf(ids[1]!).locator("a:focus").waitFor();
    await page.keyboard.press("Enter");
    await opened(ids[1]!);
    await panel().getByText("Message to the client: “This key may not call a model").waitFor();
    await page.keyboard.press("k");
    await opened(ids[0]!);
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "hidden" });
    await rowOf(ids[0]!).locator("a:focus").waitFor();

    // Only the visible rows are in the document, and further rows are loaded on the way to the end.
    expect(await list().getAttribute("aria-rowcount")).toBe("121");
    expect(await list().locator("[data-row]").count()).toBeLessThan(80);
    await eventually(
      async () => {
        await page.keyboard.press("End");
        return rowOf(ids[119]!).locator("a:focus").count();
      },
      (focused) => focused === 1,
    );
    expect(await rowOf(ids[119]!).getAttribute("aria-rowindex")).toBe("121");
    expect(await rowOf(ids[119]!).boundingBox()).toMatchObject({ height: 34 });
    // After returning from another page, the loaded rows are at the same position.
    const left = await settled(() => page.evaluate<number>("scrollY"));
    await page.getByRole("link", { name: "Models", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
    await page.goBack();
    await rowOf(ids[119]!).waitFor();
    await eventually(
      () => page.evaluate<number>("scrollY"),
      (top) => top === left,
    );
    await rowOf(ids[119]!).getByRole("link").focus();
    await page.evaluate("scrollTo(0, 0)");
    await rowOf(ids[5]!).waitFor();
    await rowOf(ids[119]!).locator("a:focus").waitFor();
    await page.keyboard.press("ArrowUp");
    await rowOf(ids[118]!).locator("a:focus").waitFor();
    await page.keyboard.press("Enter");
    await opened(ids[118]!);
    await page.keyboard.press("k");
    await opened(ids[117]!);
    expect(new URL(page.url()).search).toBe("?code=model_not_allowed");

    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("textbox", { name: "Request ID" }).pressSequentially("jj");
    expect(await page.getByRole("textbox", { name: "Request ID" }).inputValue()).toBe("jj");
    expect(new URL(page.url()).pathname).toBe(`/requests/${ids[117]}`);
    await page.getByRole("button", { name: "Remove filter Error code model_not_allowed" }).click();
    await page.waitForURL((url) => url.search === "" && url.pathname === `/requests/${ids[117]}`);
  }, 300_000);

  test("prepends new requests live, and moves no row while the list is scrolled or hovered", async () => {
    await goTo(page, "/requests");
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
    await settled(() => page.evaluate<number>("scrollY"));
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

    // Rows under the pointer must not move either.
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
    await goTo(page, "/requests");
    await list().waitFor();
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
      // Simulates that there is another page.
      return route.fulfill({ response, json: { ...found, next: found.data.length > 0 ? found.newer : null } });
    });
    await page.getByRole("switch", { name: "Live" }).check();
    const id = await sendLogged(rich, { model: "plain" });
    await rowOf(id).waitFor();
    expect(refusals).toBeGreaterThan(1);
    await page.getByRole("switch", { name: "Live" }).uncheck();
    await page.unroute("**/api/requests?**");
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("sorts by cost in the URL, counts, filters by amounts, error text and mirrors, and explains a sort that is too large", async () => {
    const [cheap, dear] = [await send(rich, { model: "plain" }), await send(rich, { model: "twice" })];
    await sendLogged(rich, { model: "plain" });
    await goTo(page, "/requests?account=rich&outcome=complete");
    const { count } = await gateway.platform<{ count: number }>("GET", "/api/requests/count?account=rich&outcome=complete");
    await page.getByText(`${count} requests`, { exact: true }).waitFor();
    await list().getByRole("button", { name: "Cost" }).click();
    await page.waitForURL("**sort=cost");
    const cost = list().getByRole("columnheader", { name: "Cost" });
    await list().locator("th[aria-sort=descending]", { hasText: "Cost" }).waitFor();
    await cost.getByRole("button").click();
    await page.waitForURL("**sort=cost&order=lowest");
    expect(await list().getByRole("columnheader", { name: "Time" }).getAttribute("aria-sort")).toBe("none");
    await page.getByRole("switch", { name: "Live" }).check();
    await page.waitForURL((url) => !url.searchParams.has("sort") && url.searchParams.get("live") === "on");
    await page.getByRole("switch", { name: "Live" }).uncheck();

    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByLabel("Min. attempts").fill("two");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Enter a whole number.").waitFor();
    await page.getByLabel("Min. attempts").fill("2");
    await page.getByLabel("Max. cost, $").fill("1.5");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove filter Minimum attempts 2" }).waitFor();
    await page.getByRole("button", { name: "Remove filter Maximum cost $1.50" }).waitFor();
    await rowOf(dear).waitFor();
    await rowOf(cheap).waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Error text" }).fill("OUT of order");
    await page.keyboard.press("Enter");
    await page.waitForURL("**error=OUT+of+order**");
    await rowOf(dear).waitFor();

    const compared = await send(rich, { model: "compared" });
    await eventually(
      () => gateway.platform<{ mirror: object | null }>("GET", `/api/requests/${compared}`),
      ({ mirror }) => mirror !== null,
    );
    await goTo(page, "/requests?account=rich&outcome=complete");
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByLabel("Mirror").selectOption("Different status or finish reason");
    await page.getByRole("button", { name: "Remove filter Mirror different status or finish reason" }).waitFor();
    await rowOf(dear).waitFor({ state: "detached" });
    await rowOf(compared).getByText("mirror differs").waitFor();
    await rowOf(compared).getByRole("link").click();
    await panel().getByRole("heading", { name: "Mirror" }).waitFor();

    await page.route("**/api/requests?**sort=**", (route) =>
      route.fulfill({
        status: 400,
        json: { status: 400, code: "invalid_value", detail: "Choose a shorter time.", param: "sort", request_id: null },
      }),
    );
    await goTo(page, "/requests?sort=duration");
    await page.getByText("Choose a shorter time.").waitFor();
    await page.unroute("**/api/requests?**sort=**");
  }, 300_000);

  test("remembers columns, widths and the panel's width, and copies the IDs of selected requests", async () => {
    const id = await sendLogged(rich, { model: "plain" });
    await goTo(page, "/requests?model=plain");
    await rowOf(id).waitFor();
    const headers = (): Promise<string[]> => list().getByRole("columnheader").allInnerTexts();
    expect(await headers()).not.toContain("Attempts");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Attempts" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Account" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
    const edge = (name: string): Locator => page.getByRole("separator", { name });
    const widthOf = async (name: string): Promise<number> => Number(await edge(`Width of ${name}`).getAttribute("aria-valuenow"));
    const [costWidth, keyWidth] = [await widthOf("Cost"), await widthOf("Key")];
    await edge("Width of Cost").press("ArrowRight");
    await eventually(
      () => widthOf("Cost"),
      (width) => width === costWidth + 16,
    );
    // Waits until the columns no longer move.
    await edge("Width of Key").hover();
    const { x, y } = (await edge("Width of Key").boundingBox())!;
    await page.mouse.move(x + 5, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + 45, y + 10, { steps: 4 });
    await page.mouse.up();
    await eventually(
      () => widthOf("Key"),
      (width) => width === keyWidth + 40,
    );
    await page.reload();
    await rowOf(id).waitFor();
    expect(await headers()).toContain("Attempts");
    expect(await headers()).not.toContain("Account");
    expect([await widthOf("Cost"), await widthOf("Key")]).toEqual([costWidth + 16, keyWidth + 40]);
    expect((await list().getByRole("columnheader", { name: "Key" }).boundingBox())!.width).toBeCloseTo(keyWidth + 40, 0);

    await rowOf(id).getByRole("checkbox").check();
    await page.getByRole("region", { name: "Selected rows" }).getByText("1 selected").waitFor();
    await page.getByRole("button", { name: "Copy request IDs" }).click();
    await eventually(
      () => page.evaluate<string>("navigator.clipboard.readText()"),
      (copied) => copied === id,
    );
    await page.getByRole("button", { name: "Clear selection" }).click();
    // Rows that a filter hides are deselected.
    await rowOf(id).getByRole("checkbox").check();
    await page.getByRole("combobox", { name: "Outcome", exact: true }).selectOption("Succeeded");
    await page.getByRole("region", { name: "Selected rows" }).waitFor({ state: "detached" });
    await page.goBack();
    await rowOf(id).waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitem", { name: "Reset columns and widths" }).click();
    await eventually(headers, (now) => now.includes("Account"));
    // A narrow window has as many columns as fit, and the menu shows which ones.
    await page.setViewportSize({ width: 1024, height: 800 });
    await eventually(headers, (now) => !now.includes("Account"));
    await eventually(
      () => list().evaluate((of) => of.scrollWidth - of.parentElement!.clientWidth),
      (excess) => excess === 0,
    );
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Account", checked: false }).waitFor();
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1280, height: 800 });

    await rowOf(id).getByRole("link").click();
    await opened(id);
    const before = await panelWidth();
    await edge("Width of the request").press("ArrowLeft");
    await eventually(panelWidth, (now) => now === before + 16);
    await edge("Width of the request").press("ArrowLeft");
    await eventually(panelWidth, (now) => now === before + 32);
    await page.reload();
    await opened(id);
    await eventually(panelWidth, (now) => now === before + 32);
    // If the window is too narrow for the stored width, dragging starts at the current edge.
    await page.evaluate("localStorage.setItem('tollgate-request-panel', '1000')");
    await page.reload();
    await opened(id);
    await eventually(panelWidth, (now) => now === 768);
    await edge("Width of the request").press("ArrowRight");
    await eventually(panelWidth, (now) => now === 752);
  }, 300_000);

  test("groups requests by conversation, with their number and cost", async () => {
    const inConversation = { "x-conversation-id": "talk-1" };
    const members = [await send(rich, { model: "plain" }, inConversation), await send(rich, { model: "plain" }, inConversation)];
    const alone = await sendLogged(rich, { model: "plain" });
    await goTo(page, "/requests?model=plain&group=conversation");
    await rowOf(alone).waitFor();
    const head = list().getByRole("button", { name: /^talk-1 2 requests/ });
    await head.getByText("$0.000016").waitFor();
    expect(await rowOf(members[0]!).count()).toBe(0);
    await head.click();
    await rowOf(members[0]!).waitFor();
    await rowOf(members[1]!).getByRole("link").click();
    await opened(members[1]!);
    await page.keyboard.press("k");
    await opened(alone);
    await page.keyboard.press("Escape");
    await page.getByRole("switch", { name: "Group by conversation" }).uncheck();
    await head.waitFor({ state: "detached" });
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("explains a 402 to a member, and hides the requests of other accounts", async () => {
    const others = await sendLogged(rich, { model: "plain" });
    const refused = await sendLogged(poor, { model: "plain", max_tokens: 100 });
    const member = await visitAs(browser!, gateway, "poor");
    await goTo(member.page, "/requests");
    await rowOf(refused, member.page).getByText("402 rejected").waitFor();
    expect(await member.page.locator("[data-row]").count()).toBe(1);
    expect(await list(member.page).getByRole("columnheader").allInnerTexts()).not.toContain("Account");
    await rowOf(refused, member.page).getByRole("link").click();
    await panel(member.page).getByText("Insufficient credit").waitFor();
    await panel(member.page).getByText("the account poor has $0.00 of credit left").waitFor();
    await panel(member.page).getByRole("cell", { name: "Account credit" }).waitFor();
    expect(await panel(member.page).getByRole("link", { name: "Open account" }).getAttribute("href")).toBe("/accounts/poor");
    await goTo(member.page, `/requests/${others}`);
    await member.page.getByText("Not found", { exact: true }).waitFor();
    await member.page.getByText(/^Request ID of this error: req_/).waitFor();
    expect(member.complaints).toEqual([]);
  }, 300_000);

  test("keeps a custom range in the URL, and exports with the same filters", async () => {
    await goTo(page, "/requests?outcome=refused,failed");
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

    await goTo(page, "/requests?code=insufficient_credits");
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "JSON Lines" }).click()]);
    const lines = (await Bun.file(await file.path()).text()).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { code: string }).code)).toEqual(["insufficient_credits"]);
  }, 300_000);

  test("exports in the background with the same filters, also when the page is left", async () => {
    const dialog = page.getByRole("dialog", { name: "Background exports" });
    const row = dialog.getByRole("listitem");
    const openDialog = async (): Promise<void> => {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("menuitem", { name: "In the background…" }).click();
    };
    await sendLogged(poor, { model: "plain", max_tokens: 100 });
    await goTo(page, "/requests?code=insufficient_credits&max_tokens=0");
    await openDialog();
    await dialog.getByText("None yet.").waitFor();
    await dialog.getByText("Error code insufficient_credits, Maximum tokens 0", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Start export" }).click();
    await row.getByText(/^CSV · 0 requests, /).waitFor();

    await goTo(page, "/requests?code=insufficient_credits");
    await openDialog();
    await dialog.getByRole("radio", { name: "JSON Lines" }).check();
    await dialog.getByRole("button", { name: "Start export" }).click();
    await row.nth(1).waitFor();
    await goTo(page, "/models");
    await goTo(page, "/requests");
    await openDialog();
    const newest = row.first();
    await newest.getByText(/^JSON Lines · \d requests?, .* · started /).waitFor();
    const [file] = await Promise.all([page.waitForEvent("download"), newest.getByRole("link", { name: "Download" }).click()]);
    expect(file.suggestedFilename()).toMatch(/^requests-\d{4}-\d\d-\d\d\.jsonl$/);
    const lines = (await Bun.file(await file.path()).text()).trim().split("\n");
    const listed = await gateway.platform<{ data: object[] }>("GET", "/api/requests?code=insufficient_credits&order=oldest");
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(listed.data);

    // Simulates a long export: the test's own export completes at once.
    await page.route("**/api/exports", async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: [object, object] };
      const states = [{ state: "running", rows: 4321, total: 10_000 }, { state: "interrupted" }];
      await route.fulfill({ response, json: { data: data.map((each, at) => ({ ...each, ...states[at] })) } });
    });
    await newest.getByText("4,321 of 10,000 requests").waitFor();
    const progress = newest.getByRole("progressbar", { name: "Progress of the export" });
    expect(await progress.getAttribute("aria-valuenow")).toBe("43");
    await row.last().getByText("Start the export again.").waitFor();
    expect(await axeViolations(page, "[role=dialog]")).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await untilFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    const cancelled = page.waitForResponse((response) => response.url().endsWith("/cancel"));
    await newest.getByRole("button", { name: "Cancel export" }).click();
    expect((await cancelled).status()).toBe(200);
    await page.unrouteAll({ behavior: "wait" });
    await newest.getByText("Done").waitFor();
    for (const left of [1, 0]) {
      await newest.getByRole("button", { name: "Delete export: " }).click();
      await eventually(
        () => row.count(),
        (count) => count === left,
      );
    }
    await dialog.getByText("None yet.").waitFor();
    await page.keyboard.press("Escape");
  }, 300_000);

  test("shows that the request log is off", async () => {
    await page.route("**/api/about", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), request_log_days: 0 } });
    });
    await goTo(page, "/requests?model=nothing");
    await page.getByText("The request log is off").waitFor();
    await page.unroute("**/api/about");
  }, 300_000);

  test("shows an open request instead of the list on a phone, in dark mode", async () => {
    const id = await sendLogged(poor, { model: "plain", max_tokens: 100 });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await goTo(page, "/requests?code=insufficient_credits");
    await list().waitFor();
    for (const filter of ["Time", "Outcome", "Model"])
      expect((await page.getByRole("combobox", { name: filter }).boundingBox())!.width).toBeGreaterThan(100);
    await rowOf(id).getByRole("link").click();
    await panel().getByRole("table", { name: "Credit and spend caps" }).waitFor();
    await list().waitFor({ state: "hidden" });
    await untilFits(page);
    await panel().getByRole("button", { name: "Close" }).click();
    await list().waitFor();
    expect(operator.complaints).toEqual([]);
  }, 300_000);
});
