import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../database.ts";
import { migrate } from "../migrations/migrate.ts";
import { EmbeddedHourlySpendStore } from "./embedded-hourly-spend-store.ts";
import type { HourlySpend } from "./hourly-spend-store.ts";

const LARGE = 2n ** 60n + 1n;

function hours(hour: number): HourlySpend {
  return { hour, nanos: LARGE, totalNanos: LARGE + 1n, days: [{ day: 3, nanos: LARGE, hours: 24 }] };
}

test("returns the last hourly spend of keys exactly, and none for others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-hourly-spend-"));
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  const store = new EmbeddedHourlySpendStore(database);
  await store.put([
    ["a", hours(1)],
    ["b", { ...hours(1), days: [] }],
  ]);
  await store.put([["a", hours(2)]]);
  const found = await store.find(["a", "b", "c"]);
  expect([...found]).toEqual([
    ["a", hours(2)],
    ["b", { ...hours(1), days: [] }],
  ]);
  expect((await store.find([])).size).toBe(0);
  await database.destroy();
  rmSync(folder, { recursive: true });
});
