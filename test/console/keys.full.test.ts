import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { goTo, openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

const answer = (): Response => Response.json(completion());

let upstream: MockUpstream;
let gateway: RunningGateway;
let operator: Visit;
let page: Page;

beforeAll(async () => {
  if (!browser) return;
  upstream = startMockUpstream({ "up-fast-chat": answer, "up-slow-chat": answer });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["fast-chat", "slow-chat"]) });
  for (const id of ["acme", "beta"]) {
    await gateway.platform("POST", "/api/accounts", { id, name: `${id} and sons` });
    await gateway.platform("POST", `/api/accounts/${id}/grants`, { amount: "10", reference: "first", reason: "initial credit" });
  }
  operator = await visitAs(browser, gateway, null);
  page = operator.page;
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await upstream?.stop();
});

/** The key's own spend caps: end users may have spend caps too. */
const capsOf = (of: Page): Locator => of.locator("fieldset", { hasText: "Spend caps (USD)" });

/** Calls the gateway with a key and returns the status and the error code. */
async function callWith(key: string, model = "fast-chat"): Promise<readonly [number, string | undefined]> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
}

/** Waits for the new key and returns it. */
async function shownKey(): Promise<string> {
  const text = await page.getByLabel("New key", { exact: true }).textContent();
  expect(text).toStartWith("sk-service-");
  return text!;
}

