import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { openStores } from "../stores/open-stores.ts";
import type { Stores } from "../stores/stores.ts";
import { issueKey } from "../access/api-key.ts";
import { DEFAULT_ACCOUNT } from "../access/account.ts";
import { ownChange } from "../access/change.ts";
import { NO_CAPS, NO_LIMITS } from "../money/limits.ts";
import { Secret } from "../lib/secret/secret.ts";
import { parseConfigFile } from "./config-file.ts";
import { Declarations } from "./declarations.ts";

const HASH_SECRET = new Secret("a-secret-to-hash-with");
const DAY_MS = 24 * 60 * 60 * 1000;
const START_MS = Date.UTC(2027, 0, 31);
const CHANGE = ownChange("test", { kind: "key", id: "k" }, null, 1);

let folder: string;
let stores: Stores;
let nowMs: number;
let declarations: Declarations;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-declarations-"));
  nowMs = START_MS;
  await start();
});
afterEach(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

/** Simulates a restart: only the stores persist. */
async function start(): Promise<void> {
  stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder, nowMs: () => nowMs });
  declarations = new Declarations(stores, HASH_SECRET, () => nowMs);
}

async function restart(): Promise<void> {
  await stores.close();
  await start();
}

interface Wording {
  /** The lines of the model `m`, after its ID and route. Null if the file does not have it. */
  readonly m?: string | null;
  readonly priceOfN?: string;
  readonly upstreams?: readonly string[];
}

