import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { viewInstance, viewInstanceWithLeases } from "../../src/platform/endpoints/instances.ts";
import { SAMPLE_PROCESSES, SHARING_PROCESSES } from "../support/gateway/sample-processes.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { goTo, openBrowser, refuseChanges, REFUSED, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const gateway = await startGateway();

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
});

interface Restarts {
  count: number;
  isRestarting: boolean;
}

/** Shows several processes instead of the single one. */
async function showSeveral(page: Page): Promise<Restarts> {
  const restarts = { count: 0, isRestarting: false };
  await page.route("**/api/instances", (route) =>
    route.fulfill({ json: { data: SAMPLE_PROCESSES.map(viewInstance), restarting: restarts.isRestarting } }),
  );
  for (const process of SAMPLE_PROCESSES) {
    await page.route(`**/api/instances/${process.id}`, (route) => route.fulfill({ json: viewInstanceWithLeases(process) }));
  }
  await page.route("**/api/instances/restart", async (route) => {
    restarts.count++;
    restarts.isRestarting = true;
    await route.fulfill({ status: 202, json: { instances: ["8kQ2vXp0", "Zr51mC7d"] } });
  });
  return restarts;
}

describe.skipIf(!browser)("in a browser", () => {
  let operator: Visit;
  beforeAll(async () => {
    operator = await visitAs(browser!, gateway, null);
  });
  afterEach(() => operator.page.unrouteAll());

  test("shows the single process, which has no button to restart it", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/settings");
    await page.getByRole("link", { name: "Instances" }).click();
    await page.waitForURL("**/instances");
    const single = page.getByRole("list", { name: "Instances" }).getByRole("listitem").filter({ hasText: "Single process" });
    await single.getByText("live").waitFor();
    await single.locator("summary").click();
    await single.getByText(String(gateway.pid), { exact: true }).waitFor();
    await page.getByText("tollgate start --processes auto").waitFor();
    expect(await page.getByRole("button", { name: /^Restart/ }).count()).toBe(0);
    expect(await single.getByText(/leased|heartbeat/i).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("shows several processes, and the leases of the expanded one", async () => {
    const { page, complaints } = operator;
    await showSeveral(page);
    await goTo(page, "/instances");
    const rows = page.getByRole("list", { name: "Instances" }).getByRole("listitem");
    await rows.nth(4).waitFor();
    expect(await rows.locator("summary").allInnerTexts()).toEqual([
      expect.stringMatching(/^Owner process\s+live$/),
      expect.stringMatching(/^Gateway process\s*8kQ2vXp0\s+37 in flight\s+heartbeat 413 ms ago\s+\$12\.44 leased\s+live$/),
      expect.stringMatching(/^Gateway process\s*Zr51mC7d\s+2 in flight\s+heartbeat 413 ms ago\s+\$1\.00 leased\s+draining$/),
      expect.stringMatching(/^Gateway process\s*p0Yw4LbN\s+37 in flight\s+heartbeat 12\.8 s ago\s+\$0\.50 leased\s+disconnected$/),
      expect.stringMatching(/^Gateway process\s*t7Hs9GfE\s+0 in flight\s+no heartbeat\s+\$0\.00 leased\s+starting$/),
    ]);
    await page.getByText("1 of 4").waitFor();
    await rows.nth(1).locator("summary").click();
    const leases = rows.nth(1).getByRole("table", { name: "Leases" });
    await leases.getByRole("link", { name: "acme" }).waitFor();
    expect((await leases.getByRole("row").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      "Lease of ID Amount",
      "account acme $10.000000001",
      "account default $2.4375",
      "key 1t8M70XpfTe0 $0.75",
    ]);
    await rows.nth(4).locator("summary").click();
    await rows.nth(4).getByText("It has leased no credit.").waitFor();
    await leases.getByRole("link", { name: "default" }).click();
    await page.waitForURL("**/accounts/default");
    expect(complaints).toEqual([]);
  });

  test("shows the processes of all machines that share a database, and writes off a lost one", async () => {
    const { page, complaints } = operator;
    await page.route("**/api/instances", (route) =>
      route.fulfill({ json: { data: SHARING_PROCESSES.map(viewInstance), restarting: false } }),
    );
    const lost = SHARING_PROCESSES[1]!;
    await page.route(`**/api/instances/${lost.id}`, (route) => route.fulfill({ json: viewInstanceWithLeases(lost) }));
    await goTo(page, "/instances");
    const rows = page.getByRole("list", { name: "Instances" }).getByRole("listitem");
    await rows.nth(2).waitFor();
    expect(await rows.locator("summary").allInnerTexts()).toEqual([
      expect.stringMatching(/^Gateway and platform\s*gate-1-8kQ2vXp0\s+37 in flight\s+heartbeat 413 ms ago\s+\$0\.00 leased\s+live$/),
      expect.stringMatching(/^Gateway process\s*gate-2-Zr51mC7d\s+37 in flight\s+heartbeat .* ago\s+\$0\.50 leased\s+disconnected$/),
      expect.stringMatching(/^Platform process\s*desk-p0Yw4LbN\s+0 in flight\s+heartbeat 413 ms ago\s+\$0\.00 leased\s+live$/),
    ]);
    await page.getByText("1 of 2").waitFor();
    const reasons: unknown[] = [];
    await page.route(`**/api/instances/${lost.id}/write-off`, async (route) => {
      reasons.push(route.request().postDataJSON());
      await route.fulfill({ json: { written_off: true, instance: viewInstance(lost) } });
    });
    await page.getByRole("button", { name: "Write off gate-2-Zr51mC7d" }).click();
    const dialog = page.getByRole("dialog", { name: "Write off gate-2-Zr51mC7d?" });
    await dialog.getByText("1 lease of $0.50").waitFor();
    await dialog.getByText("1 open hold of $0.04").waitFor();
    await dialog.getByLabel("Reason").fill("its disk failed");
    await dialog.getByRole("button", { name: "Write off" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(reasons).toEqual([{ reason: "its disk failed" }]);
    await rows.nth(1).locator("summary").click();
    await rows.nth(1).getByText("gate-2", { exact: true }).waitFor();
    await rows.nth(1).getByText("1 request, $0.04").waitFor();
    expect(await page.getByRole("button", { name: /^Restart/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("restarts the gateway processes after a confirmation, once", async () => {
    const { page, complaints } = operator;
    const restarts = await showSeveral(page);
    await goTo(page, "/instances");
    await page.getByRole("button", { name: "Restart processes" }).click();
    const dialog = page.getByRole("dialog", { name: "Restart 4 gateway processes?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(restarts.count).toBe(0);
    await page.getByRole("button", { name: "Restart processes" }).click();
    await dialog.getByRole("button", { name: "Restart" }).click();
    await page.getByText("Rolling restart started.").waitFor();
    await page.getByText("Rolling restart in progress").waitFor();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Restarting" }).click({ force: true });
    expect([restarts.count, await dialog.count()]).toEqual([1, 0]);
    restarts.isRestarting = false;
    await page.getByText("Rolling restart in progress").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  test("shows in the dialog why a restart was rejected", async () => {
    const { page } = operator;
    await showSeveral(page);
    await refuseChanges(page, "**/api/instances/restart");
    await goTo(page, "/instances");
    await page.getByRole("button", { name: "Restart processes" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Restart" }).click();
    await dialog.getByRole("alert").getByText(REFUSED).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Restart processes" }).click();
    await dialog.getByRole("button", { name: "Restart" }).waitFor();
    expect(await dialog.getByRole("alert").count()).toBe(0);
  });
});
