import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { issueKey, type KeyRecord } from "../../src/access/api-key.ts";
import { plainModel, type ModelState } from "../../src/models/catalog.ts";
import { NO_CAPS, NO_LIMITS } from "../../src/money/limits.ts";
import { makePrice } from "../../src/money/price.ts";
import { parseDollars } from "../../src/money/money.ts";
import type { ModelHealth } from "../../src/models/upstream-health.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { Webhook } from "../../src/alerts/webhook.ts";
import { CHANGE, ClockedAlerts } from "./clocked-alerts.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let alerts: ClockedAlerts;
let webhook: Webhook;
beforeEach(async () => {
  alerts = await ClockedAlerts.open();
  webhook = await alerts.addWebhook("https://hooks.example/all");
});
afterEach(() => alerts.stop());

async function makeKey(caps: Partial<KeyRecord["caps"]> = {}): Promise<KeyRecord> {
  const wanted = {
    name: "a key",
    accountId: "default",
    models: ["*"],
    limits: NO_LIMITS,
    caps: { ...NO_CAPS, ...caps },
    expiresAtMs: null,
  };
  const { record } = issueKey(wanted, new Secret("hash"), alerts.clock.nowMs);
  await alerts.stores.keys.add(record, CHANGE);
  return record;
}

function names(told: readonly { readonly type: string }[]): string[] {
  return told.map(({ type }) => type);
}

/** Uses a key every hour for this many hours, with an evaluation after each use. */
async function useHourly(key: KeyRecord, hours: number, dollars: string): Promise<string[]> {
  const told: string[] = [];
  for (let hour = 0; hour < hours; hour++) {
    await alerts.spend(dollars, key.id);
    told.push(...names(await alerts.look(webhook)));
    alerts.clock.nowMs += HOUR_MS;
  }
  return told;
}

async function declare(state: ModelState): Promise<void> {
  const model = { ...plainModel("old", { upstream: "u", upstreamModel: "m" }), state };
  const declared = { upstreams: [{ id: "u", dialect: "echo" as const }], catalog: new Map([["old", model]]) };
  await alerts.stores.catalog.declare("environment", () => ({ declared, announcements: [] }));
}

describe("an account", () => {
  test("that runs out of credit raises one alert, across restarts, and another after credit was added", async () => {
    const key = await makeKey();
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.grant("5");
    await alerts.spend("4.5", key.id);
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.spend("0.5", key.id);
    expect(await alerts.look(webhook)).toMatchObject([
      { type: "credit.low", data: { account: { id: "default", name: "Default" }, credit: "0.00", low_credit: "0.00" } },
    ]);
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.restart();
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.grant("1");
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.spend("1", key.id);
    expect(names(await alerts.look(webhook))).toEqual(["credit.low"]);
  });

  test("that ran low right before a crash raises an alert after the restart", async () => {
    const key = await makeKey();
    await alerts.grant("5");
    await alerts.watcher.evaluate();
    await alerts.spend("5", key.id);
    await alerts.restart();
    expect(names(await alerts.look(webhook))).toEqual(["credit.low"]);
  });

  test("whose request is rejected because of credit raises one alert, across restarts, and another after credit was added", async () => {
    const key = await makeKey();
    await alerts.grant("5");
    await alerts.spend("4.5", key.id);
    expect(await alerts.look(webhook)).toEqual([]);
    const refuse = (left: string): void => alerts.refuse({ scope: "account", what: "credit" }, left);
    refuse("0.5");
    expect(await alerts.look(webhook)).toMatchObject([{ type: "credit.low", data: { credit: "0.50", low_credit: "0.00" } }]);
    await alerts.restart();
    refuse("0.5");
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.grant("1");
    expect(await alerts.look(webhook)).toEqual([]);
    refuse("1.5");
    expect(names(await alerts.look(webhook))).toEqual(["credit.low"]);
  });

  test("has its own threshold and caps", async () => {
    const key = await makeKey();
    const account = alerts.stores.accounts.find("default")!;
    const caps = { ...NO_CAPS, monthNanos: parseDollars("10") };
    const record = { ...account, lowCreditNanos: parseDollars("50")!, caps: caps as KeyRecord["caps"] };
    await alerts.stores.accounts.update("default", () => ({ record, change: CHANGE }));
    await alerts.grant("58");
    await alerts.spend("8", key.id);
    expect(await alerts.look(webhook)).toMatchObject([
      { type: "cap.near", data: { scope: "account", account: { id: "default" }, period: "month", cap: "10.00", spent: "8.00" } },
    ]);
    await alerts.spend("2", key.id);
    expect(await alerts.look(webhook)).toMatchObject([
      { type: "credit.low", data: { credit: "48.00", low_credit: "50.00" } },
      { type: "cap.reached", data: { scope: "account", spent: "10.00" } },
    ]);
  });
});

