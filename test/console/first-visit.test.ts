import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startMockUpstream, type MockUpstream } from "../mock-upstream.ts";
import { PASSWORD } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { openBrowser, visit, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

describe.skipIf(!browser)("the first visit", () => {
  let gateway: RunningGateway;
  let operator: Visit;
  beforeAll(async () => {
    gateway = await startGateway();
    operator = await visit(browser as Browser, gateway);
  });
  afterAll(async () => {
    await browser!.close();
    await gateway.stop();
  });

  test("leads from the first link to a streamed answer, without any provider", async () => {
    const { page } = operator;
    await page.goto(gateway.signInUrl!);
    await page.getByLabel("Email").fill("ada@example.test");
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await page.getByRole("button", { name: /^Skip: the echo model/ }).click();

    await page.getByRole("button", { name: "Make the key" }).click();
    const key = await page.getByLabel("The key", { exact: true }).textContent();
    expect(key).toStartWith("sk-service-");
    await page.getByRole("button", { name: "Next: the first call" }).click();
    expect(await page.getByRole("tabpanel", { name: "curl" }).textContent()).toContain(key!);
    await page.getByText("Waiting for the first request.").waitFor();

    await page.getByRole("link", { name: "Ask it here" }).click();
    expect(await page.getByLabel("Your message").inputValue()).toBe("Say hello, in one sentence.");
    expect(await page.getByRole("combobox", { name: "Key" }).inputValue()).toBe("my first app");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("region", { name: "Answer of echo" });
    await answer.getByText("complete", { exact: true }).waitFor();
    expect(await answer.getByRole("region", { name: "Answer", exact: true }).textContent()).toContain(
      "You said: Say hello, in one sentence.",
    );
    await answer.getByText("Cost", { exact: true }).waitFor();
    // 5 words in, 16 out, at one and two dollars a million.
    expect(await answer.locator("dl").innerText()).toMatch(
      /First token\s+[\d.]+ m?s\s+Elapsed\s+[\d.]+ m?s\s+Tokens in\s+5\s+Tokens out\s+16[\s\S]+\$0\.0000370/,
    );
    await answer.getByRole("tab", { name: "As it came" }).click();
    const raw = await answer.getByRole("region", { name: "The answer as it came" }).textContent();
    expect(raw).toMatch(/^data: \{[\s\S]+data: \[DONE\]\n\n$/);

    await page.goto("/start");
    await page.getByText("Make the first call").click();
    await page.getByText("The first request has arrived").waitFor();
    expect(operator.complaints).toEqual([]);
  });
});
