import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LogInFolder } from "../../../../test/request-log/log-in-folder.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { TRUST_AFTER_MS } from "../trusted-wall-clock.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 1024 ** 2;

let log: LogInFolder;
beforeEach(() => {
  log = new LogInFolder({ days: 3 });
});
afterEach(() => log.remove());

function days(): string[] {
  return readdirSync(log.folder)
    .filter((name) => /^\d{4}-\d\d-\d\d\.db$/.test(name))
    .map((name) => name.slice(0, 10))
    .toSorted();
}

describe("days", () => {
  test("each has a file, readable by its owner alone", async () => {
    log.note({ endedAtMs: log.nowMs - DAY_MS }, {});
    await log.ids();
    expect(days()).toEqual(["2027-01-30", "2027-01-31"]);
    expect(statSync(log.folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(log.folder)) expect([name, statSync(join(log.folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  test("deletes a day when its retention is over, and no files of others", async () => {
    mkdirSync(log.folder);
    const others = ["2026-01-01.db.bak", "notes.txt", "2026-01-01.sqlite", "x2026-01-01.db", "2026-01-01.damaged.db"];
    for (const name of others) writeFileSync(join(log.folder, name), "mine");
    for (const name of ["2027-01-20.db", "2027-01-20.db-wal", "2027-01-20.damaged-1.db", "2027-01-27.db"]) {
      writeFileSync(join(log.folder, name), "");
    }
    log.pass(TRUST_AFTER_MS);
    log.note({});
    await log.ids();
    expect(days()).toEqual(["2027-01-31"]);
    expect(readdirSync(log.folder)).toEqual(expect.arrayContaining(others));
    expect(readdirSync(log.folder).filter((name) => name.includes("01-20"))).toEqual([]);

    const [kept] = await log.ids();
    log.pass(3 * DAY_MS);
    log.note({});
    expect(await log.ids()).toContain(kept!);
    log.pass(DAY_MS);
    // The day is deleted without a read or a write.
    await eventually(days, (left) => !left.includes("2027-01-31"));
    expect(await log.store.find(kept!)).toBeUndefined();
  });

  test("with a retention of 0, logs nothing and deletes existing files", async () => {
    log.note({});
    await log.ids();
    await log.remove();
    log = new LogInFolder({ days: 0 });
    mkdirSync(log.folder);
    for (const name of ["2027-01-31.db", "mine.txt"]) writeFileSync(join(log.folder, name), "");
    log.note({});
    await eventually(
      () => readdirSync(log.folder),
      (names) => names.length === 1,
    );
    expect([readdirSync(log.folder), await log.ids(), log.store.state().written]).toEqual([["mine.txt"], [], 0]);
  });

  test("a wall clock that is set back over midnight does not take the log back to the day before", async () => {
    const midnight = Date.parse("2027-02-01T00:00:00Z");
    const at = (...seconds: number[]): string[] => log.note(...seconds.map((each) => ({ endedAtMs: midnight + each * 1000 })));
    const noted = at(-5, 5, -3);
    // The same holds after a restart of the log.
    await log.reopen();
    noted.push(...at(-2000, 8, -1, 9));
    const [first, ...after] = await log.store.list({}, undefined, "newer", 10);
    expect([first!, ...after].map(({ request }) => request.requestId)).toEqual(noted);
    expect(first!.position.day).toBe("2027-01-31");
    expect(new Set(after.map(({ position }) => position.day))).toEqual(new Set(["2027-02-01"]));
    const before = await log.store.list({ toMs: midnight }, undefined, "newer", 10);
    expect(before.map(({ request }) => request.requestId)).toEqual([noted[0]!, noted[2]!, noted[3]!, noted[5]!]);
  });
});

describe("a wrong wall clock", () => {
  const FIVE_DAYS = [4, 3, 2, 1, 0];
  const IN_A_YEAR = 400 * DAY_MS;
  let noted: string[];

  beforeEach(async () => {
    await log.remove();
    log = new LogInFolder({ days: 5 });
    noted = log.note(...FIVE_DAYS.map((ago) => ({ endedAtMs: log.nowMs - ago * DAY_MS })));
    await log.ids();
  });

  /** The clock is right for long enough that the log trusts it. */
  async function proveRight(): Promise<void> {
    log.pass(TRUST_AFTER_MS);
    noted.push(...log.note({}));
    await log.ids();
  }

  /** Notes one request while the clock is a year ahead, and one when the clock is right again. */
  async function wrongForOneWrite(): Promise<void> {
    log.nowMs += IN_A_YEAR;
    const [ahead] = log.note({});
    expect(await log.ids()).toEqual([...noted, ahead!]);
    log.nowMs -= IN_A_YEAR;
    noted.push(...log.note({}));
    await log.ids();
  }

  test("for a moment deletes no day, and the files of future days are quarantined", async () => {
    await proveRight();
    await wrongForOneWrite();
    await eventually(
      () => log.damaged,
      (damaged) => damaged.length === 1,
    );
    expect(log.damaged).toEqual([join(log.folder, "2028-03-06.damaged-1.db")]);
    expect(await log.ids()).toEqual(noted);
  });

  test("for a moment after a start deletes no day, and is detected later", async () => {
    await wrongForOneWrite();
    expect(await log.ids()).toHaveLength(noted.length + 1);
    await log.reopen();
    log.pass(TRUST_AFTER_MS);
    log.note({ endedAtMs: log.nowMs + IN_A_YEAR });
    noted.push(...log.note({}));
    await eventually(
      () => log.damaged,
      (damaged) => damaged.length === 2,
    );
    expect(await log.ids()).toEqual(noted);
  });

  test("that is far behind for a moment deletes and quarantines no day", async () => {
    await proveRight();
    log.nowMs -= IN_A_YEAR;
    const [behind] = log.note({});
    await log.ids();
    log.nowMs += IN_A_YEAR;
    noted.push(...log.note({}));
    await log.ids();
    // Too old, now that the clock is right again: the day in which it was stored is deleted, at the latest with the next day.
    log.pass(DAY_MS);
    await eventually(days, (left) => left.length === FIVE_DAYS.length);
    expect(await log.ids()).toEqual(noted);
    expect(await log.store.find(behind!)).toBeUndefined();
    expect(log.damaged).toEqual([]);
  });

  test("is trusted after it has run steadily for a while", async () => {
    log.nowMs += IN_A_YEAR;
    log.note({});
    await log.ids();
    log.pass(TRUST_AFTER_MS);
    await eventually(days, (left) => left.length === 1);
    expect(days()).toEqual(["2028-03-06"]);
  });
});

describe("the size limit", () => {
  /** Long details, so that a few thousand requests take one mebibyte. */
  const LONG = { notes: { detail: "x".repeat(900) } };

  test("deletes the oldest days, and keeps today's requests", async () => {
    await log.remove();
    log = new LogInFolder({ maxBytes: 4 * MIB });
    for (const offset of [3, 2, 1]) {
      log.noteMany(2500, { ...LONG, endedAtMs: log.nowMs - offset * DAY_MS });
      await log.ids();
    }
    log.noteMany(2500, LONG);
    await log.ids();
    log.noteMany(2500, LONG);
    await log.ids();
    expect(days()).not.toContain("2027-01-28");
    expect(days()).toContain("2027-01-31");
    expect(log.store.state()).toMatchObject({ dropped: 0, failure: undefined });
    const bytes = readdirSync(log.folder).reduce((sum, name) => sum + statSync(join(log.folder, name)).size, 0);
    expect(bytes).toBeLessThan(6 * MIB);
  });

  test("drops and counts requests until tomorrow where today's alone exceed it", async () => {
    await log.remove();
    log = new LogInFolder({ maxBytes: MIB });
    for (let round = 0; round < 5; round++) {
      log.noteMany(2500, LONG);
      await eventually(
        () => log.store.state().queued,
        (queued) => queued === 0,
      );
    }
    const { written, drops, dropped, failure } = log.store.state();
    expect(failure).toContain("today's requests alone take");
    expect(log.reports).toEqual([expect.stringContaining("today's requests alone take")]);
    expect(drops).toEqual({ queue_full: 0, without_key: 0, no_disk_room: dropped });
    expect(written).toBeGreaterThan(0);
    expect(written + dropped).toBe(12_500);
    expect(await log.ids()).toHaveLength(written);

    log.nowMs += DAY_MS;
    const [tomorrow] = log.note({});
    await eventually(
      () => log.store.state(),
      (state) => state.queued === 0 && state.failure === undefined,
    );
    expect(log.reports.at(-1)).toBeUndefined();
    expect(await log.ids()).toEqual([tomorrow!]);
    expect(existsSync(join(log.folder, "2027-01-31.db"))).toBe(false);
  });
});