async function confirmSaved(): Promise<void> {
  await page.getByLabel("I've saved this key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

describe.skipIf(!browser)("keys in the console", () => {
  test("creates a key with allowed models, uses it, narrows it after a preview, rotates and revokes it", async () => {
    await goTo(page, "/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("night jobs");
    await page.getByRole("dialog").getByRole("combobox", { name: "Account" }).fill("acme");
    await page.getByRole("option", { name: "acme" }).click();
    await page.getByLabel("Selected models").check();
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await page.getByText("Add at least one model.").waitFor();
    await page.getByLabel("Add model").fill("fast");
    await page.getByRole("option", { name: "fast-chat" }).click();
    // The pattern is typed but not added: the form submits it too.
    await page.getByLabel("Add model").fill("slow-*");
    await capsOf(page).getByLabel("Per month").fill("50");
    await page.getByLabel("Expires").selectOption("In 90 days");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();

    const first = await shownKey();
    for (const model of ["fast-chat", "slow-chat"]) expect(await callWith(first, model)).toEqual([200, undefined]);
    expect(await page.getByRole("tabpanel", { name: "Environment" }).textContent()).toContain(`OPENAI_BASE_URL=${gateway.baseUrl}\n`);
    await page.getByRole("tab", { name: "Python" }).click();
    expect(await page.getByRole("tabpanel", { name: "Python" }).textContent()).toContain(`model="fast-chat"`);
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    expect(await shownKey()).toBe(first);
    await confirmSaved();

    await page.getByRole("link", { name: "night jobs" }).click();
    await page.getByRole("heading", { level: 1, name: "night jobs" }).waitFor();
    await page.getByRole("row", { name: /fast-chat/ }).waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Remove fast-chat" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("1 would have been rejected.").waitFor();
    expect(await callWith(first)).toEqual([200, undefined]);
    await page.getByRole("button", { name: "Save change" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await callWith(first)).toEqual([403, "model_not_allowed"]);

    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("Grace period").selectOption("1 day");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const second = await shownKey();
    expect(second).not.toBe(first);
    await confirmSaved();
    await page.getByText("The old secret works until").waitFor();
    for (const key of [first, second]) expect(await callWith(key, "slow-chat")).toEqual([200, undefined]);

    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText(/Revoke key “night jobs”/).waitFor();
    await page.getByText("Last used just now.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("This cannot be undone. Usage history stays available.").waitFor();
    await page.getByRole("button", { name: "Rotate" }).waitFor({ state: "detached" });
    expect(await callWith(second, "slow-chat")).toEqual([401, "invalid_api_key"]);
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("an edit does not overwrite concurrent changes to other fields", async () => {
    const { id } = await gateway.platform<{ id: string }>("POST", "/api/keys", { name: "shared", models: ["*"], caps: { month: "50" } });
    await goTo(page, `/keys/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("renamed");
    await page.getByRole("group", { name: "Rate limits" }).getByLabel("Requests per minute").fill("60");
    const theirs = { models: ["fast-*"], limits: { concurrent_requests: 3 }, caps: { month: "20.00" } };
    await gateway.platform("PATCH", `/api/keys/${id}`, theirs);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("No requests in this period are affected.").waitFor();
    await page.getByRole("button", { name: "Save change" }).click();
    await page.getByRole("heading", { level: 1, name: "renamed" }).waitFor();
    expect(await gateway.platform("GET", `/api/keys/${id}`)).toMatchObject({
      ...theirs,
      limits: { requests_per_minute: 60, concurrent_requests: 3 },
    });
  }, 300_000);

  test("keeps the dialog open while a key is being created, so that the key is not lost", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await goTo(page, "/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("slow response");
    await page.route("/api/keys", async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await dialog.locator("[aria-busy=true]").waitFor();
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    release();
    await shownKey();
    await confirmSaved();
    await page.unrouteAll();
  }, 300_000);

  test("searches and paginates many keys on the server", async () => {
    for (let at = 0; at < 105; at++) await gateway.platform("POST", "/api/keys", { name: `fleet ${at}`, models: ["*"], account: "beta" });
    await goTo(page, "/keys?account=beta");
    const rows = page.getByRole("table", { name: "Keys" }).locator("tbody tr:not([aria-hidden])");
    await page.getByRole("link", { name: "fleet 104" }).waitFor();
    await page.getByText("105 keys").waitFor();
    // The visible rows, and some more.
    expect(await rows.count()).toBeLessThan(80);
    await page.getByRole("link", { name: "fleet 104" }).press("End");
    await page.getByRole("link", { name: "fleet 5", exact: true }).press("End");
    await page.getByRole("link", { name: "fleet 0", exact: true }).waitFor();
    await page.getByLabel("Search by name or ID").fill("FLEET 7");
    await page.waitForURL(/search=FLEET\+7/);
    await page.getByText("11 keys").waitFor();
    await page.getByRole("link", { name: "fleet 104" }).waitFor({ state: "hidden" });
    await eventually(
      () => rows.count(),
      (count) => count === 11,
    );
    await page.getByLabel("State", { exact: true }).selectOption("Revoked");
    await page.getByText("No matching keys").waitFor();
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("keeps the input when the platform rejects it, and shows the error at the field", async () => {
    await goTo(page, "/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("has \u202e in it");
    await capsOf(page).getByLabel("Per day").fill("5");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").filter({ hasText: "control characters" }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    expect(await capsOf(page).getByLabel("Per day").inputValue()).toBe("5");
  }, 300_000);

  test("a member creates a key for their own account and sees no others", async () => {
    const member = await visitAs(browser!, gateway, "beta");
    await goTo(member.page, "/keys");
    await member.page.getByRole("link", { name: "fleet 104" }).waitFor();
    expect(await member.page.getByText("night jobs").count()).toBe(0);
    expect(await member.page.getByLabel("Account").count()).toBe(0);
    await member.page.getByRole("button", { name: "Create key" }).click();
    await member.page.getByLabel("Name", { exact: true }).fill("mine");
    await member.page.keyboard.press("Enter");
    const key = await member.page.getByLabel("New key", { exact: true }).textContent();
    expect(await callWith(key!)).toEqual([200, undefined]);
    const { data } = await gateway.platform<{ data: { account: string }[] }>("GET", "/api/keys?search=mine");
    expect(data.map(({ account }) => account)).toEqual(["beta"]);
    const { data: acme } = await gateway.platform<{ data: { id: string }[] }>("GET", "/api/keys?account=acme");
    await member.page.getByLabel("I've saved this key").check();
    await goTo(member.page, `/keys/${acme[0]!.id}`);
    await member.page.getByText("Not found", { exact: true }).waitFor();
    expect(member.complaints).toEqual([]);
  }, 300_000);

  test("copies a key without the Clipboard API, as over plain HTTP", async () => {
    await page.evaluate("delete Navigator.prototype.clipboard");
    await goTo(page, "/keys");
    expect(await page.evaluate("navigator.clipboard === undefined")).toBe(true);
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("from afar");
    await page.keyboard.press("Enter");
    const key = await shownKey();
    await page.getByRole("button", { name: "Copy key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    const box = page.getByLabel("Search by name or ID");
    await box.click();
    await page.keyboard.press("Control+V");
    await eventually(
      () => box.inputValue(),
      (pasted) => pasted === key,
    );
  }, 300_000);
});