/** The error for a file with the models `m` and `n`; undefined if the file is accepted. */
async function refusalOf({ m = "", priceOfN = "free: true", upstreams = ["echo"] }: Wording): Promise<string | undefined> {
  const lines = [
    "upstreams:",
    ...upstreams.map((id) => `  - { id: ${id}, dialect: echo }`),
    "models:",
    `  - { id: n, routes: [{ upstream: echo, model: x }], ${priceOfN} }`,
    ...(m === null ? [] : [`  - { id: m, routes: [{ upstream: echo, model: x }], free: true${m} }`]),
  ];
  try {
    await declarations.declareFile(parseConfigFile(lines.join("\n"), "f.yaml", {}, 1), () => CHANGE);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const deprecated = (day: string): string => `, state: deprecated, shutdown_date: "${day}", replacement: n`;
const RETIRED = ", state: retired, replacement: n";
const UNPRICED = 'price: { input_per_million: 1, output_per_million: 1, effective: "2027-02-01" }';

async function useModel(model: string): Promise<void> {
  const wanted = { name: "k", accountId: DEFAULT_ACCOUNT, models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
  const { record } = issueKey(wanted, HASH_SECRET, nowMs);
  await stores.keys.add(record, CHANGE);
  stores.lastUsed.noteModel(record.id, model, nowMs);
}

/** Adds an operator's model. */
async function addModel(id: string, upstream: string, fallbacks: readonly string[] = []): Promise<void> {
  const announcement = { model: id, state: { name: "available" }, atMs: nowMs, actor: "person_1", actorName: "Ann" } as const;
  const record = { id, routes: [{ upstream, model: "x" }], free: true, fallback_models: fallbacks };
  await stores.catalog.updateModel(id, () => ({ record, announcement, change: CHANGE }));
}

describe("deprecating a model in the file", () => {
  test("needs an available replacement", async () => {
    await refusalOf({ priceOfN: UNPRICED });
    const refusal = "replacement names n, which has no price and cannot be called";
    expect(await refusalOf({ m: deprecated("2027-03-01"), priceOfN: UNPRICED })).toBe(`f.yaml:5:114: models[1].${refusal}`);
    expect(await refusalOf({ m: deprecated("2027-03-01") })).toBeUndefined();
    expect(await refusalOf({ m: RETIRED, priceOfN: UNPRICED })).toEndWith(refusal);
    expect(await refusalOf({ m: RETIRED })).toBeUndefined();
  });

  test("needs a shutdown date that is not over, unless it was announced before", async () => {
    expect(await refusalOf({ m: deprecated("2027-01-30") })).toContain(
      "models[1].shutdown_date must not be in the past: today is 2027-01-31 in UTC",
    );
    expect(await refusalOf({ m: deprecated("2027-01-31") })).toBeUndefined();
    nowMs += 10 * DAY_MS;
    expect(await refusalOf({ m: deprecated("2027-01-31") })).toBeUndefined();
    await restart();
    expect(await refusalOf({ m: deprecated("2027-01-31") })).toBeUndefined();
    expect(await refusalOf({ m: deprecated("2027-02-01") })).toContain("must not be in the past: today is 2027-02-10");
  });
});

const goneSince = (since: string): string =>
  `f.yaml: the model m is missing from the file, but a key has used it since ${since}: deprecate and retire it first (models[].state), or keep it`;

describe("a model of the file that is restricted to accounts", () => {
  const OF = ", accounts: [default, acme]";

  test("needs accounts that exist or that the file declares", async () => {
    expect(await refusalOf({ m: OF })).toBe('f.yaml:5:86: models[1].accounts[1] names "acme", and there is no such account');
    const lines = [
      "models: [{ id: m, routes: [{ upstream: echo, model: x }], free: true, accounts: [acme] }]",
      "accounts: [{ id: acme, name: A }]",
    ];
    const declared = parseConfigFile(["upstreams: [{ id: echo, dialect: echo }]", ...lines].join("\n"), "f.yaml", {}, 1);
    await declarations.declareFile(declared, () => CHANGE);
    expect(stores.catalog.snapshot().get("m")!.accounts).toEqual(new Set(["acme"]));
    // The account remains after the file no longer declares it.
    await restart();
    expect(await refusalOf({ m: OF })).toBeUndefined();
  });

  test("needs none of them once it is retired", async () => {
    expect(await refusalOf({ m: `${OF}${RETIRED}` })).toBeUndefined();
  });
});

describe("removing a model from the file", () => {
  test("is rejected while it is in use, unless it is retired", async () => {
    await refusalOf({});
    await useModel("m");
    expect(await refusalOf({ m: null })).toBe(goneSince("2027-01-01"));
    expect(stores.catalog.snapshot().has("m")).toBe(true);
    expect(await refusalOf({ m: deprecated("2027-01-31") })).toBeUndefined();
    expect(await refusalOf({ m: null })).toBe(goneSince("2027-01-01"));
    expect(await refusalOf({ m: RETIRED })).toBeUndefined();
    expect(await refusalOf({ m: null })).toBeUndefined();
  });

  test("is rejected while a model of operators falls back to it, as is retiring it", async () => {
    await refusalOf({});
    await addModel("other", "echo", ["m"]);
    const problem =
      "f.yaml: the model m is missing from the file or retired, but it is a fallback of other: remove it from fallback_models there first, or keep it";
    expect(await refusalOf({ m: null })).toBe(problem);
    expect(await refusalOf({ m: deprecated("2027-01-31") })).toBeUndefined();
    expect(await refusalOf({ m: RETIRED })).toBe(problem);
    // After a restart, the previous file is not known.
    await restart();
    expect(await refusalOf({ m: null })).toBeUndefined();
  });

  test("is also rejected at startup while it is in use", async () => {
    await refusalOf({});
    await useModel("m");
    await restart();
    expect(await refusalOf({ m: null })).toBe(goneSince("2027-01-01"));
    expect(await refusalOf({})).toBeUndefined();
  });

  test("is accepted when it was not used for 30 days, or ever", async () => {
    await refusalOf({});
    expect(await refusalOf({ m: null })).toBeUndefined();
    await refusalOf({});
    await useModel("m");
    nowMs += 30 * DAY_MS;
    expect(await refusalOf({ m: null })).toBe(goneSince("2027-01-31"));
    nowMs += 1;
    expect(await refusalOf({ m: null })).toBeUndefined();
  });

  test("is accepted when operators have a model of the same name", async () => {
    await refusalOf({ m: null });
    await addModel("m", "echo");
    await refusalOf({ m: deprecated("2027-03-01") });
    await useModel("m");
    expect(await refusalOf({ m: null })).toBeUndefined();
    expect(stores.catalog.snapshot().get("m")?.state.name).toBe("deprecated");
  });
});

test("an upstream cannot be removed from the file while it serves an operator's model", async () => {
  await refusalOf({ upstreams: ["echo", "served"] });
  for (const id of ["a", "b", "c"]) {
    const upstream = id === "c" ? "echo" : "served";
    await addModel(id, upstream);
  }
  const refusal =
    "f.yaml: the upstream served is missing from the file, but it serves a, b: give each another route or retire it first, or keep the upstream";
  expect(await refusalOf({})).toBe(refusal);
  expect(stores.catalog.upstreams().has("served")).toBe(true);
  await stores.catalog.updateUpstream("served", () => ({ record: { id: "served", dialect: "echo" }, change: CHANGE }));
  expect(await refusalOf({})).toBeUndefined();
});

test("an upstream that is missing at startup does not prevent the start", async () => {
  await refusalOf({ upstreams: ["echo", "served"] });
  await addModel("a", "served");
  await restart();
  expect(await refusalOf({})).toBeUndefined();
});
