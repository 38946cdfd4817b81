import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { goTo, lookAgain, openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser: Browser | undefined = await openBrowser();

/** A date in the future. */
const DAY = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

describe.skipIf(!browser)("the models pages", () => {
  let mock: MockUpstream;
  let gateway: RunningGateway;
  let operator: Visit;
  let page: Page;

  beforeAll(async () => {
    mock = startMockUpstream({ any: () => Response.json(completion()) });
    gateway = await startGateway({
      yaml: `
upstreams:
  - { id: mock, dialect: openai, base_url: "${mock.baseUrl}", allow_private: true }
models:
  - { id: of-the-file, routes: [{ upstream: mock, model: any }], free: true }
`,
    });
    const price = { input_per_million: 1000, output_per_million: 1000 };
    for (const id of ["acme/old", "new"])
      await gateway.platform("POST", "/api/models", { id, routes: [{ upstream: "mock", model: "any" }], price });
    const { key } = await gateway.makeKey(["*"], { name: "nightly <b>jobs</b>" });
    await ask(key, "acme/old");
    operator = await visitAs(browser!, gateway, null);
    page = operator.page;
  });

  afterAll(async () => {
    await browser?.close();
    await gateway.stop();
    await mock.stop();
  });

  async function ask(key: string, model: string): Promise<number> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
    await response.text();
    return response.status;
  }

  test("retires a model only after it was deprecated with a replacement", async () => {
    await goTo(page, "/models?search=acme");
    await page.getByRole("link", { name: "acme/old" }).click();
    await page.getByRole("button", { name: "Retire" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("alert").getByText("Deprecate it first").waitFor();
    await dialog.getByRole("button", { name: "Deprecate first" }).click();

    await dialog.getByLabel("Shutdown date").fill(DAY);
    await dialog.getByRole("combobox", { name: "Replacement" }).fill("new");
    await page.getByRole("option", { name: "new" }).click();
    await dialog.getByText("1 request from 1 key.").waitFor();
    await dialog.getByText("None would have been rejected.").waitFor();
    await dialog.getByRole("link", { name: "nightly <b>jobs</b>" }).waitFor();
    await dialog.getByRole("button", { name: "Deprecate acme/old" }).click();
    await page.getByText("Retirement planned for").waitFor();
    await page.getByRole("link", { name: "new", exact: true }).waitFor();

    await page.getByRole("button", { name: "Retire" }).click();
    await dialog.getByText("The announced shutdown date is").waitFor();
    await dialog.getByText("All of them would have been rejected.").waitFor();
    await dialog.getByRole("button", { name: "Retire acme/old" }).click();
    await page.getByText("Requests for this model are rejected permanently.").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).first().waitFor({ state: "detached" });
    expect(await page.getByRole("tablist").evaluate((strip) => strip.scrollHeight - strip.clientHeight)).toBe(0);
    await page.getByRole("tab", { name: "Announcements" }).click();
    await page.getByRole("cell", { name: "The model acme/old was retired. Use new instead." }).waitFor();
    expect((await gateway.platform<{ state: string }>("GET", "/api/models/acme%2Fold")).state).toBe("retired");
    expect(operator.complaints).toEqual([]);
  });

  test("creates a model, examines its route and changes its price after a preview of the impact", async () => {
    await goTo(page, "/models");
    await page.getByRole("button", { name: "Create model" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("ID", { exact: true }).fill("new");
    await dialog.getByRole("combobox", { name: "Upstream", exact: true }).fill("mo");
    await page.getByRole("option", { name: "mock" }).click();
    await dialog.getByLabel("Upstream model").fill("any");
    await dialog.getByLabel("Price", { exact: true }).selectOption("free");
    await dialog.getByRole("button", { name: "Create model" }).click();
    await dialog.getByText("The model new already exists.").waitFor();
    await dialog.getByLabel("ID", { exact: true }).fill("created-here");
    await dialog.getByRole("button", { name: "Create model" }).click();
    await page.getByRole("heading", { level: 1, name: "created-here" }).waitFor();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("Price", { exact: true }).selectOption("set");
    await dialog.getByLabel("Input, $/M", { exact: true }).fill("2.5");
    await dialog.getByLabel("Output, $/M").fill("ten");
    await dialog.getByRole("button", { name: "Preview impact" }).click();
    await dialog
      .getByText(/^Must be a number/)
      .first()
      .waitFor();
    await dialog.getByLabel("Output, $/M").fill("10");
    await dialog.getByRole("button", { name: "Preview impact" }).click();
    await dialog.getByText("No requests in this period are affected.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("tab", { name: "Prices" }).click();
    await page.getByRole("table", { name: "Prices", exact: true }).getByRole("cell", { name: "$10.00" }).first().waitFor();
    await page.getByRole("tab", { name: "Routes" }).click();
    await page.getByRole("button", { name: "Run checks on any at mock" }).click();
    await page.getByText("of 7 passed").waitFor();
    expect(operator.complaints).toEqual([]);
  });

  test("sends only the edited fields, so that a concurrent change is kept", async () => {
    await goTo(page, "/models/created-here");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Context window").fill("32000");
    await gateway.platform("PATCH", "/api/models/created-here", { owned_by: "somebody else" });
    await lookAgain(page, "/api/models/created-here");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { owned_by: owner, context_window: window } = await gateway.platform<{ owned_by: string; context_window: number }>(
      "GET",
      "/api/models/created-here",
    );
    expect([owner, window]).toEqual(["somebody else", 32_000]);
  });

  test("edits the price cap, limits, default parameters and headers of a route, session affinity, response cache, timeouts, parameter rules and fallback models", async () => {
    await goTo(page, "/models/created-here");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Input price cap, $/M").fill("0.2");
    await dialog.getByLabel("Output price cap, $/M").fill("cheap");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("Must be a number").waitFor();
    await dialog.getByLabel("Output price cap, $/M").fill("");
    await dialog.getByRole("button", { name: "Add header" }).click();
    const header = dialog.getByRole("group", { name: "Header 1" });
    await header.getByLabel("Name").fill("x-queue");
    await header.getByLabel("Value").fill("canary-of-a-header");
    await dialog.getByLabel("Requests per minute").fill("1200");
    await dialog.getByLabel("Default parameters").fill('{"top_p": 0.5}');
    await dialog.getByText("Request handling").click();
    await dialog.getByLabel("Session affinity").selectOption("Off");
    await dialog.getByLabel("Response cache").fill("an hour");
    await dialog.getByLabel("Price of a cache hit").fill("10");
    await dialog.getByLabel("Total", { exact: true }).fill("90000");
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await dialog.getByLabel("Parameter", { exact: true }).fill("seed");
    await dialog.getByLabel("Handling").selectOption("Rename");
    await dialog.getByLabel("New name").fill("model");
    await dialog.getByLabel("Unknown parameters").selectOption("Reject the request");
    await dialog.getByRole("button", { name: "Add fallback" }).click();
    const fallback = dialog.getByRole("group", { name: "Fallback model 1" });
    await fallback.getByLabel("Model", { exact: true }).fill("created-here");
    await fallback.getByLabel("Prompt too long").check();
    await dialog.getByText("Request handling").click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("Must be an integer").waitFor();
    await dialog.getByLabel("Response cache").fill("3600");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/seed, rename/i)
      .waitFor();
    await dialog.getByLabel("New name").fill("random_seed");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/names the model itself/i)
      .waitFor();
    await fallback.getByLabel("Model", { exact: true }).fill("new");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("TTL 3,600 s, cache hits at 10% of the price").waitFor();
    await page.getByText("renamed to random_seed").waitFor();
    await page.getByText("new: errors, prompt too long").waitFor();
    await page.getByRole("tab", { name: "Routes" }).click();
    const settings = "Rate limits: 1,200 requests/min Price cap, $/M: $0.20 input Default parameters: top_p: 0.5 Headers: x-queue";
    await page.getByRole("cell", { name: settings }).waitFor();
    const { sticky, timeouts, ...model } = await gateway.platform<Record<string, unknown>>("GET", "/api/models/created-here");
    expect(model["routes"]).toMatchObject([
      { max_price: { input_per_million: 0.2, output_per_million: null }, headers: ["x-queue"], excluded: "price_unknown" },
    ]);
    expect(await page.content()).not.toContain("canary-of-a-header");
    expect([sticky, timeouts, model["unknown_parameters"]]).toEqual([false, { total_ms: 90_000 }, "refuse"]);
    expect(model["fallback_models"]).toEqual([{ model: "new", on: ["error", "context_length"] }]);
    expect(operator.complaints).toEqual([]);
  });

  test("shows that a model without a price cannot be called, and sets its price", async () => {
    await goTo(page, "/models");
    await page.getByRole("button", { name: "Create model" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("ID", { exact: true }).fill("priceless");
    await dialog.getByRole("combobox", { name: "Upstream", exact: true }).fill("mo");
    await page.getByRole("option", { name: "mock" }).click();
    await dialog.getByLabel("Upstream model").fill("nobody-knows-its-price");
    await dialog.locator("button[type=submit]").click();
    await page.getByText("priceless was created without a price. It cannot be called yet.").waitFor();
    await page.getByRole("heading", { level: 1 }).getByText("no price").waitFor();
    await goTo(page, "/models?search=priceless");
    await page.getByRole("row", { name: "priceless" }).getByText("no price").waitFor();
    await goTo(page, "/models/priceless?tab=prices");
    await page.getByRole("button", { name: "Set price" }).click();
    await dialog.getByLabel("Input, $/M", { exact: true }).fill("1");
    await dialog.getByLabel("Output, $/M").fill("2");
    await dialog.getByRole("button", { name: "Preview impact" }).click();
    await dialog.getByText("No requests in this period are affected.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("table", { name: "Prices", exact: true }).getByRole("cell", { name: "$2.00" }).first().waitFor();
    await page.getByText("no price").first().waitFor({ state: "detached" });
    expect(operator.complaints).toEqual([]);
  });

  test("shows models of the config file without edit buttons, and names the file", async () => {
    await goTo(page, "/models/of-the-file");
    await page.getByText("declared in the config file").waitFor();
    expect(await page.getByRole("button", { name: /Edit|Deprecate|Retire/ }).count()).toBe(0);
    await goTo(page, "/models/nowhere");
    await page.getByText("Not found", { exact: true }).waitFor();
  });

  test("shows models and prices to members, without routes and upstreams", async () => {
    const member = await visitAs(browser!, gateway, "default");
    await goTo(member.page, "/models/created-here?tab=routes");
    await member.page.getByRole("tab", { name: "Prices" }).waitFor();
    expect(await member.page.getByRole("tab", { name: "Routes" }).count()).toBe(0);
    expect(await member.page.getByRole("button", { name: /Edit|Deprecate|Retire/ }).count()).toBe(0);
    await goTo(member.page, "/upstreams");
    await member.page.getByText("This page is for operators").waitFor();
    expect(member.complaints).toEqual([]);
  });
});
