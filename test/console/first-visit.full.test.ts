import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { PASSWORD } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { goTo, openBrowser, untilFits, visit, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

const LONG = "a-name-without-any-space-that-is-much-longer-than-a-line-on-a-phone";
const MODELS: Readonly<Record<string, readonly string[]>> = {
  "Bearer right-credential": ["/models/llama-small.gguf", "llama-large"],
  "Bearer of-long-names": [`${LONG}-1`, `${LONG}-2`],
};

/** A self-hosted server that lists its models if the credential is correct. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ headers }) {
    const models = MODELS[headers.get("authorization")!];
    if (!models) return Response.json({ error: { message: "Unauthorized" } }, { status: 401 });
    return Response.json({ object: "list", data: models.map((id) => ({ id })) });
  },
});

describe.skipIf(!browser)("the setup guide", () => {
  let gateway: RunningGateway;
  let operator: Visit;
  beforeAll(async () => {
    gateway = await startGateway();
    operator = await visit(browser as Browser, gateway);
  });
  afterAll(async () => {
    await browser!.close();
    await gateway.stop();
    await provider.stop(true);
  });

  test("leads from the sign-in link to a streamed response, without a provider", async () => {
    const { page } = operator;
    await page.goto(gateway.signInUrl!);
    await page.getByLabel("Email").fill("ada@example.test");
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Get started" }).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("No requests yet").waitFor();
    expect(await page.getByRole("main").getByRole("link", { name: "Get started" }).getAttribute("href")).toBe("/start");
    expect(await page.getByRole("link", { name: "Open playground" }).getAttribute("href")).toBe("/playground");
    await page.goBack();
    await page.getByRole("button", { name: /^Skip: use the echo model/ }).click();

    await page.getByRole("button", { name: "Create key" }).click();
    const key = await page.getByLabel("New key", { exact: true }).textContent();
    expect(key).toStartWith("sk-service-");
    await page.getByRole("button", { name: "Next: make the first call" }).click();
    expect(await page.getByRole("tabpanel", { name: "curl" }).textContent()).toContain(key);
    await page.getByText("Waiting for the first request …").waitFor();

    await page.getByRole("link", { name: "Open playground" }).click();
    expect(await page.getByLabel("Your message").inputValue()).toBe("Say hello, in one sentence.");
    await eventually(
      () => page.getByRole("combobox", { name: "Key" }).inputValue(),
      (name) => name === "my first app",
    );
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("region", { name: "Response from echo" });
    await answer.getByText("complete", { exact: true }).waitFor();
    expect(await answer.getByRole("group", { name: "Response", exact: true }).textContent()).toContain(
      "You said: Say hello, in one sentence.",
    );
    // 5 input words and 16 output words, at one and two dollars per million. The cost is estimated until the receipt arrives.
    const metrics =
      /Time to first token\s+[\d.]+ m?s\s+Duration\s+[\d.]+ m?s\s+Input tokens\s+5\s+Output tokens\s+16[\s\S]+\sCost\s+\$0\.0000370/;
    await eventually(
      () => answer.locator("dl").innerText(),
      (text) => metrics.test(text),
    );
    await answer.getByRole("tab", { name: "Raw" }).click();
    const raw = await answer.getByRole("group", { name: "Raw response" }).textContent();
    expect(raw).toMatch(/^data: \{[\s\S]+data: \[DONE\]\n\n$/);

    await goTo(page, "/start");
    await page.getByText("Make the first call").click();
    await page.getByText("First request received").waitFor();
    await page.getByRole("link", { name: "Close guide" }).waitFor();
    expect(operator.complaints).toEqual([]);
  });

  test("reports a wrong credential, and lists the models after it is replaced", async () => {
    const { page } = operator;
    await goTo(page, "/start");
    await page.getByLabel("Provider").selectOption("vllm");
    await page.getByLabel("Base URL").fill(provider.url.href);
    await page.getByLabel("Credential").fill("wrong-credential");
    await page.getByRole("button", { name: "Create upstream" }).click();
    await page.getByText("Connection test of vllm failed").waitFor();
    await page.getByRole("button", { name: "Replace credential" }).click();
    await page.getByLabel("New credential").fill("right-credential");
    await page.getByRole("button", { name: "Replace and test" }).click();
    await page.getByText("It lists 2 models.").waitFor();
    await page.getByLabel("llama-small").check();
    await page.getByRole("button", { name: "Offer this model" }).click();
    await page.getByRole("button", { name: "Create key" }).waitFor();
    expect(await gateway.platform<object>("GET", "/api/models/llama-small")).toMatchObject({
      routes: [{ upstream: "vllm", model: "/models/llama-small.gguf" }],
      price: { input_per_million: 0 },
    });
    await page.getByRole("button", { name: /^Continue with/ }).click();
    expect(await page.getByRole("tabpanel", { name: "curl" }).textContent()).toContain('"model": "llama-small"');
    expect(operator.complaints).toEqual([]);
  });

  test("fits on a phone, whatever the names", async () => {
    const { page, complaints } = operator;
    await page.setViewportSize({ width: 390, height: 800 });
    const fits = (): Promise<void> => untilFits(page);
    await gateway.platform("POST", "/api/upstreams", { id: LONG, preset: "vllm", base_url: provider.url.href });
    await gateway.platform("POST", "/api/models", { id: `${LONG}-2`, routes: [{ upstream: LONG, model: "m" }], free: true });
    await goTo(page, "/start");
    await page.getByText("Create upstream").first().click();
    await page.getByText(`You already have: ${LONG}`).waitFor();
    await fits();
    await page.getByLabel("Provider").selectOption("vllm");
    await page.getByLabel("ID", { exact: true }).fill(`${LONG}-3`);
    await page.getByLabel("Base URL").fill(provider.url.href);
    await page.getByLabel("Credential").fill("of-long-names");
    await page.getByRole("button", { name: "Create upstream" }).click();
    await page.getByText("It lists 2 models.").waitFor();
    for (const name of [`${LONG}-1`, `${LONG}-2`]) await page.getByLabel(name).check();
    await fits();
    await page.getByRole("button", { name: "Offer 2 models" }).click();
    await page.getByRole("button", { name: `Continue with ${LONG}-1` }).waitFor();
    await fits();
    expect(complaints).toEqual([]);
  });

  test("shows members no operator steps", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme" });
    const { page, complaints } = await visitAs(browser as Browser, gateway, "acme");
    await goTo(page, "/start");
    await page.getByText("Create a key and make a first call.").waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("button", { name: "Next: make the first call" }).click();
    await page.getByRole("link", { name: "Open playground" }).waitFor();
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Create key", "Make the first call"]);
    expect(complaints).toEqual([]);
  });
});
