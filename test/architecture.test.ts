import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PLATFORM_CODES } from "../src/requests/api-error.ts";
import { forbiddenImports, layerOf, upwardImports } from "./architecture/layers.ts";
import { files, findCycle, importsOf, longFunctions, sources } from "./architecture/source-tree.ts";

const MAX_FUNCTION_LINES = 70;

/** Functions that may be longer, with the reason. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  "src/main.ts: start": "constructs the parts in order, one after the other; a split would pass a dozen of them from one half to the other",
  "src/platform/operations.ts: operations": "a table: one line for each operation of the platform",
};

describe("imports", () => {
  for (const file of files) {
    test(`${file} imports only what its folder may`, () => {
      const forbidden = forbiddenImports(file, importsOf(file));
      expect(forbidden, "test/architecture/layers.ts has no line for this file").toBeDefined();
      expect(forbidden).toEqual([]);
    });
  }

  test("a store's implementation in the gateway would be found", () => {
    const planted = [
      "stores/keys/key-store.ts",
      "stores/database.ts",
      "stores/keys/sql-key-store.ts",
      "upstreams/openai/openai-upstream.ts",
    ];
    expect(forbiddenImports("gateway/app.ts", planted)).toEqual(planted.slice(1));
    expect(forbiddenImports("cli/table.ts", ["stores/keys/sql-key-store.ts"])).toHaveLength(1);
    expect(forbiddenImports("a-new-folder/file.ts", [])).toBeUndefined();
  });

  test("a dialect that imports another would be found", () => {
    const planted = ["upstreams/gemini/gemini-events.ts", "upstreams/openai/mend.ts", "upstreams/upstream.ts"];
    expect(forbiddenImports("upstreams/gemini/gemini-request.ts", planted)).toEqual(["upstreams/openai/mend.ts"]);
  });

  test("lib imports nothing else of ours", () => {
    const inLib = files.filter((file) => file.startsWith("lib/"));
    expect(inLib.length).toBeGreaterThan(0);
    expect(inLib.flatMap((file) => importsOf(file)).filter((imported) => !imported.startsWith("lib/"))).toEqual([]);
    expect(forbiddenImports("lib/log/log.ts", ["lib/log/log-format.ts", "http/redact-secrets.ts"])).toEqual(["http/redact-secrets.ts"]);
  });

  test("no import points to a higher layer", () => {
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
    expect(files.flatMap((file) => upwardImports(file, importsOf(file)).map((imported) => `${file} -> ${imported}`))).toEqual([]);
    expect(upwardImports("money/ledger-entry.ts", ["requests/attempt.ts", "lib/time/calendar.ts"])).toEqual(["requests/attempt.ts"]);
    expect(upwardImports("alerts/alert.ts", ["alerts/rules/watcher.ts", "alerts/webhook.ts"])).toEqual(["alerts/rules/watcher.ts"]);
  });

  test("no files import each other, by types neither", () => {
    const planted = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
    ]);
    expect(findCycle(planted)).toEqual(["b", "c", "b"]);
    expect(findCycle(new Map(files.map((file) => [file, importsOf(file)])))).toBeUndefined();
  });
});

describe("names and sizes", () => {
  test("files have a name of their own", () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc|index)\.ts$/.test(file))).toEqual([]);
  });

  test(`functions have at most ${MAX_FUNCTION_LINES} lines`, () => {
    const long = longFunctions(MAX_FUNCTION_LINES, ["src", "console/src"]);
    expect(long.filter((name) => LONG_FUNCTIONS[name] === undefined)).toEqual([]);
    expect(Object.keys(LONG_FUNCTIONS).filter((name) => !long.includes(name))).toEqual([]);
  });

  test("a function of one line more would be found", () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-long-"));
    writeFileSync(join(folder, "planted.ts"), withLines("fits", 70) + withLines("isTooLong", 71));
    const long = longFunctions(MAX_FUNCTION_LINES, [folder]);
    rmSync(folder, { recursive: true });
    expect(long.map((name) => name.split(": ")[1])).toEqual(["isTooLong"]);
  });
});

describe("the auditor shares no code with the books", () => {
  const auditor = files.filter((file) => file.startsWith("platform/audit/"));

  test("it imports only types from other folders", () => {
    expect(auditor.length).toBeGreaterThan(0);
    for (const file of auditor) expect([file, valuesImportedBy(sources.get(file)!)]).toEqual([file, []]);
    const planted = 'import { costOf } from "../../money/price.ts";\nimport type { A } from "../a.ts";\nimport { b } from "./b.ts";\n';
    expect(valuesImportedBy(planted)).toEqual(["../../money/price.ts"]);
    expect(valuesImportedBy('const { x } = await import("bun");')).toEqual(["bun"]);
  });

  test("it reads the ledger's entries and the balances to compare, and calls nothing else", () => {
    const called = auditor.flatMap((file) => [...sources.get(file)!.matchAll(/\bledger\.(\w+)/g)].map((match) => match[1]!));
    expect([...new Set(called)].toSorted()).toEqual(["balances", "entriesAfter", "price"]);
  });
});

test("the data plane uses no error code of the platform", () => {
  const dataPlane = files.filter((file) => /^(gateway|upstreams|stores\/(ledger|limits))\//.test(file));
  expect(dataPlane.length).toBeGreaterThan(0);
  const codes = new RegExp(`"(${Object.keys(PLATFORM_CODES).join("|")})"`);
  expect(codes.test('new ApiError("already_exists", "")')).toBe(true);
  expect(dataPlane.filter((file) => codes.test(sources.get(file)!))).toEqual([]);
});

test("only config.ts reads the environment, and the executable passes it on to itself", () => {
  const readers = files.filter((file) => /process\.env|Bun\.env|import\.meta\.env/.test(sources.get(file)!));
  expect(readers).toEqual(["cli/executable.ts", "config.ts"]);
});

test("only resolve.ts resolves host names, so that every dialled address was checked (SSRF)", () => {
  const resolvers = files.filter((file) => /node:dns|\bdns\b.*from "bun"|Bun\.dns/.test(withoutComments(sources.get(file)!)));
  expect(resolvers).toEqual(["upstreams/egress/resolve.ts"]);
});

test("only dial.ts connects to upstreams, one file to a mail server, the command line to the listeners, and two to processes of this machine; one parses certificates", () => {
  const callers = files.filter((file) =>
    /\bfetch\(|node:(https?|http2|net|tls)"|\bBun\.connect\b|FetchSession/.test(withoutComments(sources.get(file)!)),
  );
  expect(callers.toSorted()).toEqual([
    "cli/commands/health.ts",
    "cli/platform-client.ts",
    "config/tls/read-tls-pair.ts",
    "lib/http1/client/dial.ts",
    "lib/ipc/ipc-socket.ts",
    "lib/net/unix-socket.ts",
    "upstreams/egress/smtp/smtp-connection.ts",
  ]);
});

test("openid-client is loaded by the first sign-in, not at startup", () => {
  const early = files.filter((file) => /^import (?!type )[^"]*"openid-client"/m.test(sources.get(file)!));
  expect(early).toEqual([]);
  expect(files.filter((file) => sources.get(file)!.includes('import("openid-client")'))).toEqual(["platform/sign-in/oidc.ts"]);
});

test("tracing is loaded only where it is on, not at startup", () => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file) || !sources.has(file)) return;
    loaded.add(file);
    for (const [, path] of sources.get(file)!.matchAll(/^import (?!type )[^"]*"(\.[^"]+)"/gm)) load(join(dirname(file), path!));
  };
  load("main.ts");
  expect(loaded.has("main/open-tracing.ts")).toBe(true);
  expect([...loaded].filter((file) => file.startsWith("telemetry/traces/"))).toEqual([]);
  expect(files.filter((file) => sources.get(file)!.includes('import("../telemetry/traces/'))).toEqual(["main/open-tracing.ts"]);
});

function withLines(name: string, lines: number): string {
  return `export function ${name}() {\n${"  f();\n".repeat(lines - 2)}}\n`;
}

/** The modules outside of its folder from which a file imports values, not only types. */
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
