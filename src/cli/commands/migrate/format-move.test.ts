import { expect, test } from "bun:test";
import type { StorageConfig } from "../../../config.ts";
import { describeMove, moveAsJson } from "./format-move.ts";

const REPORT = { from: "/data", to: "postgres://host/name", tables: new Map(), accounts: [], keys: 0, requestLog: undefined };

test("names the exports that were left behind, and what to do", () => {
  const report = { ...REPORT, exportsLeft: ["exp_a", "exp_b"] };
  const describe = (isToDatabase: boolean): string => describeMove(report, {} as StorageConfig, isToDatabase, undefined);
  const left = "Left behind, because exports are not moved: 2 background exports (exp_a, exp_b).";
  expect(describe(true)).toContain(`${left} Create them again with tollgate exports create, or take their files from /data/exports.\n`);
  expect(describe(false)).toContain(`${left} Create them again with tollgate exports create.\n`);
  expect(describeMove({ ...REPORT, exportsLeft: [] }, {} as StorageConfig, true, undefined)).not.toContain("exports");
  expect(moveAsJson(report)).toMatchObject({ exports_left: ["exp_a", "exp_b"] });
});
