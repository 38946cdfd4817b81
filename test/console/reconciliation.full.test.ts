import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startBillingUpstream, type BillingUpstream } from "../reconciliation/billing-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../support/upstreams/money-upstream.ts";
import { axeViolations } from "./axe-violations.ts";
import { openBrowser, untilFits, visitAs } from "./open-console.ts";

const browser: Browser | undefined = await openBrowser();

describe.skipIf(!browser)("the reconciliation page", () => {
  let upstream: BillingUpstream;
  let gateway: RunningGateway;

  beforeAll(async () => {
    upstream = startBillingUpstream();
    gateway = await startGateway({ yaml: upstream.yaml });
    const { key } = await gateway.makeKey();
    for (const more of [{}, { stream: true }]) await (await ask(gateway, key, "chat", "a question", more)).text();
  });

  afterAll(async () => {
    await browser?.close();
    await gateway.stop();
    await upstream.stop();
  });

  test("compares an uploaded bill with the ledger, and charts the drift", async () => {
    const { page, complaints } = await visitAs(browser!, gateway, null);
    const bill = upstream.bill("plain");
    const upload = async (csv: string): Promise<void> => {
      await page.getByLabel("File").setInputFiles({ name: "bill.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
      await page.getByRole("button", { name: "Reconcile" }).click();
    };
    await page.goto("/reconciliation");
    await upload(bill);
    await page.getByRole("alert").getByText("Choose a provider or an upstream").waitFor();
    await page.getByLabel("Provider").selectOption("OpenAI");
    await page.getByRole("combobox", { name: "Upstream" }).fill("mo");
    await page.getByRole("option", { name: "mock" }).click();
    await upload("day,model\n");
    await page.getByRole("alert").filter({ hasNotText: "Choose a provider or an upstream" }).first().waitFor();
    await upload(bill);
    await page.getByText("The bill and the ledger agree within 1%.").waitFor();
    await page.getByText("Nothing differs").waitFor();

    await page.getByLabel("First day").fill(new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10));
    await upload(
      bill.replace(/^([^,\n]+,[^,]+,"?\d+"?,"?)(\d+)/m, (_, before: string, input: string) => `${before}${Number(input) + 500}`),
    );
    await page.getByText("The bill and the ledger differ by more than 1%.").waitFor();
    await page.getByRole("button", { name: "Show Drift by day as table" }).click();
    await page.getByRole("table", { name: "Reconciled values" }).getByText("gpt-4o-mini").first().waitFor();
    expect(new URL(page.url()).search).toContain("provider=openai");
    await page.setViewportSize({ width: 390, height: 800 });
    await untilFits(page);
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
