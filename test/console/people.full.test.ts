import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PASSWORD } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { goTo, openBrowser, refuseChanges, REFUSED, visit, visitAs } from "./open-console.ts";

const browser = await openBrowser();
let gateway: RunningGateway;

/** Resources of an account that members of another account must never see. */
const OTHERS = { account: "umbrella", name: "Umbrella Corp.", key: "umbrella key" };
let othersKey: string;
let othersRequest: string;

beforeAll(async () => {
  gateway = await startGateway();
  for (const [id, name] of [
    ["acme", "Acme Inc."],
    [OTHERS.account, OTHERS.name],
  ] as const) {
    await gateway.platform("POST", "/api/accounts", { id, name });
    await gateway.platform("POST", `/api/accounts/${id}/grants`, { amount: "5", reference: "first", reason: "initial credit" });
  }
  await gateway.platform("POST", "/api/keys", { name: "acme key", models: ["*"], account: "acme" });
  const made = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", {
    name: OTHERS.key,
    models: ["*"],
    account: OTHERS.account,
  });
  othersKey = made.id;
  othersRequest = await callWith(made.key);
});

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
});

/** Sends a request with this key and returns its ID. */
async function callWith(key: string): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hello" }] }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.headers.get("x-request-id")!;
}

/** Waits until the page has loaded its data. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.locator(".skeleton:visible").first().waitFor({ state: "detached" });
}

async function inviteInConsole(page: Page, email: string, account: string): Promise<string> {
  await goTo(page, "/people");
  await page.getByRole("button", { name: "Invite person" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite person" });
  await dialog.getByLabel("Name").fill("Bob");
  await dialog.getByLabel("Account", { exact: true }).fill(account);
  await page.getByRole("option", { name: account }).click();
  // An existing email address: the error is shown at the field, and the input stays.
  await dialog.getByLabel("Email").fill("taken@example.test");
  await dialog.getByRole("button", { name: "Invite person" }).click();
  await dialog.getByRole("alert").getByText("already").waitFor();
  await dialog.getByLabel("Email").fill(email);
  await page.keyboard.press("Enter");
  const shown = page.getByRole("dialog", { name: "Bob is invited" });
  await shown.getByText("It works once and expires in 7 days.").waitFor();
  const link = await shown.getByLabel("New link", { exact: true }).innerText();
  await page.keyboard.press("Escape");
  await shown.getByLabel("I've saved this link").check();
  await shown.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /Bob.*invite expires/ }).waitFor();
  return link;
}

const PAGES_OF_ALL = ["/", "/requests", "/models", "/keys", "/accounts", "/playground", "/settings", "/docs"];
const PAGES_OF_OPERATORS = [
  "/upstreams",
  "/people",
  "/people/some-id",
  "/alerts",
  "/alerts/some-id",
  "/audit",
  "/margin",
  "/price-lists",
  "/instances",
];

describe.skipIf(!browser)("in a browser", () => {
  test("an operator invites a member, who sees only their account, until they are disabled", async () => {
    await gateway.platform("POST", "/api/people", { email: "taken@example.test", name: "Taken", role: "operator" });
    const operator = await visitAs(browser!, gateway, null);
    const link = await inviteInConsole(operator.page, "bob@example.test", "acme");

    const member = await visit(browser!, gateway);
    const refused: string[] = [];
    member.page.on("response", (response) => void (response.status() === 403 && refused.push(response.url())));
    await member.page.goto(link);
    await member.page.getByLabel("Password").fill(PASSWORD);
    await member.page.getByRole("button", { name: "Continue" }).click();
    await member.page.getByText("member of acme").waitFor();
    for (const path of PAGES_OF_ALL) {
      await member.page.goto(path);
      await settled(member.page);
      const text = await member.page.innerText("body");
      for (const secret of Object.values(OTHERS)) expect([path, text.includes(secret)]).toEqual([path, false]);
    }
    await goTo(member.page, "/keys");
    await member.page.getByRole("link", { name: "acme key" }).waitFor();
    expect(await member.page.getByRole("link", { name: /Upstreams|People|Alerts|Audit|Margin|Price lists|Instances/ }).count()).toBe(0);

    for (const path of PAGES_OF_OPERATORS) {
      await goTo(member.page, path);
      await member.page.getByText("This page is for operators").waitFor();
    }
    for (const path of [`/keys/${othersKey}`, `/requests/${othersRequest}`, `/accounts/${OTHERS.account}`]) {
      await goTo(member.page, path);
      await member.page.getByText("Not found", { exact: true }).waitFor();
    }
    await goTo(member.page, "/settings/gateway");
    await member.page.getByText("There is no page at this URL").waitFor();
    // The console sends no requests that would return 403.
    expect(refused).toEqual([]);

    await goTo(member.page, "/keys");
    await member.page.getByRole("link", { name: "acme key" }).waitFor();
    await operator.page.getByRole("link", { name: "Bob" }).click();
    await operator.page.getByRole("button", { name: "More actions for Bob" }).click();
    await operator.page.getByRole("menuitem", { name: "Disable" }).click();
    await operator.page.getByRole("dialog", { name: "Disable Bob?" }).getByRole("button", { name: "Disable" }).click();
    await operator.page.getByText("Bob disabled.").waitFor();
    await operator.page.getByRole("heading", { name: "Bob disabled" }).waitFor();
    await member.page.getByRole("link", { name: "Accounts" }).click();
    await member.page.getByRole("heading", { name: "Sign in" }).waitFor();

    await refuseChanges(operator.page, "/api/people/*");
    await operator.page.getByRole("button", { name: "More actions for Bob" }).click();
    await operator.page.getByRole("menuitem", { name: "Enable" }).click();
    const enabling = operator.page.getByRole("dialog", { name: "Enable Bob?" });
    await enabling.getByRole("button", { name: "Enable" }).click();
    await enabling.getByRole("alert").getByText(REFUSED).waitFor();
    await operator.page.unrouteAll();
    await enabling.getByRole("button", { name: "Enable" }).click();
    await operator.page.getByText("Bob can sign in again.").waitFor();
    expect([operator.complaints, member.complaints]).toEqual([[], []]);
  });
});
