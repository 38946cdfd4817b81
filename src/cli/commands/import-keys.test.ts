import { expect, test } from "bun:test";
import { ImportReport, type ImportPlan } from "../import/keys/import-plan.ts";
import { formatImport } from "./import-keys.ts";

const PLAN: ImportPlan = { from: "litellm", accounts: [], keys: [], rejected: [], report: new ImportReport() };

test("credit that was taken back has its sign before the dollar", () => {
  const text = formatImport(PLAN, { applied: { accounts: { created: 0, updated: 0, unchanged: 6 }, keys: { kept: 1 }, credit: "-2.50" } });
  expect(text).toContain("Accounts: 6 unchanged. Keys: 1 kept. Credit: -$2.50.\n");
});

test("a dry run says why account IDs were not compared with the gateway's IDs", () => {
  expect(formatImport(PLAN, { notCompared: "no gateway is reachable." })).toContain("the gateway's IDs: no gateway is reachable.\n");
  expect(formatImport(PLAN, {})).not.toContain("of the gateway");
});
