import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Identity } from "../../models/identities/identity.ts";
import { credentialsOf, identityOf, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { DEFAULT_TIMEOUTS } from "../../models/timeouts.ts";
import {
  announce,
  CHANGE,
  declare,
  declaredModel,
  foreign,
  identitySecretsOf,
  putModel,
  putUpstream,
  upstream,
  upstreamWithIdentity,
} from "./catalog-examples.contract.ts";
import type { CatalogReader, CatalogStore } from "./catalog-store.ts";

/** A reader under test, and the store whose catalog it reads. */
export interface CatalogReaderFixture {
  readonly store: CatalogStore;
  readonly reader: CatalogReader;
  /** Resolves when the reader has every change of the store. */
  propagated(): Promise<void>;
  cleanUp(): Promise<void>;
}

const PRICE = { input_per_million: 1.25, output_per_million: 10, effective: "2027-01-31" };

/** Contract tests for every reader of the catalog. */
export function catalogReaderContract(name: string, open: () => Promise<CatalogReaderFixture>): void {
  describe(`${name} implements CatalogReader`, () => {
    let fixture: CatalogReaderFixture;
    let store: CatalogStore;
    let reader: CatalogReader;
    beforeEach(async () => {
      fixture = await open();
      ({ store, reader } = fixture);
      await putUpstream(store, upstream("u", undefined, "sk-first", "sk-second"), CHANGE);
      await putModel(store, declaredModel("a", { price: PRICE, cache: { ttl_seconds: 60 } }), announce("a"), CHANGE);
      await fixture.propagated();
    });
    afterEach(() => fixture.cleanUp());

    const credentials = (): string[] => credentialsOf(reader.upstreams().get("u")!).map((each) => each.reveal());
    const expectSame = async (): Promise<void> => {
      await fixture.propagated();
      expect([...reader.snapshot()]).toStrictEqual([...store.snapshot()]);
      expect([...reader.upstreams()]).toStrictEqual([...store.upstreams()]);
      expect([...reader.priceLists()]).toStrictEqual([...store.priceLists()]);
      for (const id of store.priceLists().keys()) expect([...reader.snapshot(id)]).toStrictEqual([...store.snapshot(id)]);
    };

    test("has the models and upstreams of every origin, in their order", async () => {
      await expectSame();
      await declare(store, "environment", foreign("environment", ["z", "b"]));
      await expectSame();
      await declare(store, "file", foreign("file", ["a", "c"], "u"));
      await expectSame();
      await putUpstream(store, { id: "e", dialect: "echo" }, CHANGE);
      await store.removeUpstream("u", () => ({ change: CHANGE }));
      await expectSame();
      await putModel(store, declaredModel("a"), announce("a", { name: "retired", replacement: "b" }), CHANGE);
      await declare(store, "file", { upstreams: [], catalog: new Map() });
      await expectSame();
      expect(reader.snapshot().get("a")!.state).toEqual({ name: "retired", replacement: "b" });
    });

    test("has the price lists, and the models at the prices of each", async () => {
      const models = { a: { prices: [PRICE, { ...PRICE, output_per_million: 9, effective: "2027-03-31" }] } };
      await store.updatePriceList("p", () => ({ record: { id: "p", name: "P", percent: 50, models }, change: CHANGE }));
      await expectSame();
      expect(
        reader
          .snapshot("p")
          .get("a")!
          .prices.map(({ priceList }) => priceList),
      ).toEqual(["p", "p"]);
      const before = reader.snapshot("p");
      await putUpstream(store, upstream("v"), CHANGE);
      await expectSame();
      await store.removePriceList("p", () => ({ change: CHANGE }));
      await expectSame();
      expect([reader.priceLists().size, reader.snapshot("p") === before]).toEqual([0, false]);
    });

    test("has the endpoints that are on", async () => {
      for (const isOn of [false, true, false]) {
        await store.updateEndpoint("messages", () => ({ record: isOn, change: CHANGE }));
        await fixture.propagated();
        expect([...reader.endpoints()]).toEqual(isOn ? ["messages"] : []);
      }
    });

    test("has the credentials of upstreams, and changed ones at once", async () => {
      expect(credentials()).toEqual(["sk-first", "sk-second"]);
      await putUpstream(store, upstream("u", undefined, "sk-first", "sk-rotated"), CHANGE);
      await fixture.propagated();
      expect(credentials()).toEqual(["sk-first", "sk-rotated"]);
    });

    test("has the secrets of identities, and changed ones at once", async () => {
      for (const secret of ["first", "rotated"]) {
        await putUpstream(store, upstreamWithIdentity("cloud", secret), CHANGE);
        await expectSame();
        expect(identitySecretsOf(reader.upstreams().get("cloud")!)).toEqual({
          secret_access_key: `secret-${secret}`,
          external_id: `external-${secret}`,
        });
      }
    });

    test("snapshots are immutable, and settings that did not change stay the same object", async () => {
      const before = [reader.snapshot(), reader.upstreams(), reader.upstreams().get("u")] as const;
      await putUpstream(store, upstream("v"), CHANGE);
      await putModel(store, declaredModel("b"), announce("b"), CHANGE);
      await fixture.propagated();
      expect([before[0].size, before[1].size, reader.snapshot().size, reader.upstreams().size]).toEqual([1, 1, 2, 2]);
      expect(reader.upstreams().get("u")).toBe(before[2]);
    });

    test("the identity of a changed upstream stays the same object: its credentials belong to it", async () => {
      const identity = (): Identity => identityOf(reader.upstreams().get("cloud")!)!;
      await putUpstream(store, upstreamWithIdentity("cloud", "first"), CHANGE);
      await fixture.propagated();
      const before = identity();
      const changed = upstreamWithIdentity("cloud", "first");
      await putUpstream(store, { ...changed, timeouts: { ...DEFAULT_TIMEOUTS, totalMs: 7 } } as UpstreamSettings, CHANGE);
      await fixture.propagated();
      expect(reader.upstreams().get("cloud")).toMatchObject({ timeouts: { totalMs: 7 } });
      expect(identity()).toBe(before);
    });
  });
}
