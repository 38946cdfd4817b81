import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { makeAlert, type Alert } from "../../alerts/alert.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import type { AlertStore, Finding, DeliveryAttempt } from "./alert-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface AlertStoreFixture {
  readonly store: AlertStore;
  /** Makes the database writable or not. */
  setWritable(isWritable: boolean): Promise<void>;
  reopen(): Promise<AlertStore>;
  /** The number of stored alerts. */
  countAlerts(): Promise<number>;
  /** Runs a statement on the database. */
  run(statement: string): Promise<unknown>;
  cleanUp(): Promise<void>;
}

const NOW = 1_000_000;

function alertAt(atMs: number): Alert {
  return makeAlert("credit.low", { account: { id: "acme", name: "Acme" } }, atMs);
}

function finding(subject: string, webhookIds: readonly string[], atMs = NOW): Finding & { alert: Alert } {
  return { subject, mark: { value: "low", atMs }, alert: alertAt(atMs), webhookIds };
}

const FAILED: DeliveryAttempt = { atMs: NOW, durationMs: 7, status: 500, problem: "It answered with status 500." };
const resolveTo = (kind: string): string[] => (kind === "credit.low" ? ["w2"] : []);
const TAKEN: DeliveryAttempt = { atMs: NOW, durationMs: 8, status: 204, problem: null };

