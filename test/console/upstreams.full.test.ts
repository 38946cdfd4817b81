import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { goTo, lookAgain, openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser: Browser | undefined = await openBrowser();

const FIRST = "sk-first-credential-1111";
const SECOND = "sk-second-credential-2222";

describe.skipIf(!browser)("the upstreams pages", () => {
  let gateway: RunningGateway;
  let operator: Visit;
  let page: Page;
  /** A provider that accepts two credentials and lists a model whose ID is markup. */
  const provider = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const credential = request.headers.get("authorization")?.slice("Bearer ".length);
      if (credential !== FIRST && credential !== SECOND) return Response.json({ error: { message: "Who are you?" } }, { status: 401 });
      return Response.json({ data: [{ id: "plain-model" }, { id: "<img src=x onerror=alert(1)>" }] });
    },
  });

  beforeAll(async () => {
    gateway = await startGateway();
    operator = await visitAs(browser!, gateway, null);
    page = operator.page;
  });

  afterAll(async () => {
    await browser?.close();
    await gateway.stop();
    await provider.stop(true);
  });

  test("creates an upstream from a base URL and a credential, and tests the connection", async () => {
    await goTo(page, "/upstreams");
    await page.getByRole("button", { name: "Create upstream" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Provider").selectOption("Groq");
    expect(await dialog.getByLabel("Base URL").inputValue()).toBe("https://api.groq.com/openai/v1");
    await dialog.getByLabel("Provider").selectOption("Custom server");
    await dialog.getByLabel("ID", { exact: true }).fill("ours");
    await dialog.getByLabel("Base URL").fill(`http://127.0.0.1:${provider.port}/v1`);
    await dialog.getByLabel("Credential").fill(FIRST);
    await dialog.getByRole("button", { name: "Create upstream" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/^Must be https.*“Allow private network addresses”/)
      .waitFor();
    await dialog.getByLabel("private network").check();
    await dialog.getByRole("button", { name: "Create upstream" }).click();
    await dialog.getByText("2 models listed").waitFor();
    await dialog.getByText("<img src=x onerror=alert(1)>").waitFor();
    await dialog.getByRole("button", { name: "Open upstream" }).click();
    await page.getByRole("heading", { level: 1, name: "ours" }).waitFor();
    expect(await page.content()).not.toContain(FIRST);
    expect(operator.complaints).toEqual([]);
  });

  test("creates an upstream with an identity, and edits it", async () => {
    await goTo(page, "/upstreams");
    await page.getByRole("button", { name: "Create upstream" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("ID", { exact: true }).fill("cloud");
    await dialog.getByLabel("Base URL").fill("https://thief.example/v1");
    await dialog.getByLabel("Authentication").selectOption("Identity at AWS");
    await dialog.getByLabel("Region").fill("us-east-1");
    await dialog.getByLabel("Access key ID").fill("too-short");
    await dialog.getByLabel("Secret access key").fill(SECOND);
    await dialog.getByRole("button", { name: "Create upstream" }).click();
    await dialog.getByRole("alert").getByText("Must be an access key ID").waitFor();
    await dialog.getByLabel("Access key ID").fill("AKIAIOSFODNN7EXAMPLE");
    await dialog.getByRole("button", { name: "Create upstream" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/not a host of the cloud/)
      .waitFor();
    await dialog.getByLabel("Base URL").fill("https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1");
    await dialog.getByRole("button", { name: "Create upstream" }).click();
    await dialog.getByRole("button", { name: "Open upstream" }).click();
    await goTo(page, "/upstreams/cloud?tab=credentials");
    await page.getByText("AWS · us-east-1 · AKIAIOSFODNN7EXAMPLE").waitFor();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("Base URL").fill("https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1");
    expect(await dialog.getByLabel("Access key ID").inputValue()).toBe("AKIAIOSFODNN7EXAMPLE");
    expect(await dialog.getByLabel("Secret access key").inputValue()).toBe("");
    await dialog.getByLabel("Region").fill("eu-west-1");
    await dialog.getByLabel("Secret access key").fill(SECOND);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("AWS · eu-west-1 · AKIAIOSFODNN7EXAMPLE").waitFor();
    expect(await page.content()).not.toContain(SECOND);
    expect(operator.complaints).toEqual([]);
  });

  test("creates an upstream with an API version, and clears it", async () => {
    await goTo(page, "/upstreams");
    await page.getByRole("button", { name: "Create upstream" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Base URL").waitFor();
    expect(await dialog.getByLabel("API version").count()).toBe(0);
    await dialog.getByLabel("Provider").selectOption("Azure OpenAI, by deployment");
    await dialog.getByLabel("ID", { exact: true }).fill("azure");
    await dialog.getByLabel("Base URL").fill(`http://127.0.0.1:${provider.port}/openai`);
    await dialog.getByLabel("API version").fill("preview");
    await dialog.getByLabel("Credential").fill(FIRST);
    await dialog.getByLabel("private network").check();
    await dialog.getByRole("button", { name: "Create upstream" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/^Must be a date/)
      .waitFor();
    await dialog.getByLabel("API version").fill("2025-04-01-preview");
    await dialog.getByRole("button", { name: "Create upstream" }).click();
    await dialog.getByRole("button", { name: "Open upstream" }).click();
    await goTo(page, "/upstreams/azure?tab=about");
    await page.getByText("2025-04-01-preview").waitFor();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("API version").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("2025-04-01-preview").waitFor({ state: "detached" });
    expect(operator.complaints).toEqual([]);
  });

  test("replaces a credential after a test, and reports one that the provider rejects", async () => {
    await goTo(page, "/upstreams/ours?tab=credentials");
    await page.getByText("•••• 1111").waitFor();
    await page.getByRole("button", { name: "Replace" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("New credential").fill("sk-a-wrong-one-0000");
    await page.keyboard.press("Enter");
    await dialog.getByText("Its message: Who are you?").waitFor();
    await dialog.getByLabel("New credential").fill(SECOND);
    await dialog.getByRole("button", { name: "Test credential" }).click();
    await dialog.getByText("Connection successful").waitFor();
    await dialog.getByRole("button", { name: "Replace", exact: true }).click();
    await page.getByText("•••• 2222").waitFor();
    await page.getByRole("tab", { name: "Test" }).click();
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText("2 models listed").waitFor();
    expect(operator.complaints).toEqual([]);
  });

  test("adds a second credential, rotates one, and removes one", async () => {
    await goTo(page, "/upstreams/ours?tab=credentials");
    const dialog = page.getByRole("dialog");
    const enter = async (credential: string, action: string): Promise<void> => {
      await dialog.getByLabel("New credential").fill(credential);
      await dialog.getByRole("button", { name: "Test credential" }).click();
      await dialog.getByRole("button", { name: action }).click();
    };
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await enter(SECOND, "Add");
    await dialog.getByRole("alert").getByText("Is already set.").waitFor();
    await enter(FIRST, "Add");
    await page.getByText("•••• 1111", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Rotate 2222" }).click();
    await enter("sk-third-credential-3333", "Rotate anyway");
    await page.getByText("•••• 2222", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("•••• 3333", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove 3333" }).click();
    await dialog.getByText("New requests use •••• 1111.").waitFor();
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("•••• 3333", { exact: true }).waitFor({ state: "detached" });
    const { credentials } = await gateway.platform<{ credentials: object[] }>("GET", "/api/upstreams/ours");
    expect(credentials).toEqual([{ last4: "1111" }]);
    expect(operator.complaints).toEqual([]);
  });

  test("sends only the edited fields, so that a concurrent change is kept", async () => {
    await goTo(page, "/upstreams/ours");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Max concurrent requests").fill("7");
    await dialog.getByLabel("Not streamed", { exact: true }).fill("60000");
    await dialog.getByLabel("Total", { exact: true }).fill("70000");
    await dialog.getByLabel("Unknown parameters").selectOption("Drop");
    await dialog.getByRole("button", { name: "Add header" }).click();
    const header = dialog.getByRole("group", { name: "Header 1" });
    await header.getByLabel("Name").fill("host");
    await header.getByLabel("Value").fill(SECOND);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/set by the gateway/)
      .waitFor();
    await header.getByLabel("Name").fill("x-team");
    await gateway.platform("PATCH", "/api/upstreams/ours", { concurrency: { max_queued: 11 }, timeouts: { connect_ms: 900 } });
    await lookAgain(page, "/api/upstreams/ours");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { concurrency, ...ours } = await gateway.platform<Record<string, unknown>>("GET", "/api/upstreams/ours");
    expect(concurrency).toMatchObject({ max_calls: 7, max_queued: 11 });
    expect(ours).toMatchObject({
      timeouts: { connect_ms: 900, non_streamed_ms: 60_000, total_ms: 70_000 },
      unknown_parameters: "drop",
      headers: ["x-team"],
    });

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    expect([await header.getByLabel("Name").inputValue(), await header.getByLabel("Value").inputValue()]).toEqual(["x-team", ""]);
    expect(await page.content()).not.toContain(SECOND);
    await dialog.getByRole("button", { name: "Remove header 1" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(await gateway.platform<object>("GET", "/api/upstreams/ours")).toMatchObject({ headers: [], unknown_parameters: "drop" });
  });

  test("removes an upstream only when no model has a route to it", async () => {
    const model = { id: "served", routes: [{ upstream: "ours", model: "plain-model" }], free: true };
    await gateway.platform("POST", "/api/models", model);
    await goTo(page, "/upstreams?search=our");
    await page.getByRole("link", { name: "ours" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Remove ours" }).click();
    await dialog.getByText("The upstream ours serves served.").waitFor();
    await gateway.platform("PATCH", "/api/models/served", { routes: [{ upstream: "echo", model: "echo" }] });
    await dialog.getByRole("button", { name: "Remove ours" }).click();
    await page
      .getByText("No upstream matches")
      .or(page.getByRole("table", { name: "Upstreams" }))
      .waitFor();
    await page.getByRole("link", { name: "ours" }).waitFor({ state: "detached" });
    expect(operator.complaints).toEqual([]);
  });
});
