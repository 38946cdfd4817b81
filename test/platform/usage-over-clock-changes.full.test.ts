import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { isLong } from "../support/long.ts";

const REQUESTS = isLong ? 1_000_000 : 50_000;
const FROM = Date.parse("2027-09-30T00:00:00Z");
const TO = Date.parse("2027-11-12T00:00:00Z");

/** In this period clocks are put back in Berlin, New York and St. John's (+3:30), and forward by half an hour on Lord Howe Island. */
const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns"];

/** Ended requests at arbitrary milliseconds, some of them out of order. Holds are omitted, because reports do not count them. */
function fill(path: string): void {
  const file = new Database(path);
  for (const pragma of ["journal_mode = off", "synchronous = off"]) file.run(`pragma ${pragma}`);
  file.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${REQUESTS}),
      h as (select i, i * 2654435761 % 4294967296 / 65536 as h, i * 40503 % 65536 as g from n)
    insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model, price_version, hold_id,
      uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, provenance, upstream, attempts)
    select i, 'account-' || (h % 3), iif(h % 29 = 0, 'release', 'settle'), iif(h % 29 = 0, 0, h * 1000003 * (1 + (g % 97 = 0) * 1000000)),
      ${FROM} + cast((i - 1) * ${(TO - FROM) / REQUESTS} as integer) - iif(g % 1000 = 0, 5000000, 0), 'key', 'complete', i,
      'key-' || (h % 3) || '-' || (g % 2), 'model-' || (g % 4), 'version', 0, iif(h % 29 = 0, null, g % 5), iif(h % 29 = 0, null, h),
      iif(h % 29 = 0, null, g % 100), iif(h % 29 = 0, null, g % 7), iif(h % 29 = 0, null, g), iif(h % 29 = 0, null, h % 11),
      'measured', iif(h % 29 = 0, null, 'upstream-' || (h % 2)), 1 from h`);
  // This test does not check balances, so they need not be computed at startup.
  file.run(`insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ${REQUESTS}, ${REQUESTS + 1})`);
  file.run("pragma journal_mode = wal");
  file.close();
}

/** The totals of a quarter hour and a model, computed only from the entries. They are read as text, because they may be large. */
interface Quarter {
  readonly ms: number;
  readonly model: string;
  readonly sums: readonly bigint[];
}

const COLUMNS = [
  "sum(kind = 'settle')",
  "sum(kind = 'release')",
  ...[
    "prompt_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "amount_nanos",
    "uncharged_nanos",
  ].map((name) => `coalesce(sum(${name}), 0)`),
];

function readQuarters(path: string): Quarter[] {
  const file = new Database(path, { readonly: true });
  const sums = COLUMNS.map((sum) => `cast(${sum} as text)`).join(", ");
  const rows = file.query(`select at_ms / 900000 * 900000, model, ${sums} from entries group by 1, 2`).values() as [
    number,
    string,
    ...string[],
  ][];
  file.close();
  return rows.map(([ms, model, ...texts]) => ({ ms, model, sums: texts.map(BigInt) }));
}

interface Row {
  readonly model?: string;
  readonly [field: string]: unknown;
}

const FIELDS = ["requests", "failed", "prompt_tokens", "cached_tokens", "cache_write_tokens", "completion_tokens", "reasoning_tokens"];

function nanosOf(dollars: unknown): bigint {
  const [whole, fraction] = String(dollars).split(".") as [string, string];
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
}

function sumsOf(row: Row): bigint[] {
  return [...FIELDS.map((field) => BigInt(row[field] as number)), nanosOf(row["cost"]), nanosOf(row["uncharged"])];
}

/** The local day or hour, by the runtime's own formatter; hours have their offset from UTC. */
function wallClock(zone: string, unit: "day" | "hour"): (ms: number) => string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...(unit === "hour" && { hour: "2-digit", timeZoneName: "longOffset" }),
  });
  const seen = new Map<number, string>();
  const show = (ms: number): string => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const day = `${part["year"]}-${part["month"]}-${part["day"]}`;
    return unit === "day" ? day : `${day}T${part["hour"]}:00${part["timeZoneName"]!.replace("GMT", "").replace("−", "-")}`;
  };
  return (ms) => {
    if (!seen.has(ms)) seen.set(ms, show(ms));
    return seen.get(ms)!;
  };
}

function addUp(quarters: readonly Quarter[], nameOf: (quarter: Quarter) => string): Map<string, bigint[]> {
  const all = new Map<string, bigint[]>();
  for (const quarter of quarters) {
    const name = nameOf(quarter);
    all.set(
      name,
      quarter.sums.map((sum, at) => sum + (all.get(name)?.[at] ?? 0n)),
    );
  }
  return all;
}

describe(`${REQUESTS.toLocaleString("en")} requests, while clocks are changed`, () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-clocks-"));
  let platform: PlatformInProcess;
  let quarters: Quarter[];

  beforeAll(async () => {
    await (await openStores({ ...STORE_OPTIONS, dataFolder: folder })).close();
    fill(join(folder, "tollgate.db"));
    quarters = readQuarters(join(folder, "tollgate.db"));
    platform = await openPlatform(new Map(), { folder, nowMs: () => TO });
    // First the entries are aggregated in the background.
    while ((await platform.call(OPERATOR, "showUsage", { query: "by=day" })).status === 503) await Bun.sleep(100);
  }, 300_000);
  afterAll(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  async function ask(query: string): Promise<{ rows: Row[]; total: Row }> {
    const rows: Row[] = [];
    let page: { data: Row[]; next: string | null; total: Row } | undefined;
    do {
      const cursor = page ? `&cursor=${page.next}` : "";
      const { status, body } = await platform.call(OPERATOR, "showUsage", { query: `${query}&limit=1000${cursor}` });
      expect([query, status]).toEqual([query, 200]);
      page = body as unknown as typeof page;
      rows.push(...page!.data);
    } while (page!.next !== null);
    return { rows, total: page!.total };
  }

  for (const zone of ZONES) {
    test(`reports by day and by hour, of ${zone}, equal the sums of the entries exactly`, async () => {
      for (const unit of ["day", "hour"] as const) {
        const onTheWall = wallClock(zone, unit);
        const asked = `zone=${zone}&from=2027-09-29&to=2027-11-13&by=${unit}`;
        const { rows, total } = await ask(asked);
        expect(new Map(rows.map((row) => [String(row[unit]), sumsOf(row)]))).toEqual(addUp(quarters, ({ ms }) => onTheWall(ms)));
        expect([sumsOf(total)]).toEqual([...addUp(quarters, () => "all").values()]);
        const { rows: byBoth } = await ask(`${asked},model`);
        expect(new Map(byBoth.map((row) => [`${String(row[unit])} ${row.model}`, sumsOf(row)]))).toEqual(
          addUp(quarters, ({ ms, model }) => `${onTheWall(ms)} ${model}`),
        );
      }
    });
  }

  test("days with a clock change are longer or shorter, and a repeated hour is two rows", async () => {
    const { rows } = await ask("zone=Europe/Berlin&from=2027-10-31&to=2027-11-01&by=hour");
    expect(rows.length).toBe(25);
    expect(rows.slice(1, 5).map((row) => row["hour"])).toEqual([
      "2027-10-31T01:00+02:00",
      "2027-10-31T02:00+02:00",
      "2027-10-31T02:00+01:00",
      "2027-10-31T03:00+01:00",
    ]);
    const { rows: lordHowe } = await ask("zone=Australia/Lord_Howe&from=2027-10-03&to=2027-10-04&by=hour");
    expect(lordHowe.slice(1, 4).map((row) => row["hour"])).toEqual([
      "2027-10-03T01:00+10:30",
      "2027-10-03T02:00+11:00",
      "2027-10-03T03:00+11:00",
    ]);
    const [half, whole] = [lordHowe[2]!["requests"] as number, lordHowe[3]!["requests"] as number];
    expect(half / whole).toBeWithin(0.45, 0.55);
  });
});
