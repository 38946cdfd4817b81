import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { plainModel, type ModelState } from "../../models/catalog.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import { toPriceList, type DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import { FREE, percentOf, type Price } from "../../money/price.ts";
import { credentialsOf, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { DEFAULT_TIMEOUTS } from "../../models/timeouts.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { removalContract, updateContract } from "../update.contract.ts";
import {
  announce,
  CHANGE,
  declare,
  declaredModel,
  foreign,
  publishedPrice,
  putModel,
  identitySecretsOf,
  putUpstream,
  upstreamWithIdentity,
  upstream,
} from "./catalog-examples.contract.ts";
import type { CatalogStore, DeclaredCatalog } from "./catalog-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface CatalogStoreFixture {
  readonly store: CatalogStore;
  /** Whether a price is on record. */
  hasPrice(price: Price): Promise<boolean>;
  auditLog(): AuditLogStore;
  reopen(): Promise<CatalogStore>;
  cleanUp(): Promise<void>;
}

const DEPRECATED = { name: "deprecated", shutdownDate: "2027-01-31", replacement: "b" } as const satisfies ModelState;
const RETIRED: ModelState = { name: "retired", replacement: "b" };
const CREDENTIALS = ["sk-credential", "sk-another", "sk-third"];
const PARTNERS: DeclaredPriceList = { id: "partners", name: "Partners", percent: 80 };
const NOTHING: DeclaredCatalog = { upstreams: [], catalog: new Map() };

