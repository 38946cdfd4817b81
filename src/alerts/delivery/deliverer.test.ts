import { expect, test, describe } from "bun:test";
import type { AlertStore, DueDelivery } from "../../stores/alerts/alert-store.ts";
import type { WebhookStore } from "../../stores/alerts/webhook-store.ts";
import { makeWebhook } from "../webhook.ts";
import type { WebhookAnswer } from "../webhook-call.ts";
import { Deliverer, MAX_ATTEMPTS, waitAfter } from "./deliverer.ts";

const TAKEN: WebhookAnswer = { status: 204, problem: null, retryAfterMs: null };

test("does not send a delivery twice that ends during a poll, and sends the ones after it", async () => {
  const webhook = makeWebhook({ name: "a", url: "https://hooks.example/", allowPrivate: false, kinds: null, paused: null }, 0);
  const pending = new Map<number, DueDelivery>();
  const add = (id: number): void => void pending.set(id, { id, alertId: `msg_${id}`, body: "{}", attemptsMade: 0 });
  const firstAnswer = Promise.withResolvers<WebhookAnswer>();
  const secondRead = Promise.withResolvers<void>();
  let reads = 0;
  const alerts = {
    async due() {
      const due = [...pending.values()];
      if (++reads === 2) await secondRead.promise;
      return due;
    },
    async recordAttempt(id: number) {
      pending.delete(id);
    },
  };
  const sent: string[] = [];
  const deliverer = new Deliverer({
    webhooks: { list: () => [webhook], find: () => webhook } as unknown as WebhookStore,
    alerts: alerts as unknown as AlertStore,
    call: async ({ headers }) => (sent.push(headers["webhook-id"]!) === 1 ? firstAnswer.promise : TAKEN),
    nowMs: () => 0,
    report: () => undefined,
  });
  add(1);
  const first = deliverer.sendDue();
  await Bun.sleep(0);
  add(2);
  const second = deliverer.sendDue();
  firstAnswer.resolve(TAKEN);
  await first;
  secondRead.resolve();
  await second;
  expect(sent).toEqual(["msg_1", "msg_2"]);
});

describe("next attempt", () => {
  const HOUR_MS = 3_600_000;

  function waits(random: number): number[] {
    return Array.from({ length: MAX_ATTEMPTS - 1 }, (_, at) => waitAfter(at + 1, null, random)!);
  }

  test("waits grow from seconds to hours, and retries end after about a day", () => {
    expect(waits(0).slice(0, 4)).toEqual([5_000, 30_000, 120_000, 600_000]);
    expect(waits(0)).toEqual(waits(0).toSorted((a, b) => a - b));
    expect(waits(0).reduce((sum, each) => sum + each) / HOUR_MS).toBeWithin(23, 26);
    expect(waitAfter(MAX_ATTEMPTS, null, 0)).toBeUndefined();
    expect(waitAfter(MAX_ATTEMPTS, HOUR_MS, 0)).toBeUndefined();
  });

  test("jitter spreads retries, and never shortens a wait", () => {
    expect(waits(1).every((each, at) => each > waits(0)[at]! && each <= waits(0)[at]! * 1.25)).toBe(true);
  });

  test("a receiver's Retry-After extends a wait up to a day, and never shortens it", () => {
    expect([waitAfter(1, 60_000, 0), waitAfter(4, 60_000, 0), waitAfter(1, 1e12, 0)]).toEqual([60_000, 600_000, 24 * HOUR_MS]);
  });
});