describe("a key", () => {
  test("that reaches its cap raises an alert, also when the cap was lowered without new spend", async () => {
    await alerts.grant("100");
    const [spending, idle] = [await makeKey({ dayNanos: parseDollars("1")! }), await makeKey()];
    await alerts.spend("3", spending.id);
    await alerts.spend("3", idle.id);
    expect(await alerts.look(webhook)).toMatchObject([
      { type: "cap.reached", data: { scope: "key", key: { id: spending.id, name: "a key" }, account: { id: "default" }, period: "day" } },
    ]);
    const record = { ...idle, caps: { ...NO_CAPS, totalNanos: parseDollars("2")! } };
    await alerts.stores.keys.update(idle.id, () => ({ record, change: CHANGE }));
    await alerts.watcher.evaluate();
    expect(await alerts.look(webhook)).toMatchObject([{ type: "cap.reached", data: { key: { id: idle.id }, period: "total" } }]);
  });

  test("that is rejected by its cap raises one alert, across restarts, and another on the next day", async () => {
    await alerts.grant("100");
    const key = await makeKey({ dayNanos: parseDollars("1")!, monthNanos: parseDollars("50")! });
    await alerts.spend("0.7", key.id);
    expect(await alerts.look(webhook)).toEqual([]);
    const refuse = (): void => alerts.refuse({ scope: "key", what: "day" }, "0.3", key.id);
    refuse();
    expect(await alerts.look(webhook)).toMatchObject([
      { type: "cap.reached", data: { scope: "key", key: { id: key.id }, period: "day", cap: "1.00", spent: "0.70" } },
    ]);
    await alerts.restart();
    refuse();
    expect(await alerts.look(webhook)).toEqual([]);
    alerts.clock.nowMs += DAY_MS;
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.spend("0.7", key.id);
    refuse();
    expect(names(await alerts.look(webhook))).toEqual(["cap.reached"]);
  });

  test("that was revoked raises no alert", async () => {
    await alerts.grant("100");
    const key = await makeKey({ dayNanos: parseDollars("1")! });
    await alerts.spend("3", key.id);
    await alerts.stores.keys.revoke(key.id, () => ({ record: { ...key, revokedAtMs: alerts.clock.nowMs }, change: CHANGE }));
    expect(await alerts.look(webhook)).toEqual([]);
  });

  test("that spends ten times its hourly baseline raises one alert, until a usual hour, across restarts", async () => {
    await alerts.grant("100000");
    const key = await makeKey();
    expect(await useHourly(key, 30, "0.5")).toEqual([]);
    await alerts.restart();
    await alerts.spend("4", key.id);
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.restart();
    await alerts.spend("2", key.id);
    expect(await alerts.look(webhook)).toMatchObject([
      {
        type: "key.unusual_spend",
        data: {
          key: { id: key.id, name: "a key" },
          account: { id: "default" },
          spent: "6.00",
          usual_hour: "0.50",
          hour: "2027-03-11T18:00:00.000Z",
        },
      },
    ]);
    await alerts.spend("20", key.id);
    expect(await alerts.look(webhook)).toEqual([]);
    alerts.clock.nowMs += HOUR_MS;
    // The spending continues in the next hour.
    expect(await useHourly(key, 1, "30")).toEqual([]);
    expect(await useHourly(key, 48, "0.1")).toEqual([]);
    expect(await useHourly(key, 1, "60")).toEqual(["key.unusual_spend"]);
  });

  test("that spends nothing after an unusual hour has its alert resolved after a day", async () => {
    await alerts.grant("100000");
    const key = await makeKey();
    await useHourly(key, 30, "0.5");
    expect(await useHourly(key, 1, "60")).toEqual(["key.unusual_spend"]);
    const lookLater = async (hours: number): Promise<number> => {
      alerts.clock.nowMs += hours * HOUR_MS;
      await alerts.watcher.evaluate();
      await alerts.watcher.evaluate();
      return alerts.stores.alerts.marks.size;
    };
    expect(await lookLater(22)).toBe(1);
    expect(await lookLater(2)).toBe(0);
  });

  test("raises no alert for small amounts, nor without a baseline", async () => {
    await alerts.grant("100000");
    const small = await makeKey();
    expect(await useHourly(small, 30, "0.001")).toEqual([]);
    expect(await useHourly(small, 1, "0.9")).toEqual([]);
    const young = await makeKey();
    expect(await useHourly(young, 12, "0.5")).toEqual([]);
    expect(await useHourly(young, 1, "500")).toEqual([]);
  });
});