/** Contract tests for every implementation of this port. */
export function catalogStoreContract(name: string, openFixture: () => Promise<CatalogStoreFixture>): void {
  describe(`${name} implements CatalogStore`, () => {
    let fixture: CatalogStoreFixture;
    let store: CatalogStore;
    beforeEach(async () => {
      fixture = await openFixture();
      ({ store } = fixture);
      await putUpstream(store, upstream("u"), CHANGE);
    });
    afterEach(() => fixture.cleanUp());

    const ownerOf = (id: string): string | undefined => store.snapshot().get(id)?.ownedBy;

    test("wildcard models stand for the models that their upstream has listed at its base URL, even after a restart", async () => {
      const listed = { name: "new", upstreamModel: "their-new", ownedBy: "u", createdSeconds: 1 };
      await putModel(store, declaredModel("u/*", { routes: [{ upstream: "u", model: "*" }] }), announce("u/*"), CHANGE);
      await store.recordDiscovered({ upstream: "u", baseUrl: "https://a.example/v1", models: [listed], foundAtMs: 1 });
      const price = publishedPrice("https://a.example/v1");
      const reopened = await fixture.reopen();
      for (const each of [store, reopened]) {
        expect([...each.snapshot().keys()]).toEqual(["u/new", "u/*"]);
        expect(each.snapshot().get("u/new")).toMatchObject({
          expandedFrom: "u/*",
          prices: [price],
          routes: [{ upstreamModel: "their-new" }],
        });
        expect([each.originOfModel("u/new"), each.declaredModel("u/new")]).toEqual(["operator", undefined]);
      }
      expect(await fixture.hasPrice(price)).toBe(true);
      await putModel(reopened, declaredModel("u/new"), announce("u/new"), CHANGE);
      expect(reopened.snapshot().get("u/new")).toMatchObject({ expandedFrom: undefined, ownedBy: "acme" });
      await putUpstream(reopened, upstream("u", "https://b.example/v1"), CHANGE);
      expect([...reopened.snapshot().keys()]).toEqual(["u/*", "u/new"]);
    });

    test("the models that an upstream has listed are removed with it, of whichever origin, even after a restart", async () => {
      const list = (id: string): Promise<void> =>
        store.recordDiscovered({ upstream: id, baseUrl: "https://a.example/v1", models: [], foundAtMs: 1 });
      const listed = async (): Promise<string[][]> => [[...store.discovered().keys()], [...(await fixture.reopen()).discovered().keys()]];
      await declare(store, "file", { upstreams: [upstream("of-file"), upstream("v")], catalog: new Map() });
      for (const id of ["u", "of-file", "v", "unknown"]) await list(id);
      expect([...store.discovered().keys()]).toEqual(["u", "of-file", "v"]);
      await declare(store, "file", { upstreams: [upstream("v")], catalog: new Map() });
      await store.removeUpstream("u", () => ({ change: CHANGE }));
      expect(await listed()).toEqual([["v"], ["v"]]);
    });

    test("the models that an upstream has listed can be deleted", async () => {
      await store.recordDiscovered({ upstream: "u", baseUrl: "https://a.example/v1", models: [], foundAtMs: 1 });
      await store.forgetDiscovered("u");
      await store.forgetDiscovered("unknown");
      expect([[...store.discovered().keys()], [...(await fixture.reopen()).discovered().keys()]]).toEqual([[], []]);
    });

    test("a stored route to a name with a *, as there may be since before wildcard models, is read", async () => {
      await putModel(store, declaredModel("a", { free: true, routes: [{ upstream: "u", model: "their-*" }] }), announce("a"), CHANGE);
      expect((await fixture.reopen()).snapshot().get("a")).toMatchObject({ routes: [{ upstreamModel: "their-*" }] });
    });

    updateContract<DeclaredModel>("updateModel", () => ({
      id: "a",
      record: declaredModel("a"),
      add: () => putModel(store, declaredModel("a"), announce("a"), CHANGE),
      update: (id, make) => store.updateModel(id, make),
      first: (current) => ({ ...current, context_window: 7 }),
      second: (current) => ({ ...current, owned_by: "beta" }),
      find: (id) => store.declaredModel(id),
      findAfterRestart: async (id) => (await fixture.reopen()).declaredModel(id),
      auditLog: () => fixture.auditLog(),
    }));
    const list = {
      id: "partners",
      record: PARTNERS,
      add: () => store.updatePriceList("partners", () => ({ record: PARTNERS, change: CHANGE })),
      find: (id: string) => store.declaredPriceList(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).declaredPriceList(id),
      auditLog: () => fixture.auditLog(),
    };
    updateContract<DeclaredPriceList>("updatePriceList", () => ({
      ...list,
      update: (id, make) => store.updatePriceList(id, make),
      first: (current) => ({ ...current, percent: 70 }),
      second: (current) => ({ ...current, name: "Friends" }),
    }));
    removalContract<DeclaredPriceList>("removePriceList", () => ({ ...list, remove: (id, make) => store.removePriceList(id, make) }));

    test("a price list has its prices for every model, with the prices of cached responses, and all are on record before they can be charged", async () => {
      await putModel(
        store,
        declaredModel("a", { price: { input_per_million: 1, output_per_million: 2 }, cache: { ttl_seconds: 1, price_percent: 50 } }),
        announce("a"),
        CHANGE,
      );
      await list.add();
      const [price] = store.snapshot("partners").get("a")!.prices;
      expect([price!.priceList, price!.rates.outputPicos, price!.derivedFrom?.percent]).toEqual(["partners", 1_600_000n, 80]);
      expect([await fixture.hasPrice(price!), await fixture.hasPrice(percentOf(price!, 50))]).toEqual([true, true]);
      expect(store.snapshot("nobody")).toBe(store.snapshot());
      await putModel(store, declaredModel("a", { price: { input_per_million: 1, output_per_million: 4 } }), undefined, CHANGE);
      const [next] = (await fixture.reopen()).snapshot("partners").get("a")!.prices;
      expect([next!.rates.outputPicos, await fixture.hasPrice(next!), await fixture.hasPrice(price!)]).toEqual([3_200_000n, true, true]);
    });

    test("the file's price list takes precedence over an operator's, and belongs to the file", async () => {
      await list.add();
      const ofFile = toPriceList({ ...PARTNERS, percent: 30 }, (_, message) => expect.unreachable(message));
      await declare(store, "file", { ...NOTHING, priceLists: [ofFile] });
      expect([store.priceLists().get("partners")!.percents[0]!.percent, store.originOfPriceList("partners")]).toEqual([30, "file"]);
      await declare(store, "file", NOTHING);
      expect([store.priceLists().get("partners")!.percents[0]!.percent, store.originOfPriceList("partners")]).toEqual([80, "operator"]);
    });

    const stored = {
      id: "v",
      record: upstream("v", undefined, ...CREDENTIALS),
      add: () => putUpstream(store, upstream("v", undefined, ...CREDENTIALS), CHANGE),
      find: (id: string) => store.upstreams().get(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).upstreams().get(id),
      auditLog: () => fixture.auditLog(),
    };
    updateContract<UpstreamSettings>("updateUpstream", () => ({
      ...stored,
      update: (id, make) => store.updateUpstream(id, make),
      first: (current) => ({ ...current, allowPrivate: true }),
      second: (current) => ({ ...current, timeouts: DEFAULT_TIMEOUTS }),
    }));
    removalContract<UpstreamSettings>("removeUpstream", () => ({ ...stored, remove: (id, make) => store.removeUpstream(id, make) }));

    removalContract<DeclaredModel>("removeModel", () => ({
      id: "a",
      record: declaredModel("a"),
      add: () => putModel(store, declaredModel("a"), announce("a"), CHANGE),
      find: (id: string) => store.declaredModel(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).declaredModel(id),
      auditLog: () => fixture.auditLog(),
      remove: (id, make) => store.removeModel(id, make),
    }));

    test("an endpoint is on if an operator or the file has turned it on; only the operator's survives a restart", async () => {
      const turn = (isOn: boolean): Promise<unknown> =>
        store.updateEndpoint("messages", (current) => {
          expect(current).toBe(!isOn);
          return { record: isOn, change: CHANGE };
        });
      await turn(true);
      await store.declare("file", () => ({ declared: { ...NOTHING, endpoints: ["responses"] }, announcements: [] }));
      expect([...store.endpoints()]).toEqual(["messages", "responses"]);
      expect([store.originOfEndpoint("messages"), store.originOfEndpoint("responses")]).toEqual(["operator", "file"]);
      const reopened = await fixture.reopen();
      expect([...reopened.endpoints()]).toEqual(["messages"]);
    });

    test("a model that is archived stays so in later changes, until it is restored", async () => {
      const archive = (archivedAtMs?: number | null): Promise<unknown> =>
        store.updateModel("a", (record) => ({ record: record!, archivedAtMs, change: CHANGE }));
      await putModel(store, declaredModel("a"), announce("a"), CHANGE);
      expect(store.archivedAtMs("a")).toBeNull();
      await archive(50);
      await archive();
      expect([store.archivedAtMs("a"), store.archivedAtMs("b")]).toEqual([50, null]);
      await archive(null);
      expect(store.archivedAtMs("a")).toBeNull();
      await archive(60);
      expect((await fixture.reopen()).archivedAtMs("a")).toBe(60);
    });

    test("a change sees the catalog that it is applied to: of two that exclude each other, one is made", async () => {
      const take = store.updateModel("a", () =>
        store.upstreams().has("u") ? { record: declaredModel("a"), announcement: announce("a"), change: CHANGE } : undefined,
      );
      const remove = store.removeUpstream("u", (current) => (current && store.snapshot().size === 0 ? { change: CHANGE } : undefined));
      const [taken, removed] = await Promise.all([take, remove]);
      expect([taken, removed].filter((made) => made !== undefined)).toHaveLength(1);
      expect(store.upstreams().has("u")).toBe(store.snapshot().has("a"));
    });

    test("returns an operator's model as declared, in its last announced state", async () => {
      const declared = declaredModel("a", { free: true, context_window: 100, capabilities: ["tools"] });
      await putModel(store, declared, announce("a"), CHANGE);
      const plain = plainModel("a", { upstream: "u", upstreamModel: "their-a" });
      expect(store.snapshot().get("a")).toEqual({
        ...plain,
        routes: [{ ...plain.routes[0]!, publishedPrices: [publishedPrice("https://a.example/v1")] }],
        ownedBy: "acme",
        createdSeconds: 5,
        prices: [FREE],
        contextWindow: 100,
        capabilities: ["tools"],
      });
      expect([store.declaredModel("a"), store.originOfModel("a"), store.declaredModel("b")]).toEqual([declared, "operator", undefined]);
      await putModel(store, declared, announce("a", DEPRECATED), { ...CHANGE, atMs: 9_000 });
      expect(store.snapshot().get("a")).toMatchObject({ state: DEPRECATED, createdSeconds: 5 });
    });

    test("snapshots are immutable, and unchanged settings stay the same object", async () => {
      const before = [store.snapshot(), store.upstreams(), store.upstreams().get("u")] as const;
      await putModel(store, declaredModel("a"), announce("a"), CHANGE);
      await putUpstream(store, upstream("v"), CHANGE);
      expect([before[0].size, before[1].size, store.snapshot().size, store.upstreams().size]).toEqual([0, 1, 1, 2]);
      expect(store.upstreams().get("u")).toBe(before[2]);
    });

    test("a model without a price gets the provider's for its base URL, recorded before it is in force", async () => {
      await putModel(store, declaredModel("a", {}), announce("a"), CHANGE);
      const first = publishedPrice("https://a.example/v1");
      expect([store.snapshot().get("a")!.prices, await fixture.hasPrice(first)]).toEqual([[first], true]);
      await putUpstream(store, upstream("u", "https://another.example/v1"), CHANGE);
      const second = publishedPrice("https://another.example/v1");
      expect([store.snapshot().get("a")!.prices, await fixture.hasPrice(second)]).toEqual([[second], true]);
    });

    test("previewModel returns the later result, and stores nothing", async () => {
      await putUpstream(store, upstream("u"), CHANGE);
      await putUpstream(store, upstream("v", "https://another.example/v1"), CHANGE);
      await putModel(store, declaredModel("a"), announce("a"), CHANGE);
      const before = store.snapshot();
      const changed = declaredModel("a", { routes: [{ upstream: "v", model: "b" }], context_window: 7 });
      const { state } = announce("a");
      const model = store.previewModel(changed, state);
      expect([store.snapshot() === before, await fixture.hasPrice(model.prices[0]!)]).toEqual([true, false]);
      await putModel(store, changed, undefined, CHANGE);
      expect(store.snapshot().get("a")).toEqual(model);
      const end = { name: "retired", replacement: "b" } as const;
      expect(store.previewModel(changed, end)).toEqual({ ...model, state: end });
    });

    test("the file's declaration takes precedence over an operator's, in previews too", async () => {
      await putModel(store, declaredModel("a", { free: true, context_window: 1 }), announce("a"), CHANGE);
      const ofFile = declaredModel("a", { free: true, context_window: 2 });
      await declare(store, "file", { ...foreign("file", ["a"]), declaredModels: new Map([["a", ofFile]]) });
      expect(store.declaredModel("a")).toEqual(ofFile);
      expect(store.previewModel({ ...ofFile, context_window: 3 }, { name: "available" })).toMatchObject({ contextWindow: 3 });
      await declare(store, "file", NOTHING);
      expect(store.declaredModel("a")).toMatchObject({ context_window: 1 });
    });

    test("a declaration is made from the catalog that it replaces, and nothing changes where make throws", async () => {
      const declaring = store.declare("file", () => ({ declared: foreign("file", ["a"]), announcements: [], size: store.snapshot().size }));
      const failure = new Error("no");
      const refused = store.declare("file", () => {
        throw store.snapshot().has("a") ? failure : new Error("the declaration before is missing");
      });
      expect(await refused.catch((error: unknown) => error)).toBe(failure);
      expect([(await declaring).size, ownerOf("a")]).toEqual([0, "file"]);
    });

    test("records the prices of every origin", async () => {
      const price = publishedPrice("some other price");
      const { upstreams, catalog } = foreign("file", ["a"]);
      await declare(store, "file", { upstreams, catalog: new Map([["a", { ...catalog.get("a")!, prices: [price] }]]) });
      expect(await fixture.hasPrice(price)).toBe(true);
    });

    test("records the prices of cached responses with the prices of the model", async () => {
      await putModel(store, declaredModel("a", { cache: { ttl_seconds: 60, price_percent: 25 } }), announce("a"), CHANGE);
      const price = publishedPrice("https://a.example/v1");
      expect([await fixture.hasPrice(price), await fixture.hasPrice(percentOf(price, 25))]).toEqual([true, true]);
    });

    test("the file takes precedence over operators, and operators over the environment", async () => {
      await declare(store, "environment", foreign("environment", ["all", "found", "found-and-own"]));
      await putModel(store, declaredModel("all"), announce("all"), CHANGE);
      await putModel(store, declaredModel("found-and-own"), announce("found-and-own"), CHANGE);
      await putModel(store, declaredModel("own"), announce("own"), CHANGE);
      const before = store.snapshot();
      const { catalog, upstreams } = store.preview("file", foreign("file", ["all", "declared"]));
      expect(store.snapshot()).toBe(before);
      await declare(store, "file", foreign("file", ["all", "declared"]));
      expect([store.snapshot(), store.upstreams()]).toEqual([catalog, upstreams]);
      const ids = ["all", "declared", "own", "found-and-own", "found"];
      const origins = ["file", "file", "operator", "operator", "environment"] as const;
      expect(ids.map((id) => store.originOfModel(id))).toEqual([...origins]);
      expect(ids.map(ownerOf)).toEqual(["file", "file", "acme", "acme", "environment"]);
      await declare(store, "file", NOTHING);
      expect(["all", "declared", "own"].map(ownerOf)).toEqual(["acme", undefined, "acme"]);
    });

    test("upstreams have the same precedence", async () => {
      await declare(store, "environment", foreign("environment", [], "all"));
      await putUpstream(store, upstream("all", "https://own.example/v1"), CHANGE);
      const addressOf = (): unknown => store.upstreams().get("all");
      expect([store.originOfUpstream("all"), addressOf()]).toMatchObject(["operator", { baseUrl: "https://own.example/v1" }]);
      await declare(store, "file", foreign("file", [], "all"));
      expect([store.originOfUpstream("all"), addressOf()]).toMatchObject(["file", { baseUrl: "https://file.example/v1" }]);
      await declare(store, "file", NOTHING);
      await store.removeUpstream("all", () => ({ change: CHANGE }));
      expect([store.originOfUpstream("all"), addressOf()]).toMatchObject(["environment", { baseUrl: "https://environment.example/v1" }]);
    });

    test("does not call a discovered model at another upstream that has taken the id", async () => {
      await declare(store, "environment", foreign("environment", ["found"], "openai"));
      await putUpstream(store, upstream("openai", "https://own.example/v1"), CHANGE);
      expect(ownerOf("found")).toBeUndefined();
      await store.removeUpstream("openai", () => ({ change: CHANGE }));
      expect(ownerOf("found")).toBe("environment");
    });

    test("operators' models, upstreams and credentials survive a restart; declared ones do not", async () => {
      await putUpstream(store, upstream("v", "https://b.example/v1", ...CREDENTIALS), CHANGE);
      await putUpstream(store, { id: "e", dialect: "echo" }, CHANGE);
      await putUpstream(store, upstreamWithIdentity("cloud", "of-restart"), CHANGE);
      await putUpstream(store, upstream("gone"), CHANGE);
      await store.removeUpstream("gone", () => ({ change: CHANGE }));
      await putModel(store, declaredModel("a"), announce("a"), CHANGE);
      await putModel(store, declaredModel("a", { free: true, owned_by: "beta" }), announce("a", DEPRECATED), CHANGE);
      const [upstreams, models] = [new Map(store.upstreams()), new Map(store.snapshot())];
      await declare(store, "file", foreign("file", ["declared"]));

      store = await fixture.reopen();
      expect(store.upstreams()).toEqual(upstreams);
      expect([...store.upstreams().keys()].toSorted()).toEqual(["cloud", "e", "u", "v"]);
      expect(identitySecretsOf(store.upstreams().get("cloud")!)["secret_access_key"]).toBe("secret-of-restart");
      expect(credentialsOf(store.upstreams().get("v")!).map((each) => each.reveal())).toEqual(CREDENTIALS);
      expect(store.snapshot()).toEqual(models);
      expect(store.snapshot().get("a")).toMatchObject({ ownedBy: "beta", state: DEPRECATED });
    });

    test("lists announcements newest first, in pages, even after a restart", async () => {
      await putModel(store, declaredModel("a"), announce("a", { name: "available" }, 1), CHANGE);
      await putModel(store, declaredModel("a"), announce("a", DEPRECATED, 2), CHANGE);
      await putModel(store, declaredModel("a"), undefined, CHANGE);
      await declare(store, "file", NOTHING, announce("file-a", RETIRED, 3), announce("file-b", { name: "available" }, 4));
      for (const open of [() => store, () => fixture.reopen()]) {
        const each = await open();
        const first = await each.announcements(Number.MAX_SAFE_INTEGER, 3);
        const rest = await each.announcements(first.at(-1)!.id, 3);
        expect(first.every(({ id }, at) => id > ([...first, ...rest][at + 1]?.id ?? 0))).toBe(true);
        expect([...first, ...rest]).toMatchObject([
          announce("file-b", { name: "available" }, 4),
          announce("file-a", RETIRED, 3),
          announce("a", DEPRECATED, 2),
          announce("a", { name: "available" }, 1),
        ]);
        expect(await each.announcements(Number.MAX_SAFE_INTEGER, 1, "a")).toMatchObject([announce("a", DEPRECATED, 2)]);
        expect(await each.announcements(Number.MAX_SAFE_INTEGER, 3, "nobody")).toEqual([]);
      }
    });

    test("returns the first and last announcement of a model that exists or existed", async () => {
      const later: ModelState = { ...DEPRECATED, shutdownDate: "2028-01-31" };
      await putModel(store, declaredModel("a"), announce("a", { name: "available" }, 1), CHANGE);
      await putModel(store, declaredModel("a"), announce("a", DEPRECATED, 2), CHANGE);
      await putModel(store, declaredModel("a"), announce("a", later, 3), CHANGE);
      await declare(store, "file", NOTHING, announce("of-the-file", RETIRED, 4));
      for (const open of [() => store, () => fixture.reopen()]) {
        const each = await open();
        expect(each.lastAnnouncement("a")).toMatchObject({ state: later, atMs: 3 });
        expect(each.firstAnnouncement("a", "deprecated")).toMatchObject({ state: DEPRECATED, atMs: 2 });
        expect(each.firstAnnouncement("a", "retired")).toBeUndefined();
        expect(each.lastAnnouncement("of-the-file")).toMatchObject({ state: RETIRED });
        expect(each.lastAnnouncement("nobody")).toBeUndefined();
        expect(each.lastAnnouncements()).toMatchObject([announce("a", later, 3), announce("of-the-file", RETIRED, 4)]);
      }
    });

    test("stores nothing of an invalid model", async () => {
      const faulty = declaredModel("a", { price: { input_per_million: 1, output_per_million: 1, effective: "2027-02-30" } });
      const [put] = await Promise.allSettled([putModel(store, faulty, announce("a"), CHANGE)]);
      expect(String((put as PromiseRejectedResult).reason)).toContain("price.effective is not a day of the calendar");
      store = await fixture.reopen();
      expect([store.snapshot().has("a"), await store.announcements(Number.MAX_SAFE_INTEGER, 1)]).toEqual([false, []]);
    });
  });
}
