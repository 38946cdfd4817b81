import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSource } from "./source-tables.ts";

test("a folder's CSV files are tables, and an invalid one is named with the line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tables-"));
  try {
    const tables = openSource(folder);
    const path = join(folder, "t.csv");
    expect(await tables.read("t")).toEqual([]);
    writeFileSync(path, '\uFEFFa,b\r\n"1, ""2""\n3",\r\n"",x');
    expect(await tables.read("t")).toEqual([
      { a: '1, "2"\n3', b: "" },
      { a: "", b: "x" },
    ]);
    writeFileSync(path, 'a\n"1');
    const [failed] = await Promise.allSettled([tables.read("t")]);
    expect(String((failed as PromiseRejectedResult).reason)).toContain(
      `${path} is not valid CSV: line 2: a quoted cell has no closing quote`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
