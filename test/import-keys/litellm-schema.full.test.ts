import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findLiteLLM } from "./find-litellm.ts";
import { COLUMN_TABLES, COLUMNS } from "./litellm-columns.ts";

const litellm = findLiteLLM();

/** The columns of a table in LiteLLM's own schema. Fields of other types are relations. */
function columnsOf(table: string, schema: string): readonly string[] {
  const [, body] = new RegExp(`^model ${table} \\{\\n(.*?)^\\}`, "ms").exec(schema)!;
  return [...body!.matchAll(/^\s*(\w+)\s+(?:String|Float|Json|Boolean|Int|BigInt|DateTime)(?:\?|\[\])?(?:\s|$)/gm)].map(
    ([, name]) => name!,
  );
}

test.skipIf(litellm === undefined)(
  "every column of LiteLLM's schema is tested (skipped unless TOLLGATE_TEST_LITELLM has litellm[proxy])",
  () => {
    const schema = readFileSync(join(litellm!.packages, "litellm/proxy/schema.prisma"), "utf8");
    for (const [holder, table] of Object.entries(COLUMN_TABLES)) {
      const tested = Object.keys(COLUMNS[holder as keyof typeof COLUMN_TABLES]);
      expect([table, columnsOf(table, schema).filter((name) => !tested.includes(name))]).toEqual([table, []]);
    }
  },
);
