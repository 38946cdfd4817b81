import { describe, expect, test } from "bun:test";
import { plainModel, type Catalog } from "../models/catalog.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import type { DiscoveredModels } from "../models/wildcard.ts";
import type { Log } from "../lib/log/log.ts";
import type { Discovery } from "../upstreams/discover-models.ts";
import { WildcardDiscovery } from "./wildcard-discovery.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;

function upstreamAt(baseUrl: string): ReturnType<typeof remoteAt> {
  return remoteAt("u", undefined, { baseUrl, allowPrivate: false }, []);
}

class Setting {
  atMs = 0;
  names: readonly string[] = ["one"];
  problem: string | undefined;
  readonly calls: string[] = [];
  readonly logged: string[] = [];
  readonly lists = new Map<string, DiscoveredModels>();
  models: Catalog = new Map([["u/*", plainModel("u/*", { upstream: "u", upstreamModel: "*" })]]);
  #upstream = upstreamAt("https://a.example/v1");
  readonly discovery = new WildcardDiscovery({
    catalog: {
      snapshot: () => this.models,
      upstreams: () => new Map<string, UpstreamSettings>([["u", this.#upstream]]),
      discovered: () => this.lists,
      forgetDiscovered: async (upstream) => void this.lists.delete(upstream),
      recordDiscovered: async (found) => void this.lists.set(found.upstream, found),
      onChange: () => undefined,
    },
    discover: async (upstream) => this.#discover(upstream.baseUrl),
    log: { write: ({ event }: Parameters<Log["write"]>[0]) => void this.logged.push(event as string) },
    nowMs: () => this.atMs,
  });

  changeTo(baseUrl: string): void {
    this.#upstream = upstreamAt(baseUrl);
  }

  #discover(baseUrl: string): Discovery {
    this.calls.push(baseUrl);
    const models = this.problem === undefined ? this.names.map((name) => plainModel(name, { upstream: "u", upstreamModel: name })) : [];
    return { upstream: this.#upstream, hasAnswered: true, models, problem: this.problem };
  }

  async checkAt(atMs: number): Promise<readonly string[] | undefined> {
    this.atMs = atMs;
    this.discovery.check();
    await Bun.sleep(0);
    return this.lists.get("u")?.models.map(({ name }) => name);
  }
}

describe("the models of an upstream with wildcard models are listed", () => {
  test("once, then every hour, and at once after a change of the upstream", async () => {
    const setting = new Setting();
    expect(await setting.checkAt(0)).toEqual(["one"]);
    setting.names = ["one", "two"];
    expect(await setting.checkAt(HOUR - 1)).toEqual(["one"]);
    expect(await setting.checkAt(HOUR)).toEqual(["one", "two"]);
    setting.changeTo("https://b.example/v1");
    await setting.checkAt(HOUR + 1);
    expect(setting.calls).toEqual(["https://a.example/v1", "https://a.example/v1", "https://b.example/v1"]);
    // For example, another credential at the same base URL.
    setting.changeTo("https://b.example/v1");
    await setting.checkAt(HOUR + 2);
    await setting.checkAt(HOUR + 3);
    expect(setting.calls).toHaveLength(4);
  });

  test("at once after a change of the upstream, also where the list is of another process, or of before a restart", async () => {
    const setting = new Setting();
    setting.lists.set("u", { upstream: "u", baseUrl: "https://a.example/v1", models: [], foundAtMs: 0 });
    await setting.checkAt(1);
    expect(setting.calls).toEqual([]);
    setting.changeTo("https://a.example/v1");
    expect(await setting.checkAt(2)).toEqual(["one"]);
  });

  test("not where there is no wildcard model, or a retired one", async () => {
    const setting = new Setting();
    const wildcard = setting.models.get("u/*")!;
    setting.models = new Map([
      ["a", plainModel("a", { upstream: "u", upstreamModel: "a" })],
      ["u/*", { ...wildcard, state: { name: "retired", replacement: "a" } }],
    ]);
    expect(await setting.checkAt(0)).toBeUndefined();
    expect(setting.calls).toEqual([]);
  });

  test("a failure keeps the list, is logged once, and is retried after a minute", async () => {
    const setting = new Setting();
    await setting.checkAt(0);
    setting.problem = "it returned status 500";
    expect(await setting.checkAt(HOUR)).toEqual(["one"]);
    await setting.checkAt(HOUR + MINUTE - 1);
    await setting.checkAt(HOUR + MINUTE);
    expect([setting.calls.length, setting.logged]).toEqual([3, ["discovery_failed"]]);
    setting.problem = undefined;
    setting.names = ["two"];
    expect(await setting.checkAt(HOUR + 2 * MINUTE)).toEqual(["two"]);
    expect(setting.logged).toEqual(["discovery_failed", "discovery_recovered"]);
  });

  test("at most 2,000 of them", async () => {
    const setting = new Setting();
    setting.names = Array.from({ length: 3000 }, (_, at) => `model-${at}`);
    expect(await setting.checkAt(0)).toHaveLength(2000);
  });
});

test("the list of an upstream that is gone is removed a day after it was read", async () => {
  const setting = new Setting();
  const gone = { upstream: "gone", baseUrl: "https://gone.example/v1", models: [], foundAtMs: 0 };
  setting.lists.set("gone", gone);
  await setting.checkAt(24 * HOUR - 1);
  expect([...setting.lists.keys()]).toEqual(["gone", "u"]);
  await setting.checkAt(24 * HOUR);
  expect([...setting.lists.keys()]).toEqual(["u"]);
});
