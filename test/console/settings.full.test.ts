import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadStorageConfig } from "../../src/config.ts";
import { createBackup } from "../../src/main/backup/create-backup.ts";
import type { OptionalEndpointList } from "../../platform-client/types.ts";
import { eventually } from "../support/eventually.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { PASSWORD, Visitor } from "../people/visitor.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { goTo, lookAgain, openBrowser, refuseChanges, REFUSED, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const yaml = `endpoints: [messages]\n${configFor("http://127.0.0.1:9/v1", ["small"])}accounts:\n  - { id: acme, name: Acme }\n`;
const gateway = await startGateway({ yaml });

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
});

const NEW_PASSWORD = "another correct horse";

const callWith = async (token: string): Promise<number> =>
  (await fetch(`${gateway.platformUrl}/api/keys`, { headers: { authorization: `Bearer ${token}` } })).status;

describe.skipIf(!browser)("in a browser", () => {
  let operator: Visit;
  beforeAll(async () => {
    operator = await visitAs(browser!, gateway, null);
  });

  test("changing the password ends the person's other sessions", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/settings");
    const email = await page.getByText("@example.test").innerText();
    const elsewhere = new Visitor(gateway.platformUrl);
    expect((await elsewhere.signIn(email)).status).toBe(200);

    await page.getByLabel("Name").fill("Rear Admiral Hopper");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary").getByText("Rear Admiral Hopper").waitFor();
    await page.getByRole("link", { name: "Sessions" }).click();
    const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
    // Below the header row: the current session and the other session.
    await rows.nth(2).waitFor();
    expect(await rows.filter({ hasText: "current" }).count()).toBe(1);

    await page.getByRole("link", { name: "Profile" }).click();
    await page.getByLabel("Current password").fill("wrong");
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Password changed.").waitFor();
    expect(await elsewhere.isSignedIn()).toBe(false);
    await page.getByRole("link", { name: "Sessions" }).click();
    await rows.nth(2).waitFor({ state: "detached" });
    await rows.filter({ hasText: "current" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a member creates a token with one scope, and an operator revokes it", async () => {
    const member = await visitAs(browser!, gateway, "acme");
    await goTo(member.page, "/settings/tokens");
    await member.page.getByRole("button", { name: "Create access token" }).click();
    const form = member.page.getByRole("dialog");
    await form.getByLabel("Name").fill("nightly report");
    // Operator scopes are not offered.
    expect(await form.getByRole("checkbox").count()).toBe(5);
    await form.getByLabel("Read keys").check();
    await form.getByRole("button", { name: "Create access token" }).click();
    const token = await member.page.getByLabel("New token", { exact: true }).innerText();
    await member.page.getByLabel("I've saved this token").check();
    await member.page.getByRole("button", { name: "Done" }).click();
    expect(await callWith(token)).toBe(200);

    await goTo(operator.page, "/people?role=member");
    await operator.page.getByRole("link", { name: "Grace Hopper" }).click();
    await operator.page.getByRole("button", { name: "Revoke nightly report" }).click();
    await operator.page
      .getByRole("dialog", { name: /“nightly report” of Grace Hopper/ })
      .getByRole("button", { name: "Revoke" })
      .click();
    await operator.page.getByRole("row", { name: /nightly report.*revoked/ }).waitFor();
    expect(await callWith(token)).toBe(401);
    expect([member.complaints, operator.complaints]).toEqual([[], []]);
  });

  test("an error from revoking one token is not shown for another", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/settings/tokens");
    for (const name of ["first", "second"]) {
      await page.getByRole("button", { name: "Create access token" }).click();
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Read keys").check();
      await page.getByRole("dialog").getByRole("button", { name: "Create access token" }).click();
      await page.getByLabel("I've saved this token").check();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    }
    await refuseChanges(page, "/api/me/access-tokens/*");
    await page.getByRole("button", { name: "Revoke first" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("alert").getByText(REFUSED).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Revoke second" }).click();
    await page.getByRole("dialog", { name: "Revoke token “second”?" }).waitFor();
    expect(await dialog.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("turns an endpoint on, except one that the config file has turned on", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/settings/gateway");
    const [messages, responses] = ["Messages API", "Responses API"].map((name) => page.getByRole("switch", { name }));
    await page.getByText("Turned on in the config file").waitFor();
    expect([await messages!.isChecked(), await messages!.isDisabled(), await responses!.isChecked()]).toEqual([true, true, false]);
    await responses!.click();
    const state = (): Promise<OptionalEndpointList> => gateway.platform("GET", "/api/endpoints");
    await eventually(state, ({ data }) => data[1]!.enabled);
    await goTo(page, "/audit");
    await page.getByText("updated the endpoint").filter({ visible: true }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test("stores the theme, shows the last backup, and reloads the config file", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/settings/appearance");
    await page.getByLabel("Dark").check();
    await page.reload();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    expect(await page.getByLabel("Dark").isChecked()).toBe(true);

    await page.getByRole("link", { name: "Gateway" }).click();
    await page.getByText(gateway.baseUrl).waitFor();
    await page.getByText("No backups found.").waitFor();
    await page.getByText("npx tollgate backup /backup --keep 14").waitFor();
    const path = join(gateway.folder, "all.backup");
    await createBackup(
      loadStorageConfig({ TOLLGATE_DATA: join(gateway.folder, "data") }),
      { path, keep: undefined },
      { hasHashSecret: true, hasCredentials: false, hasRequestLog: false, nowMs: Date.now() - 3 * 86_400_000 },
    );
    await lookAgain(page, "/api/backups/last");
    await page.getByText(path).waitFor();
    await page.getByText("The last backup is more than two days old.").waitFor();
    await page.getByRole("button", { name: "Reload config file" }).click();
    await page.getByText("Reloaded. Nothing has changed.").waitFor();
    await page.getByText("Last loaded").waitFor();
    await page.getByRole("link", { name: "acme" }).waitFor();
    writeFileSync(join(gateway.folder, "tollgate.yaml"), "upstreams: 1\n");
    await page.getByRole("button", { name: "Reload config file" }).click();
    await page.getByText("The file has an error, and the previous configuration stays active.").waitFor();
    expect(await page.getByRole("link", { name: "small" }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
