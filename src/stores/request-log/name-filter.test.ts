import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { LogInFolder } from "../../../test/request-log/log-in-folder.ts";
import type { AttributionDimension } from "../../money/attribution.ts";
import { SQLITE } from "./log-dialect.ts";
import { bitsOfNames, NameFilter } from "./name-filter.ts";
import type { AttributedFilter } from "./request-log-store.ts";
import { CHUNK_ROWS } from "./request-rows.ts";

/** At least three complete chunks, wherever the first chunk begins. */
const REQUESTS = 4 * CHUNK_ROWS + 100;

let log: LogInFolder;
beforeEach(() => void (log = new LogInFolder()));
afterEach(() => log.remove());

const attributionOf = (at: number) => ({ user: `user-${at}`, conversation: `conversation-${at}`, tags: { team: `team-${at % 50}` } });

/** Whether a chunk with this filter may have a match. */
function mayHave(bytes: Uint8Array, filter: AttributedFilter): boolean {
  const names = bitsOfNames(filter);
  return !names || names.some((bits) => bits.every((bit) => ((bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0));
}

test("has every name that was added, and few others", () => {
  const filter = new NameFilter();
  expect(filter.bytes.length).toBe(0);
  for (let at = 0; at < CHUNK_ROWS; at++) filter.add(attributionOf(at));
  const has = (dimension: AttributionDimension, name: string): boolean => mayHave(filter.bytes, { dimension, names: ["absent", name] });
  for (let at = 0; at < CHUNK_ROWS; at++) {
    const { user, conversation, tags } = attributionOf(at);
    expect([has("user", user), has("conversation", conversation), has("tag:team", tags.team)]).toEqual([true, true, true]);
  }
  const strangers = Array.from({ length: 1000 }, (_, at) => mayHave(filter.bytes, { dimension: "user", names: [`stranger-${at}`] }));
  expect(strangers.filter(Boolean).length).toBeLessThan(100);
  for (const name of ["none", "erased"]) expect(mayHave(filter.bytes, { dimension: "user", names: [name] })).toBe(true);
});

test("SQLite reads each bit of a filter, and none of an empty one", () => {
  const file = new Database(":memory:");
  const areSet = (bytes: Uint8Array): (number | null)[] => {
    const conditions = Array.from({ length: 24 }, (_, bit) => SQLITE.hasBit(bit)).join(", ");
    return Object.values(file.query(`select ${conditions} from (select ?1 as bits)`).values(bytes)[0]!) as number[];
  };
  expect(areSet(new Uint8Array())).toEqual(Array.from({ length: 24 }, () => 0));
  for (let bit = 0; bit < 24; bit++) {
    const bytes = new Uint8Array(3);
    bytes[bit >> 3] = 1 << (bit & 7);
    expect(areSet(bytes)).toEqual(Array.from({ length: 24 }, (_, each) => Number(each === bit)));
  }
  file.close();
});

/** Notes requests whose end user is named after their position, in batches as the log receives them. */
async function noteAll(): Promise<void> {
  for (let at = 0; at < REQUESTS; at++) {
    const attribution = at % 3 === 0 ? undefined : { user: `user-${at}`, tags: { team: at === 5000 ? "rare" : "search" } };
    log.note({ notes: { attribution } });
    if (at % 1000 === 0) await log.store.list({}, undefined, "older", 0);
  }
}

async function usersFound(dimension: AttributionDimension, name: string): Promise<(string | undefined)[]> {
  const found = await log.store.list({ attributed: [{ dimension, names: [name] }] }, undefined, "older", 10);
  return found.map(({ request }) => request.attribution?.user);
}

function inDay<T>(work: (file: Database) => T): T {
  const file = new Database(
    join(
      log.folder,
      readdirSync(log.folder).find((name) => name.endsWith(".db"))!,
    ),
  );
  try {
    return work(file);
  } finally {
    file.close();
  }
}

test("a search finds the names of all chunks, reads only chunks that may have one, and finds no erased name", async () => {
  await noteAll();
  const places = Array.from({ length: 12 }, (_, at) => at * 1400 + 1).filter((at) => at % 3 !== 0);
  const check = async (): Promise<void> => {
    for (const at of places) expect(await usersFound("user", `user-${at}`)).toEqual([`user-${at}`]);
    expect(await usersFound("tag:team", "rare")).toEqual(["user-5000"]);
    expect(await usersFound("user", "nobody")).toEqual([]);
    expect((await usersFound("user", "none")).length).toBe(10);
  };
  await check();
  await log.reopen();
  await check();

  const chunks = inDay((file) => file.query<{ chunk: number }, []>("select chunk from names where length(bits) > 0").all());
  expect(chunks.length).toBeGreaterThanOrEqual(3);
  // A name that is missing in the filter of its chunk is not found, which proves that the chunk is not read.
  const row = chunks[1]!.chunk * CHUNK_ROWS + 7;
  const smuggle = "update requests set attribution = ? where row = ?";
  inDay((file) => file.query(smuggle).run(JSON.stringify({ user: "smuggled" }), row));
  expect(await usersFound("user", "smuggled")).toEqual([]);

  const attributed = [{ dimension: "user", names: ["user-5000"] }] as const;
  const found = await log.store.list({ attributed }, undefined, "older", 10);
  await log.store.erase(found.map((each) => ({ ...each, attribution: { user: "erased" }, deletesBodies: false })));
  expect([await usersFound("user", "user-5000"), await usersFound("user", "erased")]).toEqual([[], ["erased"]]);
  const chunk = Math.floor(found[0]!.position.row / CHUNK_ROWS);
  expect(inDay((file) => file.query("select bits from names where chunk = ?").get(chunk))).toEqual({ bits: null });
});