/** Contract tests for every implementation of this port. */
export function alertStoreContract(name: string, open: () => Promise<AlertStoreFixture>): void {
  describe(`${name} implements AlertStore`, () => {
    let fixture: AlertStoreFixture;
    let store: AlertStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    test("a raised alert is due at each webhook, with its mark, even after a restart", async () => {
      const raised = finding("a", ["w1", "w2"]);
      await store.raise([raised, { subject: "quiet", mark: { value: "x", atMs: 1 }, webhookIds: [] }], NOW);
      for (const each of [store, await fixture.reopen()]) {
        expect(Object.fromEntries(each.marks)).toEqual({ a: { value: "low", atMs: NOW }, quiet: { value: "x", atMs: 1 } });
        for (const webhookId of ["w1", "w2"]) {
          const due = await each.due(webhookId, NOW, 9);
          expect(due).toMatchObject([{ alertId: raised.alert.id, attemptsMade: 0 }]);
          expect(JSON.parse(due[0]!.body)).toEqual({
            type: "credit.low",
            timestamp: new Date(NOW).toISOString(),
            data: { account: { id: "acme", name: "Acme" } },
          });
        }
        expect([await each.due("w3", NOW, 9), await each.due("w1", NOW - 1, 9), await each.countPending()]).toEqual([[], [], 2]);
      }
    });

    test("removes a mark when the alert is over, even after a restart", async () => {
      await store.raise([finding("a", []), finding("b", [])], NOW);
      await store.raise([{ subject: "a", mark: undefined, webhookIds: [] }], NOW);
      for (const each of [store, await fixture.reopen()]) expect([...each.marks.keys()]).toEqual(["b"]);
    });

    test("raises, marks and schedules nothing while the database cannot be written", async () => {
      await fixture.setWritable(false);
      const [raising] = await Promise.allSettled([store.raise([finding("a", ["w1"])], NOW)]);
      expect(raising).toMatchObject({ status: "rejected", reason: expect.any(StorageUnavailable) });
      expect([store.marks.size, await store.countPending()]).toEqual([0, 0]);
      await fixture.setWritable(true);
      await store.raise([finding("a", ["w1"])], NOW);
      expect([store.marks.size, await store.countPending()]).toEqual([1, 1]);
    });

    test("an attempt that was scheduled while the wall clock was ahead is due when the clock is right", async () => {
      const aheadMs = NOW + 400 * 86_400_000;
      await store.raise([finding("a", ["w1"], aheadMs)], NOW);
      expect(await store.due("w1", NOW, 9)).toHaveLength(1);
      const { id } = (await store.due("w1", aheadMs, 1))[0]!;
      await store.recordAttempt(id, FAILED, { state: "pending", attemptAtMs: aheadMs + 5000 });
      expect(await store.due("w1", NOW, 9)).toMatchObject([{ id, attemptsMade: 1 }]);
    });

    test("records attempts in order, and none is due before its time", async () => {
      await store.raise([finding("a", ["w1"])], NOW);
      const { id } = (await store.due("w1", NOW, 1))[0]!;
      await store.recordAttempt(id, FAILED, { state: "pending", attemptAtMs: NOW + 10 });
      expect([await store.due("w1", NOW + 9, 1), (await store.due("w1", NOW + 10, 1))[0]?.attemptsMade]).toEqual([[], 1]);
      await store.recordAttempt(id, TAKEN, { state: "delivered", attemptAtMs: null });
      expect(await store.due("w1", NOW + 99, 1)).toEqual([]);
      const kept = await (await fixture.reopen()).findDelivery("w1", id);
      expect(kept).toMatchObject({
        id,
        kind: "credit.low",
        state: "delivered",
        createdAtMs: NOW,
        nextAttemptAtMs: null,
        attempts: [FAILED, TAKEN],
      });
      expect(await store.findDelivery("w2", id)).toBeUndefined();
    });

    test("a redelivery is due at once, with all attempts, under the same id", async () => {
      const raised = finding("a", ["w1"]);
      await store.raise([raised], NOW);
      const { id } = (await store.due("w1", NOW, 1))[0]!;
      await store.recordAttempt(id, FAILED, { state: "failed", attemptAtMs: null });
      await store.redeliver(id, NOW + 5);
      expect(await store.due("w1", NOW + 5, 1)).toMatchObject([{ id, alertId: raised.alert.id, attemptsMade: 0 }]);
      expect((await store.findDelivery("w1", id))!.attempts).toEqual([FAILED]);
      for (let at = 0; at < 40; at++) await store.recordAttempt(id, { ...FAILED, atMs: at }, { state: "pending", attemptAtMs: NOW });
      expect((await store.findDelivery("w1", id))!.attempts.map(({ atMs }) => atMs)).toEqual(
        Array.from({ length: 30 }, (_, at) => at + 10),
      );
    });

    test("a test delivery is logged, and never due", async () => {
      const delivery = await store.addTestDelivery(makeAlert("webhook.test", {}, NOW), "w1", FAILED);
      expect(delivery).toMatchObject({ kind: "webhook.test", state: "failed", attempts: [FAILED], nextAttemptAtMs: null });
      expect((await store.addTestDelivery(makeAlert("webhook.test", {}, NOW), "w1", TAKEN)).state).toBe("delivered");
      expect([await store.due("w1", NOW + 99, 9), await store.findDelivery("w1", delivery.id)]).toEqual([[], delivery]);
    });

    test("lists deliveries newest first, in pages, by webhook and state", async () => {
      for (let at = 0; at < 5; at++) await store.raise([finding(`s${at}`, at % 2 === 0 ? ["w1", "w2"] : ["w1"], NOW + at)], NOW);
      const all = await store.deliveries("w1", undefined, Number.MAX_SAFE_INTEGER, 9);
      expect(all.map(({ createdAtMs }) => createdAtMs - NOW)).toEqual([4, 3, 2, 1, 0]);
      const first = await store.deliveries("w1", undefined, Number.MAX_SAFE_INTEGER, 2);
      expect([...first, ...(await store.deliveries("w1", undefined, first[1]!.id, 9))]).toEqual([...all]);
      await store.recordAttempt(all[1]!.id, TAKEN, { state: "delivered", attemptAtMs: null });
      expect((await store.deliveries("w1", "delivered", Number.MAX_SAFE_INTEGER, 9)).map(({ id }) => id)).toEqual([all[1]!.id]);
      expect(await store.deliveries("w2", undefined, Number.MAX_SAFE_INTEGER, 9)).toHaveLength(3);
    });

    test("drops and counts the oldest pending deliveries of an unreachable webhook, and of no other", async () => {
      await store.raise([finding("other", ["w2"], 1)], NOW);
      for (let at = 0; at < 11; at++)
        await store.raise(
          Array.from({ length: 100 }, (_, n) => finding(`${at} ${n}`, ["w1"], NOW + at)),
          NOW,
        );
      expect([await store.countPending(), store.dropped]).toEqual([1001, 100]);
      const dropped = await store.deliveries("w1", "dropped", Number.MAX_SAFE_INTEGER, 200);
      expect(dropped.map(({ createdAtMs, nextAttemptAtMs }) => [createdAtMs, nextAttemptAtMs])).toEqual(
        Array.from({ length: 100 }, () => [NOW, null]),
      );
      expect(await store.due("w2", NOW, 9)).toHaveLength(1);
    });

    test("deletes ended deliveries after their retention, and no pending ones", async () => {
      await store.raise([finding("a", ["w1"], 10), finding("b", ["w1"], 20), finding("c", ["w1"], 30)], NOW);
      const [first, second] = await store.due("w1", NOW, 9);
      await store.recordAttempt(first!.id, TAKEN, { state: "delivered", attemptAtMs: null });
      await store.forgetEnded(["w1"], 25);
      const left = await store.deliveries("w1", undefined, Number.MAX_SAFE_INTEGER, 9);
      expect(left.map(({ createdAtMs }) => createdAtMs)).toEqual([30, 20]);
      expect((await store.due("w1", NOW, 9))[0]).toEqual(second);
      expect(await fixture.countAlerts()).toBe(2);
    });

    test("keeps the newest ten thousand ended deliveries of each webhook, and deletes alerts without a delivery", async () => {
      await store.raise([finding("first", ["w1", "w2"], 1)], NOW);
      const places = "with recursive places(at) as (select 1 union all select at + 1 from places where at < 9000)";
      await fixture.run(
        `${places} insert into alerts (id, kind, at_ms, body) select 'ended-' || at, 'credit.low', ${NOW}, '{}' from places`,
      );
      await fixture.run(`${places} insert into deliveries (alert_id, webhook_id, created_at_ms, state, tries_made, tries)
        select 'ended-' || at, 'w1', ${NOW}, 'delivered', 1, '[]' from places`);
      const raise = (at: number): Promise<void> =>
        store.raise(
          Array.from({ length: 500 }, (_, n) => finding(`${at} ${n}`, ["w1"], NOW)),
          NOW,
        );
      for (let at = 0; at < 4; at++) await raise(at);
      expect([await store.countPending(), store.dropped]).toEqual([1001, 1001]);
      await store.forgetEnded(["w1", "w2"], 0);
      expect([await store.countPending(), await fixture.countAlerts()]).toEqual([1001, 11_001]);
      await raise(4);
      await store.forgetEnded(["w1", "w2"], 0);
      expect([await store.countPending(), await fixture.countAlerts()]).toEqual([1001, 11_001]);
      const kept = await store.deliveries("w1", undefined, Number.MAX_SAFE_INTEGER, 20_000);
      expect([kept.length, kept.at(-1)!.id]).toEqual([11_000, kept[0]!.id - 10_999]);
      expect(await store.due("w2", NOW, 9)).toHaveLength(1);
    });

    test("notifies a pager that an alert is over, once, even after a restart", async () => {
      const raised = finding("a", ["w1"]);
      await store.raise([raised, finding("b", [])], NOW);
      const reopened = await fixture.reopen();
      // A mark without an alert continues the alert of the previous mark.
      await reopened.raise([{ subject: "a", mark: { value: "lower", atMs: NOW }, webhookIds: [] }], NOW, resolveTo);
      expect(await reopened.due("w2", NOW + 9, 9)).toEqual([]);
      for (let at = 0; at < 2; at++) await reopened.raise([{ subject: "a", mark: undefined, webhookIds: [] }], NOW + 9, resolveTo);
      const due = await reopened.due("w2", NOW + 9, 9);
      expect(due.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([{ type: "credit.low", resolves: raised.alert.id }]);
    });
  });
}