describe("a route", () => {
  test("that is ejected and restored raises alerts", async () => {
    const out: ModelHealth = {
      upstreamModel: "m",
      state: "ejected",
      probeDueInMs: 9,
      inFlight: 0,
      latencyMs: undefined,
      recent: { calls: 5, failures: 5 },
    };
    await alerts.stores.catalog.updateUpstream("u", () => ({ record: { id: "u", dialect: "echo" }, change: CHANGE }));
    alerts.health = [out];
    expect(await alerts.look(webhook)).toMatchObject([{ type: "upstream.ejected", data: { upstream: "u", upstream_model: "m" } }]);
    await alerts.restart();
    alerts.health = [];
    expect(await alerts.look(webhook)).toEqual([]);
    alerts.health = [{ ...out, state: "healthy", recent: { calls: 1, failures: 0 } }];
    expect(names(await alerts.look(webhook))).toEqual(["upstream.restored"]);
    alerts.health = [out];
    expect(await alerts.look(webhook)).toEqual([]);
    await alerts.stores.catalog.removeUpstream("u", () => ({ change: CHANGE }));
    await alerts.watcher.evaluate();
    await alerts.watcher.evaluate();
    expect(alerts.stores.alerts.marks.size).toBe(0);
  });
});

describe("a deprecated model", () => {
  test("raises alerts 30, 7 and 1 days before its shutdown date and on it, each once, while keys use it", async () => {
    const keys = [await makeKey(), await makeKey()];
    const use = (): void => keys.forEach(({ id }) => alerts.stores.lastUsed.noteModel(id, "old", alerts.clock.nowMs));
    await declare({ name: "deprecated", shutdownDate: "2027-04-20", replacement: "new" });
    const told: unknown[] = [];
    for (let day = 0; day < 45; day++) {
      use();
      for (const _ of [1, 2]) {
        for (const { type, data } of await alerts.look(webhook)) told.push([type, data["days_left"], data["keys_in_last_7_days"]]);
        alerts.clock.nowMs += DAY_MS / 2;
      }
    }
    expect(told).toEqual([30, 7, 1, 0].map((days) => ["model.retiring", days, 2]));
  });

  test("is checked immediately when the clock was set back", async () => {
    alerts.clock.nowMs += 400 * DAY_MS;
    await alerts.look(webhook);
    alerts.clock.nowMs -= 400 * DAY_MS;
    const key = await makeKey();
    await declare({ name: "deprecated", shutdownDate: "2027-03-12", replacement: "new" });
    alerts.stores.lastUsed.noteModel(key.id, "old", alerts.clock.nowMs);
    expect(names(await alerts.look(webhook))).toEqual(["model.retiring"]);
  });

  test("raises no alert while nobody uses it, nor after its removal", async () => {
    const key = await makeKey();
    await declare({ name: "deprecated", shutdownDate: "2027-03-12", replacement: "new" });
    alerts.stores.lastUsed.noteModel(key.id, "old", alerts.clock.nowMs - 8 * DAY_MS);
    expect(await alerts.look(webhook)).toEqual([]);
    alerts.stores.lastUsed.noteModel(key.id, "old", alerts.clock.nowMs);
    alerts.clock.nowMs += HOUR_MS;
    expect(await alerts.look(webhook)).toMatchObject([
      {
        type: "model.retiring",
        data: { model: "old", shutdown_date: "2027-03-12", days_left: 2, replacement: "new", keys_in_last_7_days: 1 },
      },
    ]);
    await declare({ name: "retired", replacement: "new" });
    alerts.clock.nowMs += HOUR_MS;
    expect([await alerts.look(webhook), alerts.stores.alerts.marks.size]).toEqual([[], 0]);
  });
});

