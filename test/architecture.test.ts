import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { PLATFORM_CODES } from "../src/requests/gateway-error.ts";
import { ROOT } from "./start-gateway.ts";

/** Who may import whom. A file is judged by the first line whose pattern it matches; what is listed nowhere is nobody's. */
const MAY_IMPORT: readonly [file: RegExp, allowed: readonly RegExp[]][] = [
  [/^vocabulary\//, [/^vocabulary\//]],
  [/^prices\//, [/^vocabulary\//, /^prices\//]],
  [/^reconciliation\//, [/^vocabulary\//, /^reconciliation\//]],
  [/^http\//, [/^vocabulary\//, /^http\//]],
  [/^upstreams\/registry\.ts$/, [/^vocabulary\//, /^upstreams\//]],
  [/^upstreams\/wire\//, [/^vocabulary\//, /^upstreams\/wire\//]],
  [/^upstreams\/([^/]+)\//, [/^vocabulary\//, /^upstreams\/[^/]+\.ts$/, /^upstreams\/$1\//]],
  [/^upstreams\/(send|deadlines|destination|reachability)\.ts$/, [/^vocabulary\//, /^upstreams\/[^/]+\.ts$/, /^upstreams\/wire\//]],
  [/^upstreams\//, [/^vocabulary\//, /^upstreams\/[^/]+\.ts$/]],
  [/^stores\/(open-stores|examine-folder|recover-folder)\.ts$/, [/^vocabulary\//, /^stores\//]],
  [/^stores\/(database|record-change)\.ts$/, [/^vocabulary\//, /^stores\/database\.ts$/, /^stores\/[^/]+\/[^/]+-table\.ts$/]],
  [/^stores\/([^/]+)\//, [/^vocabulary\//, /^stores\/(cannot-migrate|database|record-change|vault|late-times)\.ts$/, /^stores\/$1\//]],
  [/^stores\//, [/^vocabulary\//]],
  [/^gateway\//, [/^vocabulary\//, /^http\//, /^gateway\//, /^stores\/[^/]+\/[^/]+-store\.ts$/, /^upstreams\/upstream\.ts$/]],
  [/^telemetry\/([^/]+)\//, [/^vocabulary\//, /^telemetry\/$1\//]],
  [/^alerts\//, [/^vocabulary\//, /^alerts\//, /^stores\/[^/]+\/[^/]+-store\.ts$/]],
  [/^platform\//, [/^vocabulary\//, /^http\//, /^platform\//, /^reconciliation\//, /^stores\/[^/]+\/[^/]+-store\.ts$/]],
  [/^openapi(\.ts$|\/)/, [/^openapi\//, /^gateway\//, /^platform\//, /^http\//, /^vocabulary\//]],
  [/^config\.ts$/, [/^config\//, /^vocabulary\//]],
  [
    /^config\//,
    [
      /^config\.ts$/,
      /^config\//,
      /^vocabulary\//,
      /^http\/log\.ts$/,
      /^prices\/find-default-prices\.ts$/,
      /^stores\/[^/]+\/[^/]+-store\.ts$/,
    ],
  ],
  [/^import\//, [/^import\//, /^config/, /^vocabulary\//, /^prices\/find-default-prices\.ts$/]],
  [/^(main\/.*|main|first-run)\.ts$/, [/./]],
  [
    /^cli\//,
    [
      /^cli\//,
      /^vocabulary\//,
      /^config/,
      /^(main|first-run)\.ts$/,
      /^import\//,
      /^http\/(log|log-format|serve)\.ts$/,
      /^stores\/[^/]+\.ts$/,
      /^stores\/integrity\/folder-damaged\.ts$/,
      /^upstreams\/discover-models\.ts$/,
      /^\.\.\/package\.json$/,
    ],
  ],
];

/** Ports are named for what they keep; these are the implementations that only `open-stores.ts` may name. */
const IMPLEMENTATION = /^stores\/[^/]+\/(embedded|clustered|memory|sqlite|postgres|redis)-/;

const SOURCE = join(ROOT, "src");
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const sources = new Map(files.map((file) => [file, readFileSync(join(SOURCE, file), "utf8")]));
const products = files.filter((file) => !file.endsWith(".test.ts") && !file.endsWith(".contract.ts"));

describe("the import table", () => {
  for (const file of products) {
    test(file, () => {
      const rule = MAY_IMPORT.find(([pattern]) => pattern.test(file));
      expect(rule, "the table has no line for this file").toBeDefined();
      const own = rule![0].exec(file)?.[1] ?? "";
      const allowed = rule![1].map((pattern) => new RegExp(pattern.source.replace("$1", own)));
      const foreign = importsOf(file).filter((imported) => !allowed.some((pattern) => pattern.test(imported)));
      const hidden = importsOf(file).filter((imported) => IMPLEMENTATION.test(imported) && !/^(main|stores\/)/.test(file));
      expect([...foreign, ...hidden]).toEqual([]);
    });
  }
});

test("the test of the table can fail: a store in the gateway is found", () => {
  const [, allowed] = MAY_IMPORT.find(([pattern]) => pattern.test("gateway/app.ts"))!;
  expect(allowed.some((pattern) => pattern.test("stores/keys/key-store.ts"))).toBe(true);
  expect(allowed.some((pattern) => pattern.test("stores/database.ts"))).toBe(false);
  expect(allowed.some((pattern) => pattern.test("upstreams/openai/openai-upstream.ts"))).toBe(false);
});

describe("the auditor shares nothing with what it checks", () => {
  const auditor = products.filter((file) => file.startsWith("platform/audit/"));

  test("from elsewhere it imports types alone, which do nothing", () => {
    expect(auditor.length).toBeGreaterThan(0);
    for (const file of auditor) expect([file, valuesImportedBy(sources.get(file)!)]).toEqual([file, []]);
    const sly = 'import { costOf } from "../../vocabulary/price.ts";\nimport type { A } from "../a.ts";\nimport { b } from "./b.ts";\n';
    expect(valuesImportedBy(sly)).toEqual(["../../vocabulary/price.ts"]);
    expect(valuesImportedBy('const { x } = await import("bun");')).toEqual(["bun"]);
  });

  test("of the ledger it asks what is written and what that is said to come to, and nothing else", () => {
    const asked = auditor.flatMap((file) => [...sources.get(file)!.matchAll(/\bledger\.(\w+)/g)].map((match) => match[1]!));
    expect([...new Set(asked)].toSorted()).toEqual(["balances", "entriesAfter", "price", "spendingOf"]);
  });
});

test("model-calling clients meet no code of the platform's alone", () => {
  const dataPlane = products.filter((file) => /^(gateway|upstreams|stores\/(ledger|limits))\//.test(file));
  expect(dataPlane.length).toBeGreaterThan(0);
  const codes = new RegExp(`"(${Object.keys(PLATFORM_CODES).join("|")})"`);
  expect(codes.test('new GatewayError("already_exists", "")')).toBe(true);
  expect(dataPlane.filter((file) => codes.test(sources.get(file)!))).toEqual([]);
});

test("only config.ts reads the environment", () => {
  expect(products.filter((file) => /process\.env|Bun\.env|import\.meta\.env/.test(sources.get(file)!))).toEqual(["config.ts"]);
});

test("only resolve.ts resolves names, so that what is dialled is what was checked", () => {
  const resolvers = products.filter((file) => /node:dns|\bdns\b.*from "bun"|Bun\.dns/.test(withoutComments(sources.get(file)!)));
  expect(resolvers).toEqual(["upstreams/egress/resolve.ts"]);
});

test("only one file calls out to upstreams, and only the command line to the platform", () => {
  const callers = products.filter((file) =>
    /\bfetch\(|node:(https?|http2|net|tls)"|\bBun\.connect\b|FetchSession/.test(withoutComments(sources.get(file)!)),
  );
  expect(callers.toSorted()).toEqual(["cli/platform-client.ts", "lib/http1/client/dial.ts"]);
});

test("what only a sign-in needs is loaded by a sign-in", () => {
  const early = products.filter((file) => /^import (?!type )[^"]*"openid-client"/m.test(sources.get(file)!));
  expect(early).toEqual([]);
  expect(products.filter((file) => sources.get(file)!.includes('import("openid-client")'))).toEqual(["platform/sign-in/oidc.ts"]);
});

test("what only traces need is loaded where they are on: no start brings it along", () => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file) || !sources.has(file)) return;
    loaded.add(file);
    for (const [, path] of sources.get(file)!.matchAll(/^import (?!type )[^"]*"(\.[^"]+)"/gm)) {
      load(relative(SOURCE, join(SOURCE, dirname(file), path!)));
    }
  };
  load("main.ts");
  expect(loaded.has("main/open-tracing.ts")).toBe(true);
  expect([...loaded].filter((file) => file.startsWith("telemetry/traces/"))).toEqual([]);
  expect(products.filter((file) => sources.get(file)!.includes('import("../telemetry/traces/'))).toEqual(["main/open-tracing.ts"]);
});

test("files stay under 300 lines and are named for one thing", () => {
  expect(products.filter((file) => sources.get(file)!.split("\n").length > 300)).toEqual([]);
  expect(products.filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc|index)\.ts$/.test(file))).toEqual([]);
});

function importsOf(file: string): string[] {
  const paths = [...sources.get(file)!.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map((match) => match[1]!);
  return paths.map((path) => relative(SOURCE, join(SOURCE, dirname(file), path)));
}

/** What a file imports from outside its folder, other than types. */
function valuesImportedBy(source: string): string[] {
  const imports = [...source.matchAll(/^import (type )?[^"]*"([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"/gm)];
  return imports
    .filter(([, type]) => type === undefined)
    .flatMap(([, , named, called]) => named ?? called ?? [])
    .filter((path) => !path.startsWith("./"));
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
}
