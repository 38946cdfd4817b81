import { afterAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startBadReceiver, verified } from "../alerts/receiver.ts";
import { startGateway } from "../start-gateway.ts";
import { openBrowser, visitAs } from "./open-console.ts";

const browser = await openBrowser();
const receiver = await startBadReceiver();
const gateway = await startGateway();

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
  await receiver.stop();
});

/** Makes a webhook by hand, and gives the secret that is shown once. */
async function createByHand(page: Page, url: string): Promise<string> {
  await page.goto("/alerts");
  await page.getByText("Nobody is told yet").waitFor();
  await page.getByRole("button", { name: "Create webhook" }).click();
  const form = page.getByRole("dialog", { name: "Create webhook" });
  await form.getByLabel("Name").fill("on <b>call</b>");
  await form.getByLabel("Address").fill(url);
  await page.keyboard.press("Enter");
  await form
    .getByRole("alert")
    .getByText(/^Must be https:/)
    .waitFor();
  await form.getByLabel("It is on this machine or a private network").check();
  await form.getByLabel("Only these").check();
  await form.getByLabel("Credit is low").check();
  await form.getByRole("button", { name: "Create" }).click();
  return keepSecret(page);
}

/** Nothing closes what is shown once, until it is kept. */
async function keepSecret(page: Page): Promise<string> {
  const shown = page.getByRole("dialog", { name: "The secret of “on <b>call</b>”" });
  const secret = await shown.getByLabel("The secret", { exact: true }).innerText();
  await page.keyboard.press("Escape");
  expect(await shown.getByRole("button", { name: "Done" }).isDisabled()).toBe(true);
  await shown.getByRole("tab", { name: "TypeScript" }).click();
  await shown.getByText("timingSafeEqual(given, expected)").waitFor();
  await shown.getByLabel("I have kept it").check();
  await shown.getByRole("button", { name: "Done" }).click();
  await shown.waitFor({ state: "detached" });
  return secret;
}

async function choose(page: Page, item: string, button: string): Promise<void> {
  await page.getByRole("button", { name: /^More for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
  await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
}

describe.skipIf(!browser)("in a browser", () => {
  test("a webhook is made, tried, mended, paused, rotated and removed", async () => {
    const { page, complaints } = await visitAs(browser!, gateway, null);
    const secret = await createByHand(page, `${receiver.origin}/fails/1`);
    await page.getByRole("link", { name: "on <b>call</b>" }).click();
    await page.getByText("Nothing was sent yet").waitFor();

    await page.getByRole("button", { name: "Test now" }).click();
    const tried = page.getByRole("dialog", { name: /^A test of/ });
    await tried.getByRole("alert").getByText("The receiver answered 500").waitFor();
    await tried.getByRole("button", { name: "Test again" }).click();
    await tried.getByText("The receiver answered 204").waitFor();
    await tried.getByRole("button", { name: "Done" }).click();
    const received = await receiver.seen("/fails/1");
    expect(received.map((message) => verified(message, secret))).toMatchObject([{ type: "webhook.test" }, { type: "webhook.test" }]);

    await page.getByLabel("State").selectOption("failed");
    await page.waitForURL("**?state=failed");
    const failed = page.getByRole("listitem").filter({ hasText: "failed" });
    await failed.getByText("A test").click();
    await failed.getByRole("row", { name: /500/ }).waitFor();
    await failed.getByRole("button", { name: "Send again" }).click();
    await page.getByText("No delivery is in this state").waitFor();
    await page.getByLabel("State").selectOption("delivered");
    await page.getByText("2 tries").waitFor();

    await choose(page, "Pause", "Pause");
    await page.getByText("Paused: an operator has paused it.").waitFor();
    await choose(page, "Let it go on", "Go on");
    await page.getByText("Paused: an operator has paused it.").waitFor({ state: "detached" });
    await choose(page, "Rotate the secret", "Rotate");
    expect(await keepSecret(page)).not.toBe(secret);
    await choose(page, "Remove", "Remove");
    await page.getByText("Nobody is told yet").waitFor();
    expect(complaints).toEqual([]);
  });

  test("the audit log tells who did it and what became different, and is narrowed by its address", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme <i>Inc.</i>" });
    await gateway.platform("PATCH", "/api/accounts/acme", { low_credit: "25" });
    const { id } = await gateway.platform<{ id: string }>("POST", "/api/webhooks", { name: "<b>chat</b>", url: "https://hooks.example/" });
    await gateway.platform("DELETE", `/api/webhooks/${id}`);
    const { page, complaints } = await visitAs(browser!, gateway, null);
    await page.goto("/audit");
    await page.getByRole("listitem").filter({ hasText: "operator token removed the webhook <b>chat</b>" }).waitFor();

    await page.getByLabel("Kind of thing").selectOption("account");
    await page.getByLabel("What was done").selectOption("account.update");
    await page.waitForURL("**/audit?kind=account&action=account.update");
    const changed = page.getByRole("listitem").filter({ hasText: "operator token changed the account acme" });
    await changed.locator("summary").click();
    const different = changed.getByRole("table", { name: "What became different" }).getByRole("row");
    expect(await different.allInnerTexts()).toEqual([
      expect.stringMatching(/^Field\s+Before\s+After$/),
      expect.stringMatching(/^low_credit\s+–\s+25/),
    ]);
    await changed.getByRole("link", { name: "All changes to it" }).click();
    await page.getByText("operator token created the account").waitFor();
    await page.goto("/audit?actor=none-such");
    await page.getByText("No change matches").waitFor();

    await page.getByRole("button", { name: "Check the ledger" }).click();
    await page.getByRole("dialog").getByText("It adds up").waitFor();
    expect(complaints).toEqual([]);
  });
});