const NANO_PRICE = makePrice({
  effectiveAtMs: 0,
  source: "operator",
  rates: { inputPicos: 10n, cachedInputPicos: 10n, cacheWritePicos: 10n, outputPicos: 10n, reasoningPicos: 10n },
  tiers: [],
});

async function setList(id: string, percent: number): Promise<void> {
  await alerts.stores.catalog.updatePriceList(id, () => ({ record: { id, name: id, percent }, change: CHANGE }));
}

async function assign(priceList: string | null): Promise<void> {
  const account = alerts.stores.accounts.find("default")!;
  await alerts.stores.accounts.update("default", () => ({ record: { ...account, priceList }, change: CHANGE }));
}

describe("a price list below the cost", () => {
  beforeEach(async () => {
    const model = plainModel("m", { upstream: "u", upstreamModel: "m" });
    const sold = { ...model, prices: [NANO_PRICE], routes: [{ ...model.routes[0]!, cost: NANO_PRICE }] };
    const declared = { upstreams: [{ id: "u", dialect: "echo" as const }], catalog: new Map([["m", sold]]) };
    await alerts.stores.catalog.declare("environment", () => ({ declared, announcements: [] }));
    await setList("half", 50);
    await setList("full", 100);
    expect(await alerts.look(webhook)).toEqual([]);
  });

  test("is alerted at the next evaluation after an account has it, and ends when no account has", async () => {
    await assign("half");
    expect(await alerts.look(webhook)).toMatchObject([{ type: "model.sold_below_cost", data: { below_cost: [{ price_list: "half" }] } }]);
    await assign(null);
    expect([await alerts.look(webhook), alerts.stores.alerts.marks.size]).toEqual([[], 0]);
  });

  test("is alerted at the next evaluation after its percentage has changed", async () => {
    await assign("full");
    expect(await alerts.look(webhook)).toEqual([]);
    await setList("full", 90);
    expect(await alerts.look(webhook)).toMatchObject([{ type: "model.sold_below_cost", data: { below_cost: [{ price_list: "full" }] } }]);
  });
});

test("each webhook receives its chosen kinds, a paused one nothing, and a new one nothing from before", async () => {
  const caps = await alerts.addWebhook("https://hooks.example/caps", ["cap.reached"]);
  const paused = await alerts.addWebhook("https://hooks.example/paused");
  await alerts.stores.webhooks.update(paused.id, () => ({ record: { ...paused, paused: "so" }, change: CHANGE }));
  await alerts.grant("1");
  const key = await makeKey({ totalNanos: parseDollars("1")! });
  await alerts.spend("1", key.id);
  await alerts.watcher.evaluate();
  const late = await alerts.addWebhook("https://hooks.example/late");
  await alerts.watcher.evaluate();
  const told = await Promise.all([webhook, caps, paused, late].map((each) => alerts.told(each)));
  expect(told.map(names)).toEqual([["credit.low", "cap.reached"], ["cap.reached"], [], []]);
});
