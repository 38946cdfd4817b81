import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { makeAlert, type AlertKind } from "../../alerts/alert.ts";
import type { RaisedAlert } from "../../alerts/raised-alert.ts";
import type { AlertStore, Finding } from "./alert-store.ts";
import type { AlertFilter, RaisedAlertStore } from "./raised-alert-store.ts";

/** A store under test, and the `AlertStore` that raises alerts in the same database. */
export interface RaisedAlertStoreFixture {
  readonly store: RaisedAlertStore;
  readonly alerts: AlertStore;
  /** Runs a statement on the database. */
  run(statement: string): Promise<unknown>;
  cleanUp(): Promise<void>;
}

const NOW = 1_000_000;
const BY = { atMs: NOW + 5, by: "person_1", byName: "Ada" };

function found(subject: string, data: object = {}, atMs = NOW, kind: AlertKind = "credit.low"): Finding & { alert: { id: string } } {
  return { subject, mark: { value: subject, atMs }, alert: makeAlert(kind, { ...data }, atMs), webhookIds: [] };
}

/** Contract tests for every implementation of this port. */
export function raisedAlertStoreContract(name: string, open: () => Promise<RaisedAlertStoreFixture>): void {
  describe(`${name} implements RaisedAlertStore`, () => {
    let fixture: RaisedAlertStoreFixture;
    let store: RaisedAlertStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    const acknowledge = (id: string, by = BY): Promise<void> =>
      store.acknowledge(id, by, ownChange("alert.acknowledge", { kind: "alert", id }, null, by.atMs));
    const listed = async (filter: AlertFilter = {}): Promise<readonly RaisedAlert[]> => store.list(filter, undefined, 99);
    const idsOf = async (filter: AlertFilter): Promise<string[]> => (await listed(filter)).map(({ id }) => id);

    test("lists raised alerts newest first, in pages, by what they are about", async () => {
      const data = { account: { id: "acme", name: "Acme" } };
      const ofKey = found("k", { key: { id: "k1", name: "k" }, ...data }, NOW + 2, "cap.near");
      const ofUpstream = found("u", { upstream: "openai" }, NOW + 2, "upstream.ejected");
      const ofModel = found("m", { model: "m1" }, NOW + 3, "model.retiring");
      const ofAccount = found("a", data);
      await fixture.alerts.raise([ofAccount, ofKey, ofUpstream, ofModel], NOW);
      const all = await listed();
      expect([all[0]!.id, all[3]]).toEqual([
        ofModel.alert.id,
        { id: ofAccount.alert.id, kind: "credit.low", atMs: NOW, data, resolvedAtMs: null, acknowledged: null },
      ]);
      const first = await store.list({}, undefined, 2);
      expect([...first, ...(await store.list({}, first[1], 9))]).toEqual([...all]);
      for (const [filter, expected] of [
        [{ accountId: "acme" }, [ofKey, ofAccount]],
        [{ keyId: "k1" }, [ofKey]],
        [{ upstream: "openai" }, [ofUpstream]],
        [{ model: "m1" }, [ofModel]],
        [{ kind: "credit.low", state: "open" }, [ofAccount]],
        [{ accountId: "acme", model: "m1" }, []],
      ] as const) {
        expect(await idsOf(filter)).toEqual(expected.map(({ alert }) => alert.id));
      }
    });

    test("an alert is open until it is acknowledged or its condition has ended", async () => {
      const [first, second] = [found("a"), found("b", {}, NOW + 1)];
      await fixture.alerts.raise([first, second], NOW);
      expect(await store.countOpen()).toBe(2);
      await acknowledge(first.alert.id);
      await acknowledge(first.alert.id, { ...BY, by: "person_2" });
      expect([await idsOf({ state: "open" }), await idsOf({ state: "acknowledged" })]).toEqual([[second.alert.id], [first.alert.id]]);
      // Another alert about the same subject replaces the previous one.
      const later = found("b", {}, NOW + 7);
      await fixture.alerts.raise(
        [
          { subject: "a", mark: undefined, webhookIds: [] },
          { ...later, mark: { value: "x", atMs: NOW } },
        ],
        NOW + 7,
      );
      expect(await idsOf({ state: "resolved" })).toEqual([second.alert.id, first.alert.id]);
      expect(await store.find(first.alert.id)).toMatchObject({ resolvedAtMs: NOW + 7, acknowledged: BY });
      expect([await idsOf({ state: "open" }), await store.countOpen(), await store.find("none")]).toEqual([[later.alert.id], 1, undefined]);
    });

    test("an alert that says that another is over resolves it, and is not listed", async () => {
      const ejected = found("route", { upstream: "u" }, NOW, "upstream.ejected");
      await fixture.alerts.raise([ejected], NOW);
      await fixture.alerts.raise([found("route", { upstream: "u" }, NOW + 1, "upstream.restored")], NOW + 1);
      expect(await listed()).toMatchObject([{ id: ejected.alert.id, resolvedAtMs: NOW + 1 }]);
    });

    test("deletes old alerts that are resolved or acknowledged, and all but the newest ten thousand", async () => {
      const [lasting, acknowledged, resolved, recent] = [found("a", {}, 1), found("b", {}, 2), found("c", {}, 3), found("d", {}, NOW)];
      await fixture.alerts.raise([lasting, acknowledged, resolved, recent], 5);
      await acknowledge(acknowledged.alert.id);
      await fixture.alerts.raise(
        [resolved, recent].map(({ subject }) => ({ subject, mark: undefined, webhookIds: [] })),
        9,
      );
      await fixture.alerts.forgetRaised(NOW);
      expect(await idsOf({})).toEqual([recent.alert.id, lasting.alert.id]);
      await fixture.alerts.raise([found("e", {}, NOW + 1)], NOW);
      await fixture.run(`with recursive places(at) as (select 1 union all select at + 1 from places where at < 9999)
        insert into raised_alerts (id, kind, at_ms, data) select 'more-' || at, 'credit.low', ${NOW + 1}, '{}' from places`);
      await fixture.alerts.forgetRaised(0);
      expect([(await store.list({}, undefined, 20_000)).length, await store.find(lasting.alert.id)]).toEqual([10_000, undefined]);
    });
  });
}
