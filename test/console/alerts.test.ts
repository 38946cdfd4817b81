import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startBadReceiver, verified } from "../alerts/receiver.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const receiver = await startBadReceiver();
const gateway = await startGateway();

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
  await receiver.stop();
});

/** Creates a webhook in the console and returns its signing secret. */
async function createInConsole(page: Page, url: string): Promise<string> {
  await page.goto("/alerts");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "Create webhook" }).click();
  const form = page.getByRole("dialog", { name: "Create webhook" });
  await form.getByLabel("Name").fill("on <b>call</b>");
  await form.getByLabel("URL").fill(url);
  await page.keyboard.press("Enter");
  await form
    .getByRole("alert")
    .getByText(/^Must be https:/)
    .waitFor();
  await form.getByLabel("Allow private network addresses").check();
  await form.getByLabel("Selected alerts").check();
  await form.getByLabel("Low credit").check();
  await form.getByRole("button", { name: "Create" }).click();
  return saveSecret(page);
}

/** The dialog cannot be closed until the secret is confirmed as saved. */
async function saveSecret(page: Page): Promise<string> {
  const shown = page.getByRole("dialog", { name: "Signing secret of “on <b>call</b>”" });
  const secret = await shown.getByLabel("New secret", { exact: true }).innerText();
  await page.keyboard.press("Escape");
  expect(await shown.getByRole("button", { name: "Done" }).isDisabled()).toBe(true);
  await shown.getByRole("tab", { name: "TypeScript" }).click();
  await shown.getByText("timingSafeEqual(given, expected)").waitFor();
  await shown.getByLabel("I've saved this secret").check();
  await shown.getByRole("button", { name: "Done" }).click();
  await shown.waitFor({ state: "detached" });
  return secret;
}

async function choose(page: Page, item: string, button: string): Promise<void> {
  await page.getByRole("button", { name: /^More actions for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
  await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
}

describe.skipIf(!browser)("in a browser", () => {
  let operator: Visit;
  beforeAll(async () => {
    operator = await visitAs(browser!, gateway, null);
  });

  test("creates, tests, resends, pauses, resumes, rotates and removes a webhook", async () => {
    const { page, complaints } = operator;
    const secret = await createInConsole(page, `${receiver.origin}/fails/1`);
    await page.getByRole("link", { name: "on <b>call</b>" }).click();
    await page.getByText("No deliveries yet").waitFor();

    await page.getByRole("button", { name: "Send test" }).click();
    const tried = page.getByRole("dialog", { name: /^Test “/ });
    await tried.getByRole("alert").getByText("The receiver returned 500").waitFor();
    await tried.getByRole("button", { name: "Test again" }).click();
    await tried.getByText("The receiver returned 204").waitFor();
    await tried.getByRole("button", { name: "Done" }).click();
    const received = await receiver.seen("/fails/1");
    expect(received.map((message) => verified(message, secret))).toMatchObject([{ type: "webhook.test" }, { type: "webhook.test" }]);

    await page.getByLabel("State").selectOption("failed");
    await page.waitForURL("**?state=failed");
    const failed = page.getByRole("listitem").filter({ hasText: "failed" });
    await failed.getByText("Test", { exact: true }).click();
    await failed.getByRole("row", { name: /500/ }).waitFor();
    await failed.getByRole("button", { name: "Resend" }).click();
    await page.getByText("No deliveries in this state").waitFor();
    await page.getByLabel("State").selectOption("delivered");
    await page.getByText("2 attempts").waitFor();

    await choose(page, "Pause", "Pause");
    await page.getByText("Paused: an operator has paused it.").waitFor();
    await choose(page, "Resume", "Resume");
    await page.getByText("Paused: an operator has paused it.").waitFor({ state: "detached" });
    await choose(page, "Rotate secret", "Rotate");
    expect(await saveSecret(page)).not.toBe(secret);
    await choose(page, "Remove", "Remove");
    await page.getByText("No webhooks yet").waitFor();
    expect(complaints).toEqual([]);
  });

  test("the audit log shows actors and changed fields, and keeps its filters in the URL", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme <i>Inc.</i>" });
    await gateway.platform("PATCH", "/api/accounts/acme", { low_credit: "25" });
    const { id } = await gateway.platform<{ id: string }>("POST", "/api/webhooks", { name: "<b>chat</b>", url: "https://hooks.example/" });
    await gateway.platform("DELETE", `/api/webhooks/${id}`);
    const { page, complaints } = operator;
    await page.goto("/audit");
    await page.getByRole("listitem").filter({ hasText: "operator token removed the webhook <b>chat</b>" }).waitFor();

    await page.getByLabel("Resource type").selectOption("account");
    await page.getByLabel("Action", { exact: true }).selectOption("account.update");
    await page.waitForURL("**/audit?kind=account&action=account.update");
    const changed = page.getByRole("listitem").filter({ hasText: "operator token updated the account acme" });
    await changed.locator("summary").click();
    const different = changed.getByRole("table", { name: "Changed fields" }).getByRole("row");
    expect(await different.allInnerTexts()).toEqual([
      expect.stringMatching(/^Field\s+Before\s+After$/),
      expect.stringMatching(/^low_credit\s+–\s+25/),
    ]);
    await changed.getByRole("link", { name: "All changes to this resource" }).click();
    await page.getByText("operator token created the account").waitFor();
    await page.goto("/audit?actor=none-such");
    await page.getByText("No matching changes").waitFor();

    await page.getByRole("button", { name: "Verify ledger" }).click();
    await page.getByRole("dialog").getByText("The ledger is consistent").waitFor();
    expect(complaints).toEqual([]);
  });
});
