import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../mock-upstream.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";

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
    await gateway.platform("POST", `/api/accounts/${id}/grants`, { amount: "10", reference: "first", reason: "to begin with" });
  }
  operator = await visitAs(browser, gateway, null);
  page = operator.page;
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await upstream?.stop();
});

/** What the gateway answers a program that has this key: the status, and the code of a refusal. */
async function ask(key: string, model = "fast-chat"): Promise<readonly [number, string | undefined]> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
}

/** The key that is shown, once it is. */
async function shownKey(): Promise<string> {
  const text = await page.getByLabel("The key", { exact: true }).textContent();
  expect(text).toStartWith("sk-service-");
  return text!;
}

async function keep(): Promise<void> {
  await page.getByLabel("I have kept it").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

describe.skipIf(!browser)("keys in the console", () => {
  test("one is made with a list of models, used, narrowed after a look at what that would refuse, rotated and revoked", async () => {
    await page.goto("/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("night jobs");
    await page.getByRole("dialog").getByRole("combobox", { name: "Account" }).fill("acme");
    await page.getByRole("option", { name: "acme" }).click();
    await page.getByLabel("Only these").check();
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await page.getByText("Add at least one model.").waitFor();
    await page.getByLabel("Add a model").fill("fast");
    await page.getByRole("option", { name: "fast-chat" }).click();
    // Typed and not added: it is meant too.
    await page.getByLabel("Add a model").fill("slow-*");
    await page.getByLabel("A month").fill("50");
    await page.getByLabel("Expires").selectOption("In 90 days");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();

    const first = await shownKey();
    for (const model of ["fast-chat", "slow-chat"]) expect(await ask(first, model)).toEqual([200, undefined]);
    expect(await page.getByRole("tabpanel", { name: "Environment" }).textContent()).toContain(`OPENAI_BASE_URL=${gateway.baseUrl}\n`);
    await page.getByRole("tab", { name: "Python" }).click();
    expect(await page.getByRole("tabpanel", { name: "Python" }).textContent()).toContain(`model="fast-chat"`);
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    expect(await shownKey()).toBe(first);
    await keep();

    await page.getByRole("link", { name: "night jobs" }).click();
    await page.getByRole("heading", { level: 1, name: "night jobs" }).waitFor();
    await page.getByRole("row", { name: /fast-chat/ }).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Remove fast-chat" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("1 would have been refused.").waitFor();
    expect(await ask(first)).toEqual([200, undefined]);
    await page.getByRole("button", { name: "Save the change" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await ask(first)).toEqual([403, "model_not_allowed"]);

    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("How long").selectOption("For a day");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const second = await shownKey();
    expect(second).not.toBe(first);
    await keep();
    await page.getByText("The key as it was before works on until").waitFor();
    for (const key of [first, second]) expect(await ask(key, "slow-chat")).toEqual([200, undefined]);

    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText(/Revoke the key “night jobs”/).waitFor();
    await page.getByText("It was last used just now.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("for good. What it has used stays on record.").waitFor();
    expect(await ask(second, "slow-chat")).toEqual([401, "invalid_api_key"]);
    expect(await page.getByRole("button", { name: "Rotate" }).count()).toBe(0);
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("an edit leaves alone what somebody else has changed since it was begun", async () => {
    const { id } = await gateway.platform<{ id: string }>("POST", "/api/keys", { name: "shared", models: ["*"], caps: { month: "50" } });
    await page.goto(`/keys/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Name", { exact: true }).fill("renamed");
    await page.getByLabel("Requests a minute").fill("60");
    const theirs = { models: ["fast-*"], limits: { concurrent_requests: 3 }, caps: { month: "20.00" } };
    await gateway.platform("PATCH", `/api/keys/${id}`, theirs);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("No request that it concerns was let in").waitFor();
    await page.getByRole("button", { name: "Save the change" }).click();
    await page.getByRole("heading", { level: 1, name: "renamed" }).waitFor();
    expect(await gateway.platform("GET", `/api/keys/${id}`)).toMatchObject({
      ...theirs,
      limits: { requests_per_minute: 60, concurrent_requests: 3 },
    });
  }, 300_000);

  test("nothing closes the dialog while a key is being made, which would be lost", async () => {
    const { promise: mayGoOn, resolve: letGoOn } = Promise.withResolvers<void>();
    await page.goto("/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("slow to come");
    await page.route("/api/keys", async (route) => {
      await mayGoOn;
      await route.continue();
    });
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await dialog.locator("[aria-busy=true]").waitFor();
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    letGoOn();
    await shownKey();
    await keep();
    await page.unrouteAll();
  }, 300_000);

  test("many are searched by the platform, and come a page at a time", async () => {
    for (let at = 0; at < 55; at++) await gateway.platform("POST", "/api/keys", { name: `fleet ${at}`, models: ["*"], account: "beta" });
    await page.goto("/keys?account=beta");
    const rows = page.getByRole("table", { name: "Keys" }).locator("tbody tr");
    await page.getByRole("link", { name: "fleet 54" }).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("link", { name: "fleet 0", exact: true }).waitFor();
    expect(await rows.count()).toBe(55);
    await page.getByLabel("Search by name or id").fill("FLEET 7");
    await page.waitForURL(/search=FLEET\+7/);
    await page.getByRole("link", { name: "fleet 54" }).waitFor({ state: "hidden" });
    expect(await rows.count()).toBe(1);
    await page.getByLabel("State").selectOption("Revoked");
    await page.getByText("No key matches").waitFor();
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("what was typed stays when the platform refuses it, with the reason at the field", async () => {
    await page.goto("/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("has \u202e in it");
    await page.getByLabel("A day").fill("5");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").filter({ hasText: "control characters" }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("A day").inputValue()).toBe("5");
  }, 300_000);

  test("a member makes a key for the own account, and sees no other", async () => {
    const member = await visitAs(browser!, gateway, "beta");
    await member.page.goto("/keys");
    await member.page.getByRole("link", { name: "fleet 54" }).waitFor();
    expect(await member.page.getByText("night jobs").count()).toBe(0);
    expect(await member.page.getByLabel("Account").count()).toBe(0);
    await member.page.getByRole("button", { name: "Create key" }).click();
    await member.page.getByLabel("Name", { exact: true }).fill("mine");
    await member.page.keyboard.press("Enter");
    const key = await member.page.getByLabel("The key", { exact: true }).textContent();
    expect(await ask(key!)).toEqual([200, undefined]);
    const { data } = await gateway.platform<{ data: { account: string }[] }>("GET", "/api/keys?search=mine");
    expect(data.map(({ account }) => account)).toEqual(["beta"]);
    const { data: acme } = await gateway.platform<{ data: { id: string }[] }>("GET", "/api/keys?account=acme");
    await member.page.getByLabel("I have kept it").check();
    await member.page.goto(`/keys/${acme[0]!.id}`);
    await member.page.getByText("It is not here").waitFor();
    expect(member.complaints).toEqual([]);
  }, 300_000);

  test("a key is copied where the browser has no clipboard, as by plain http from afar", async () => {
    const afar = await page.context().newPage();
    await afar.addInitScript("delete Navigator.prototype.clipboard");
    await afar.goto("/keys");
    expect(await afar.evaluate("navigator.clipboard === undefined")).toBe(true);
    await afar.getByRole("button", { name: "Create key" }).first().click();
    await afar.getByLabel("Name", { exact: true }).fill("from afar");
    await afar.keyboard.press("Enter");
    const key = await afar.getByLabel("The key", { exact: true }).innerText();
    await afar.getByRole("button", { name: "Copy the key" }).click();
    await afar.getByRole("button", { name: "Copied" }).waitFor();
    await afar.getByRole("button", { name: "Done" }).click();
    const box = afar.getByLabel("Search by name or id");
    await box.click();
    await afar.keyboard.press("Control+V");
    expect(await box.inputValue()).toBe(key);
    await afar.close();
  }, 300_000);

  test("a session that has ended is noticed by a change too", async () => {
    await page.goto("/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("too late");
    await page.context().clearCookies();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  }, 300_000);
});
