import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startBadReceiver, verified } from "../alerts/receiver.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { goTo, openBrowser, visitAs, type Visit } from "./open-console.ts";

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
  await goTo(page, "/alerts");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "Add destination" }).click();
  const form = page.getByRole("dialog", { name: "Add destination" });
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
  await form.getByRole("button", { name: "Add destination" }).click();
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

  test("raised alerts are counted, listed, acknowledged, and in the audit log; thresholds are edited beside their values", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "globex", name: "Globex <i>Corp.</i>" });
    const key = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", { name: "k", account: "globex", models: ["*"] });
    const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hello" }] });
    await (await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body })).text();
    await eventually(
      () => gateway.platform<{ open: number }>("GET", "/api/alerts"),
      ({ open }) => open === 1,
    );
    const { page, complaints } = operator;
    await goTo(page, "/alerts");
    await page.getByRole("navigation").getByRole("link", { name: "Alerts 1 open" }).waitFor();
    const alerts = page.getByRole("table", { name: "Raised alerts" });
    await alerts.getByLabel("Select Low credit: Globex <i>Corp.</i>").check();
    await page.getByRole("region", { name: "Selected rows" }).getByRole("button", { name: "Acknowledge" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Acknowledge 1 alert" }).click();
    await page.getByText("No open alerts").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Alerts", exact: true }).waitFor();
    await page.getByLabel("Alert state").selectOption("acknowledged");
    await page.waitForURL("**/alerts?state=acknowledged");
    await alerts.getByRole("button", { name: "Low credit: Globex <i>Corp.</i>" }).click();
    const alert = page.getByRole("dialog", { name: "Low credit: Globex <i>Corp.</i>" });
    await alert.getByText(/^By /).waitFor();
    expect(await alert.getByRole("button", { name: "Acknowledge" }).count()).toBe(0);
    await alert.getByRole("link", { name: "globex" }).click();

    await page.getByText("When all credit is spent").waitFor();
    await page.getByRole("button", { name: "Edit low-credit alert" }).click();
    await page.getByLabel("Low-credit threshold (USD)").fill("25");
    await page.keyboard.press("Enter");
    await page.getByText("Below $25.00").waitFor();
    await page.getByRole("button", { name: "Edit caps" }).click();
    const caps = page.getByRole("dialog", { name: /^Spend caps of/ });
    await caps.getByLabel("Per month").fill("40");
    await caps.getByRole("button", { name: "Save", exact: true }).click();
    await caps.getByRole("button", { name: "Save change" }).click();
    await page.getByText(/of \$40\.00/).waitFor();
    expect(await gateway.platform("GET", "/api/accounts/globex")).toMatchObject({ low_credit: "25.00", caps: { month: "40.00" } });
    await goTo(page, `/keys/${key.id}`);
    await page.getByRole("button", { name: "Edit caps" }).click();
    await caps.getByLabel("Total").fill("x");
    await caps.getByRole("button", { name: "Cancel" }).click();

    await goTo(page, "/audit?kind=alert");
    await page.getByText(/acknowledged the alert Low credit: Globex <i>Corp\.<\/i>$/).waitFor();
    expect(complaints).toEqual([]);
  });

  test("creates and edits webhooks for chats, pagers and email, whose secrets are not shown", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/alerts");
    const create = async (kind: string, fill: () => Promise<void>): Promise<void> => {
      await page.getByRole("button", { name: "Add destination" }).click();
      await page.getByLabel("Send to").selectOption(kind);
      await page.getByLabel("Name").fill(`to ${kind}`);
      await fill();
      await page.getByRole("dialog").getByRole("button", { name: "Add destination" }).click();
      await page.getByRole("link", { name: `to ${kind}` }).waitFor();
    };
    await create("slack", () => page.getByLabel("URL").fill("https://hooks.slack.com/services/secret"));
    await create("email", () => page.getByLabel("Recipients").fill("ops@example.com, dev@example.com"));
    await create("pagerduty", () => page.getByLabel("Integration key").fill("0123456789abcdef0123456789abcdef"));
    await page.getByRole("cell", { name: "ops@example.com, dev@example.com" }).waitFor();
    expect(await page.content()).not.toMatch(/services\/secret|0123456789abcdef/);

    await page.getByRole("link", { name: "to slack" }).click();
    // A name that resolves to an address in a private network.
    const problem = "10.0.0.1 is a private address, which needs allow_private: true";
    const attempts = [{ at: new Date().toISOString(), status: null, duration_ms: 1, problem }];
    await page.route("**/api/webhooks/*/test", (route) => route.fulfill({ json: { state: "failed", attempts } }));
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByRole("dialog").getByText("which needs “Allow private network addresses”").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.getByText("https://hooks.slack.com/…").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const form = page.getByRole("dialog");
    await form.getByText("Leave empty to keep the current URL").waitFor();
    await form.getByLabel("Name").fill("to #llm");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "to #llm" }).waitFor();
    await page.getByRole("button", { name: /^More actions for/ }).click();
    await page.getByRole("menuitem", { name: "Pause" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Rotate secret" }).count()).toBe(0);
    const { data } = await gateway.platform<{ data: object[] }>("GET", "/api/webhooks");
    expect(data).toHaveLength(3);
    expect(complaints).toEqual([]);
  });

  test("the audit log shows actors and changed fields, and keeps its filters in the URL", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme <i>Inc.</i>" });
    await gateway.platform("PATCH", "/api/accounts/acme", { low_credit: "25" });
    const { id } = await gateway.platform<{ id: string }>("POST", "/api/webhooks", { name: "<b>chat</b>", url: "https://hooks.example/" });
    await gateway.platform("DELETE", `/api/webhooks/${id}`);
    const { page, complaints } = operator;
    await goTo(page, "/audit");
    await page.getByRole("listitem").filter({ hasText: "operator token removed the webhook <b>chat</b>" }).waitFor();

    await page.getByLabel("Resource type").selectOption("account");
    await page.getByLabel("Action", { exact: true }).selectOption("account.update");
    await page.waitForURL("**/audit?kind=account&action=account.update");
    const changed = page.getByRole("listitem").filter({ hasText: "operator token updated the account acme" });
    await changed.locator("summary").click();
    const different = changed.getByRole("table", { name: "Changed fields" }).getByRole("row");
    await different.nth(1).waitFor();
    expect(await different.allInnerTexts()).toEqual([
      expect.stringMatching(/^Field\s+Before\s+After$/),
      expect.stringMatching(/^low_credit\s+–\s+25/),
    ]);
    await changed.getByRole("link", { name: "All changes to this resource" }).click();
    await page.getByText("operator token created the account").waitFor();
    await goTo(page, "/audit?actor=none-such");
    await page.getByText("No matching changes").waitFor();

    await page.getByRole("button", { name: "Verify ledger" }).click();
    await page.getByRole("dialog").getByText("The ledger is consistent").waitFor();
    expect(complaints).toEqual([]);
  });
});
