import { readRates, viewRates } from "../../src/money/limits.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { axeViolations } from "./axe-violations.ts";
import { goTo, openBrowser, untilFits, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const DECLARED = "accounts:\n  - { id: declared, name: From the file, caps: { month: 250 } }";

let upstream: MockUpstream;
let gateway: RunningGateway;
let operator: Visit;

beforeAll(async () => {
  if (!browser) return;
  upstream = startMockUpstream({ "up-fast-chat": () => Response.json(completion()) });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["fast-chat"], DECLARED) });
  operator = await visitAs(browser, gateway, null);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await upstream?.stop();
});

async function callWith(key: string, more: object = {}, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "fast-chat", messages: [{ role: "user", content: "hi" }], ...more }),
  });
  await response.text();
  return response.status;
}

function tagSettings(account: string): Promise<Record<"limits" | "caps", { readonly per_tag: object | null }>> {
  return gateway.platform("GET", `/api/accounts/${account}`);
}

describe.skipIf(!browser)("accounts in the console", () => {
  test("creates an account, grants, spends and adjusts credit, and shows each in the balance and the ledger entries", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/accounts");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("ID", { exact: true }).fill("default");
    await page.getByLabel("Name", { exact: true }).fill("Acme and sons");
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click();
    await page.getByRole("alert").filter({ hasText: "The account default already exists." }).waitFor();
    await page.getByLabel("ID", { exact: true }).fill("acme");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Acme and sons" }).waitFor();
    await page.getByText("Out of credit", { exact: true }).waitFor();
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "shop", models: ["*"], account: "acme" });
    expect(await callWith(key)).toBe(402);

    await page.getByRole("button", { name: "Grant credit" }).click();
    await page.getByLabel("Amount (USD)").fill("12.5");
    await page.getByText("Available: $0.00. After this: $12.50.").waitFor();
    await page.getByLabel("Reason").fill("paid by card");
    expect(await page.getByLabel("Reference").inputValue()).toMatch(/^\d{4}-\d\d-\d\d-[0-9a-f]{8}$/);
    await page.getByLabel("Reference").fill("invoice-1");
    await page.keyboard.press("Enter");
    await page.getByText("Credit granted to acme.").waitFor();
    const entries = page.getByRole("table", { name: "Ledger entries" });
    await entries.getByRole("row", { name: /Grant.*paid by card.*invoice-1.*\+\$12\.50/ }).waitFor();
    await page.getByText("Out of credit", { exact: true }).waitFor({ state: "hidden" });
    expect(await callWith(key)).toBe(200);

    await page.getByRole("button", { name: "Adjust credit" }).click();
    await page.getByLabel("Amount (USD)").fill("-2");
    await page.getByLabel("Reason").fill("entered twice");
    await page.getByLabel("Reference").fill("invoice-1");
    await page.getByRole("button", { name: "Deduct $2.00 from acme" }).click();
    await page.getByRole("alert").filter({ hasText: 'The reference "invoice-1" was already used for a grant' }).waitFor();
    await page.getByLabel("Reference").fill("invoice-1-again");
    await page.getByRole("button", { name: "Deduct $2.00 from acme" }).click();
    await entries.getByRole("row", { name: /Adjustment.*entered twice.*−\$2\.00/ }).waitFor();
    const charge = entries.getByRole("row", { name: /Charge.*fast-chat/ });
    expect(await charge.getByRole("link", { name: "fast-chat" }).getAttribute("href")).toStartWith("/requests/req_");
    await charge.getByRole("link", { name: "shop" }).waitFor();
    // The column of the request ID has the space that the other columns do not need.
    const cell = charge.getByRole("cell").filter({ hasText: "req_" });
    await eventually(
      () => cell.evaluate((of) => of.scrollWidth - of.clientWidth),
      (excess) => excess === 0,
    );
    const { available } = await gateway.platform<{ available: string }>("GET", "/api/accounts/acme");
    await page.getByText("Today (UTC)", { exact: true }).waitFor();
    expect(await page.getByTitle(`$${available}`).first().textContent()).toBe("$10.50");
    expect(complaints).toEqual([]);
  }, 300_000);

  test("hides the credit of an account from the holders of its keys", async () => {
    const { page } = operator;
    await gateway.platform("POST", "/api/accounts", { id: "discreet", name: "Discreet" });
    await goTo(page, "/accounts/discreet");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const box = page.getByLabel("Show credit to key holders");
    expect(await box.isChecked()).toBe(true);
    await box.uncheck();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. Applies from the next request.").waitFor();
    await page.getByText("Hidden", { exact: true }).waitFor();
    expect(await gateway.platform<object>("GET", "/api/accounts/discreet")).toMatchObject({ show_credit: false, name: "Discreet" });
  }, 300_000);

  test("sets, renames and removes limits and spend caps of the values of a tag", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/accounts");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("ID", { exact: true }).fill("teams");
    await page.getByLabel("Name", { exact: true }).fill("Teams");
    const [first, second] = [page.getByRole("group", { name: "Tag 1" }), page.getByRole("group", { name: "Tag 2" })];
    await page.getByRole("button", { name: "Add tag" }).click();
    await first.getByLabel("Tag", { exact: true }).fill("team");
    await first.getByLabel("Requests per minute").fill("60");
    await first.getByLabel("Spend cap per day").fill("5");
    await page.getByRole("button", { name: "Add tag" }).click();
    await second.getByLabel("Tag", { exact: true }).fill("team");
    await second.getByLabel("Spend cap per month").fill("200");
    await page.getByText("This tag is in the list already.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click();
    await second.getByLabel("Tag", { exact: true }).fill("env");
    expect(await axeViolations(page, "[role=dialog]")).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { level: 1, name: "Teams" }).waitFor();
    await page.getByText("60 requests/min, $5.00 per day").waitFor();
    const created = await tagSettings("teams");
    expect([created.limits.per_tag, created.caps.per_tag]).toEqual([
      { team: viewRates(readRates({ requests_per_minute: 60 })) },
      { team: { day: "5.00", month: null }, env: { day: null, month: "200.00" } },
    ]);

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    expect(await first.getByLabel("Requests per minute").inputValue()).toBe("60");
    await first.getByLabel("Tag", { exact: true }).fill("squad");
    await page.getByRole("button", { name: "Remove tag 2" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Each value of squad").waitFor();
    const changed = await tagSettings("teams");
    expect([changed.limits.per_tag, changed.caps.per_tag]).toEqual([
      { squad: viewRates(readRates({ requests_per_minute: 60 })) },
      { squad: { day: "5.00", month: null } },
    ]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test("an account declared in the config file is read-only, but can be granted credit", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/accounts?search=from+the");
    await page.getByRole("link", { name: "declared" }).click();
    await page.getByText("This account is declared in the config file").waitFor();
    await page.getByText("of $250.00").waitFor();
    expect(await page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Turn on" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Grant credit" }).count()).toBe(1);
    expect(complaints).toEqual([]);
  }, 300_000);

  test("a member without credit sees their account and the next step, also on a phone, and no operator actions", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "broke", name: "Nothing left" });
    const { page, complaints } = await visitAs(browser!, gateway, "broke", { viewport: { width: 390, height: 800 } });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await goTo(page, "/accounts");
    await page.getByRole("heading", { level: 1, name: "Nothing left" }).waitFor();
    await page.getByText("Ask an operator for more credit.").waitFor();
    await page.getByText("No entries yet").waitFor();
    await page.getByText("No keys yet").waitFor();
    for (const name of ["Grant credit", "Adjust credit", "Edit", "Turn on"])
      expect([name, await page.getByRole("button", { name, exact: true }).count()]).toEqual([name, 0]);
    expect(asked.filter((path) => path.startsWith("/api/people"))).toEqual([]);
    await untilFits(page);
    await goTo(page, "/accounts/acme");
    await page.getByText("Not found", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test("shows the cost by end user and tag, leads to the requests of one, and exports and erases its data", async () => {
    const { page, complaints } = operator;
    await gateway.platform("POST", "/api/accounts", { id: "product", name: "Product" });
    await gateway.platform("POST", "/api/accounts/product/grants", { amount: "5", reference: "r", reason: "test" });
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "app", models: ["*"], account: "product" });
    for (const user of ["ada", "ada", "grace"]) expect(await callWith(key, { user }, { "x-tollgate-tags": "team=search" })).toBe(200);
    await goTo(page, "/accounts/product");
    const table = page.getByRole("table", { name: "Cost attribution" });
    await table.getByRole("row", { name: /^ada 2 / }).waitFor();
    await page.getByRole("link", { name: "Changes to this account" }).click();
    await page.waitForURL("**/audit?kind=account&id=product");
    await page.getByRole("list", { name: "Changes" }).getByText("granted credit to").waitFor();
    await page.goBack();
    await page.getByLabel("Group by").selectOption("By tag");
    await table.getByRole("row", { name: /^search 3 / }).waitFor();
    await page.getByLabel("Group by").selectOption("By end user");
    await table.getByRole("link", { name: "grace" }).click();
    await page.getByRole("group", { name: "Active filters" }).getByText("grace").waitFor();
    const requests = page.getByRole("table", { name: "Requests" });
    await requests.getByRole("row").nth(1).waitFor();
    expect(await requests.getByRole("row").count()).toBe(2);
    await requests.getByRole("row").nth(1).click();
    await page.getByText("team=search").waitFor();

    await goTo(page, "/accounts/product");
    await table.getByRole("link", { name: "ada" }).click();
    await requests.getByRole("row").nth(2).waitFor();
    await page.goBack();
    const dialog = page.getByRole("dialog");
    await table.getByRole("button", { name: "Data of ada" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Export" }).click()]);
    const lines = (await Bun.file(await file.path()).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: "entry", user: "ada" },
      { type: "entry", user: "ada" },
      { type: "request", user: "ada" },
      { type: "request", user: "ada" },
    ]);
    await dialog.getByRole("button", { name: "Erase" }).click();
    await dialog.getByRole("button", { name: "Erase permanently" }).click();
    await dialog.getByText("4 ledger entries, 0 conversations, 2 logged requests.").waitFor();
    await dialog.getByLabel("End user").fill("erased");
    await dialog.getByRole("button", { name: "Export" }).click();
    await dialog.getByRole("alert").getByText("reports use this name").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await table.getByRole("row", { name: /^erased 2 / }).waitFor();
    expect(await table.getByRole("button", { name: /^Data of/ }).count()).toBe(1);
    // The list from before the erasure is not shown again.
    await page.goForward();
    await page.getByText("No matching requests").waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);
});
