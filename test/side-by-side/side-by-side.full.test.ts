/**
 * Compares LiteLLM and Tollgate: a config of LiteLLM, the result of `tollgate import litellm` for it, the same upstream, the same requests.
 * Every difference is in `differences/`, and has a row in docs/migrating-from-litellm.md. The test installs LiteLLM from PyPI and takes
 * minutes:
 *
 *     npm run test:long -- test/side-by-side
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installGroup } from "../clients/python/python-groups.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";
import { startBothGateways, type BothGateways } from "./both-gateways.ts";
import { sendRaw } from "./clients.ts";
import { DIFFERENCES } from "./differences/differences.ts";
import { FAILURES, GATEWAY_FIELDS, SETTINGS } from "./kinds/gateway.ts";
import { HTTP } from "./kinds/http.ts";
import { BAD_VALUES, PARAMETERS } from "./kinds/parameters.ts";
import { differencesOf, outcomeOf, type Outcome, type Reply } from "./outcome.ts";

const BY_SDK = [...PARAMETERS, ...BAD_VALUES, ...GATEWAY_FIELDS, ...SETTINGS, ...FAILURES];
const NAMES = [...BY_SDK, ...HTTP].map(({ name }) => name);

const bin = isLong ? installGroup("proxy") : undefined;

describe("the table of differences", () => {
  test("is about kinds that there are, each once", () => {
    expect(NAMES.length).toBeGreaterThan(100);
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(Object.keys(DIFFERENCES).filter((name) => !NAMES.includes(name))).toEqual([]);
  });

  test("has a row of the migration page for each difference", () => {
    const rows = new Set(rowsOf(section()));
    const missing = Object.entries(DIFFERENCES).flatMap(([name, { rows: own }]) =>
      own.filter((row) => !rows.has(row)).map((row) => [name, row]),
    );
    expect(missing).toEqual([]);
  });

  test("has a difference for each row of the page that does not need a database", () => {
    const used = new Set(Object.values(DIFFERENCES).flatMap(({ rows }) => rows));
    const others = ["a budget is spent", "a budget is nearly spent", "a rate limit of the key", "no content type"];
    expect(rowsOf(section()).filter((row) => !used.has(row))).toEqual(others);
  });

  test("has the numbers and the version of the migration page", () => {
    const requirements = readFileSync(join(ROOT, "test/clients/python/requirements/proxy.txt"), "utf8");
    const text = section().join(" ");
    expect(text).toContain(`LiteLLM ${/^litellm==(.+)$/m.exec(requirements)![1]} `);
    expect(text).toContain(`${NAMES.length} kinds of requests`);
    expect(text).toContain(`${NAMES.length - Object.keys(DIFFERENCES).length} kinds have the same outcome`);
  });
});

if (bin === undefined) test.skip("LiteLLM and Tollgate: needs TOLLGATE_TEST_LONG=1, and LiteLLM from PyPI", () => undefined);
else describe("LiteLLM and Tollgate", () => compareBoth(bin));

function compareBoth(programs: string): void {
  let both: BothGateways;

  beforeAll(async () => void (both = await startBothGateways(programs)));
  afterAll(() => both?.stop());

  /** The outcome of a request, including the requests that the upstream has received for it. */
  async function outcome(send: () => Promise<Reply>): Promise<Outcome> {
    both.double.take();
    return outcomeOf(await send(), both.double.take());
  }

  for (const client of ["openai-python", "openai-node"] as const) {
    test.each([...BY_SDK])(`${client}: $name`, async (kind) => {
      const ours = await outcome(() => both.tollgate.sdks[client].send(kind));
      const theirs = await outcome(() => both.litellm.sdks[client].send(kind));
      expect(differencesOf(ours, theirs)).toEqual(DIFFERENCES[kind.name]?.fields ?? {});
    });
  }

  test.each([...HTTP])("HTTP: $name", async (kind) => {
    const ours = await outcome(() => sendRaw(kind, both.tollgate));
    const theirs = await outcome(() => sendRaw(kind, both.litellm));
    expect(differencesOf(ours, theirs)).toEqual(DIFFERENCES[kind.name]?.fields ?? {});
  });
}

/** The lines of the section in the migration page. */
function section(): string[] {
  const page = readFileSync(join(ROOT, "docs/migrating-from-litellm.md"), "utf8");
  return page
    .split(/^## /m)
    .find((part) => part.startsWith("What differs for callers\n"))!
    .split("\n");
}

/** The first cells of the tables. */
function rowsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^\| ([^|]+) \| /.exec(line)?.[1] ?? []).filter((cell) => cell !== "case");
}
