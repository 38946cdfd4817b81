import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { openStores } from "../stores/open-stores.ts";
import type { Stores } from "../stores/stores.ts";
import { Secret } from "../lib/secret/secret.ts";
import { parseConfigFile } from "./config-file.ts";
import { Declarations } from "./declarations.ts";
import { recordOf } from "./hot-reload.ts";

let folder: string;
let stores: Stores;
let declarations: Declarations;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-records-"));
  await start();
});
afterEach(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder });
  declarations = new Declarations(stores, new Secret("a-secret-to-hash-with"), Date.now);
}

async function restart(): Promise<void> {
  await stores.close();
  await start();
}

interface Wording {
  readonly credential?: string;
  readonly price?: string;
  readonly models?: readonly string[];
  readonly cap?: number;
}

const MODELS = ["m", "n"];

async function declare(action: "config.load" | "config.reload", wording: Wording, fileName = "f.yaml"): Promise<void> {
  const { credential = "canary-of-13c", price = "1", models = MODELS, cap = 5 } = wording;
  const lines = [
    "upstreams:",
    `  - { id: u, dialect: openai, base_url: "https://a.example/v1", credential: ${credential} }`,
    "models:",
    ...models.map(
      (id) => `  - { id: ${id}, routes: [{ upstream: u, model: x }], price: { input_per_million: ${price}, output_per_million: 2 } }`,
    ),
    "accounts:",
    `  - { id: acme, name: Acme, caps: { day: ${cap} } }`,
  ];
  await declarations.declareFile(parseConfigFile(lines.join("\n"), fileName, {}, 1), recordOf(action, fileName, Date.now));
}

/** The records, newest first. */
async function records(): Promise<{ action: string; before: unknown; after: unknown }[]> {
  const page = await stores.auditLog.page({ targetKind: "config" }, Number.MAX_SAFE_INTEGER, 100);
  expect(JSON.stringify(page)).not.toContain("canary");
  return page.map(({ action, before, after }) => ({ action, before, after }));
}

const digestOf = (record: unknown): unknown => (record as { after: { digest: string } }).after.digest;

test("a reload is audited with the changed resources before and after", async () => {
  await declare("config.load", {});
  await declare("config.reload", { price: "3", models: ["m", "o"], cap: 9 });
  const [newest] = await records();
  expect(newest).toMatchObject({
    action: "config.reload",
    before: {
      changed: [
        { kind: "model", id: "m", state: "available", routes: [{ upstream: "u", model: "x" }], prices: [{ input_per_million: 1 }] },
        { kind: "account", id: "acme", caps: { day: "5.00" } },
      ],
      removed: [{ kind: "model", id: "n", prices: [{ input_per_million: 1 }] }],
    },
    after: {
      added: [{ kind: "model", id: "o", owned_by: "tollgate", shutdown_date: null, context_window: null, capabilities: [] }],
      changed: [
        { kind: "model", id: "m", prices: [{ input_per_million: 3 }] },
        { kind: "account", id: "acme", caps: { day: "9.00" } },
      ],
    },
  });
});

test("a changed credential is visible in the audit record, without the credential itself", async () => {
  await declare("config.load", {});
  await declare("config.reload", { credential: "another-canary-of-13c" });
  const upstream = { kind: "upstream", id: "u", base_url: "https://a.example/v1" };
  const [newest] = await records();
  expect(newest).toMatchObject({
    before: { changed: [{ ...upstream, credentials: [{ last4: "-13c" }] }], removed: [] },
    after: { added: [], changed: [{ ...upstream, credentials: [{ last4: "-13c", replaced: true }] }] },
  });
});

test("a start is audited with the whole file, but not when it is unchanged", async () => {
  await declare("config.load", {});
  const [first, ...none] = await records();
  expect(none).toEqual([]);
  expect(first).toMatchObject({
    action: "config.load",
    before: null,
    after: { upstreams: [{ id: "u" }], models: [{ id: "m" }, { id: "n" }], accounts: [{ id: "acme", caps: { day: "5.00" } }] },
  });
  await restart();
  await declare("config.load", {});
  await restart();
  await declare("config.load", { models: MODELS.toReversed() }, "moved.yaml");
  expect(await records()).toHaveLength(1);
  await declare("config.reload", { cap: 6 });
  await restart();
  await declare("config.load", { cap: 6 });
  expect(await records()).toHaveLength(2);
});

test("a start with a changed file is audited, also when only a credential has changed", async () => {
  await declare("config.load", {});
  await restart();
  await declare("config.load", { credential: "another-canary-of-13c" });
  await restart();
  await declare("config.load", { models: ["m"] });
  const [third, second, first] = await records();
  expect([second!.before, third!.before]).toEqual([{ digest: digestOf(first) }, { digest: digestOf(second) }]);
  expect(third!.after).toMatchObject({ models: [{ id: "m" }] });
});
