import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { completion, startMockUpstream, type MockUpstream } from "../mock-upstream.ts";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { lookAgain, openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser: Browser | undefined = await openBrowser();

/** A day that is to come for as long as anybody runs this. */
const DAY = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

describe.skipIf(!browser)("the pages of models", () => {
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

  test("a model that is in use is refused to be retired, is deprecated, and is retired then", async () => {
    await page.goto("/models?search=acme");
    await page.getByRole("link", { name: "acme/old" }).click();
    await page.getByRole("button", { name: "Retire" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("alert").getByText("It has to be deprecated").waitFor();
    await dialog.getByRole("button", { name: "Deprecate it first" }).click();

    await dialog.getByLabel("Shutdown date").fill(DAY);
    await dialog.getByRole("combobox", { name: "Replacement" }).fill("new");
    await page.getByRole("option", { name: "new" }).click();
    await dialog.getByText("1 request from 1 key.").waitFor();
    await dialog.getByText("None would have been rejected.").waitFor();
    await dialog.getByRole("link", { name: "nightly <b>jobs</b>" }).waitFor();
    await dialog.getByRole("button", { name: "Deprecate acme/old" }).click();
    await page.getByText("To be retired on").waitFor();
    await page.getByRole("link", { name: "new", exact: true }).waitFor();

    await page.getByRole("button", { name: "Retire" }).click();
    await dialog.getByText("Callers were told that it works until").waitFor();
    await dialog.getByText("All of them would have been rejected.").waitFor();
    await dialog.getByRole("button", { name: "Retire acme/old" }).click();
    await page.getByText("Requests for it are refused, for good.").waitFor();
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    expect(await page.getByRole("tablist").evaluate((strip) => strip.scrollHeight - strip.clientHeight)).toBe(0);
    await page.getByRole("tab", { name: "Announcements" }).click();
    await page.getByRole("cell", { name: "The model acme/old was retired. Use new instead." }).waitFor();
    expect((await gateway.platform<{ state: string }>("GET", "/api/models/acme%2Fold")).state).toBe("retired");
    expect(operator.complaints).toEqual([]);
  });

  test("a model is made with a route that is tried, and its price is changed after a look at what that does", async () => {
    await page.goto("/models");
    await page.getByRole("button", { name: "Create model" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("new");
    await dialog.getByRole("combobox", { name: "Upstream" }).fill("mo");
    await page.getByRole("option", { name: "mock" }).click();
    await dialog.getByLabel("Its name there").fill("any");
    await dialog.getByLabel("Price", { exact: true }).selectOption("free");
    await dialog.getByRole("button", { name: "Create model" }).click();
    await dialog.getByText("There is a model new already.").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("made-here");
    await dialog.getByRole("button", { name: "Create model" }).click();
    await page.getByRole("heading", { level: 1, name: "made-here" }).waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Price", { exact: true }).selectOption("set");
    await dialog.getByLabel("Input, $/M", { exact: true }).fill("2.5");
    await dialog.getByLabel("Output, $/M").fill("ten");
    await dialog.getByRole("button", { name: "Look at what it changes" }).click();
    await dialog
      .getByText(/^Must be a number/)
      .first()
      .waitFor();
    await dialog.getByLabel("Output, $/M").fill("10");
    await dialog.getByRole("button", { name: "Look at what it changes" }).click();
    await dialog.getByText("No requests in this period are affected.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("tab", { name: "Prices" }).click();
    await page.getByRole("table", { name: "Prices", exact: true }).getByRole("cell", { name: "$10.00" }).first().waitFor();
    await page.getByRole("tab", { name: "Routes" }).click();
    await page.getByRole("button", { name: "Examine any at mock" }).click();
    await page.getByText("of 7 passed").waitFor();
    expect(operator.complaints).toEqual([]);
  });

  test("an edit leaves alone what somebody else has changed since it was begun", async () => {
    await page.goto("/models/made-here");
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Context window").fill("32000");
    await gateway.platform("PATCH", "/api/models/made-here", { owned_by: "somebody else" });
    await lookAgain(page, "/api/models/made-here");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { owned_by: owner, context_window: window } = await gateway.platform<{ owned_by: string; context_window: number }>(
      "GET",
      "/api/models/made-here",
    );
    expect([owner, window]).toEqual(["somebody else", 32_000]);
  });

  test("a model that is made without a price says that it cannot be called, and is given one", async () => {
    await page.goto("/models");
    await page.getByRole("button", { name: "Create model" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("priceless");
    await dialog.getByRole("combobox", { name: "Upstream" }).fill("mo");
    await page.getByRole("option", { name: "mock" }).click();
    await dialog.getByLabel("Its name there").fill("nobody-knows-its-price");
    await dialog.locator("button[type=submit]").click();
    await page.getByText("priceless was created, but has no price: it cannot be called yet.").waitFor();
    await page.getByRole("heading", { level: 1 }).getByText("no price").waitFor();
    await page.goto("/models?search=priceless");
    await page.getByRole("row", { name: "priceless" }).getByText("no price").waitFor();
    await page.goto("/models/priceless?tab=prices");
    await page.getByRole("button", { name: "Set a price" }).click();
    await dialog.getByLabel("Input, $/M", { exact: true }).fill("1");
    await dialog.getByLabel("Output, $/M").fill("2");
    await dialog.getByRole("button", { name: "Look at what it changes" }).click();
    await dialog.getByText("No requests in this period are affected.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("table", { name: "Prices", exact: true }).getByRole("cell", { name: "$2.00" }).first().waitFor();
    expect(await page.getByText("no price").count()).toBe(0);
    expect(operator.complaints).toEqual([]);
  });

  test("what the file declares cannot be changed, and says where it can", async () => {
    await page.goto("/models/of-the-file");
    await page.getByText("declared in the config file").waitFor();
    expect(await page.getByRole("button", { name: /Edit|Deprecate|Retire/ }).count()).toBe(0);
    await page.goto("/models/nowhere");
    await page.getByText("Not found", { exact: true }).waitFor();
  });

  test("a member sees models and prices, and nothing of where they are served", async () => {
    const member = await visitAs(browser!, gateway, "default");
    await member.page.goto("/models/made-here?tab=routes");
    await member.page.getByRole("tab", { name: "Prices" }).waitFor();
    expect(await member.page.getByRole("tab", { name: "Routes" }).count()).toBe(0);
    expect(await member.page.getByRole("button", { name: /Edit|Deprecate|Retire/ }).count()).toBe(0);
    await member.page.goto("/upstreams");
    await member.page.getByText("This page is for operators").waitFor();
    expect(member.complaints).toEqual([]);
  });
});
