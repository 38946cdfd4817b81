import { expect, test } from "bun:test";
import { ownChange, type MakeChange, type AuditedChange, type Update } from "../access/change.ts";
import type { AuditLogStore } from "./audit-log/audit-log-store.ts";

/** A store under test, and a record that is not in it yet. */
interface RecordFixture<T> {
  /** The id by which the record is found. */
  readonly id: string;
  readonly record: T;
  add(): Promise<unknown>;
  find(id: string): T | undefined;
  /** Closes and reopens the store, and finds a record in it. */
  findAfterRestart(id: string): Promise<unknown>;
  auditLog(): AuditLogStore;
}

/** A method that changes a record. */
export interface UpdateFixture<T> extends RecordFixture<T> {
  update<Made extends Update<T> | undefined>(id: string, make: MakeChange<T, Made>): Promise<Made>;
  /** Two changes of a record, with the same result in either order. */
  readonly first: (record: T) => T;
  readonly second: (record: T) => T;
}

/** A method that deletes a record. */
export interface RemovalFixture<T> extends RecordFixture<T> {
  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<T, Made>): Promise<Made>;
}

const ACTION = "update.contract";
const CHANGE = ownChange(ACTION, { kind: "config", id: "any" }, null, 1);

/** Contract tests of every method that changes a record by `make`, for the contract suites of the stores. `open` is called in each test. */
export function updateContract<T>(name: string, open: () => UpdateFixture<T>): void {
  test(`${name}: of two concurrent changes neither is undone, and each has its entry in the audit log`, async () => {
    const fixture = open();
    const { id, first, second } = fixture;
    await fixture.add();
    await Promise.all([
      fixture.update(id, (current) => ({ record: first(current!), change: CHANGE })),
      fixture.update(id, (current) => ({ record: second(current!), change: CHANGE })),
    ]);
    const expected = second(first(fixture.record));
    expect([fixture.find(id), await countEntries(fixture)]).toEqual([expected, 2]);
    expect(await fixture.findAfterRestart(id)).toEqual(expected);
  });

  test(`${name}: make gets the current record, and its caller the result with everything in it`, async () => {
    const fixture = open();
    const { id, first, second } = fixture;
    await fixture.add();
    await fixture.update(id, (current) => ({ record: first(current!), change: CHANGE }));
    const made = await fixture.update(id, (current) => ({ record: second(current!), change: CHANGE, current }));
    expect(made.current).toEqual(first(fixture.record));
    expect(made.record).toEqual(second(first(fixture.record)));
    expect(fixture.find(id)).toEqual(made.record);
  });

  makeDecides(name, () => {
    const fixture = open();
    return { ...fixture, apply: (id, make) => fixture.update(id, make) };
  });
}

/** Contract tests of every method that deletes a record by `make`. */
export function removalContract<T>(name: string, open: () => RemovalFixture<T>): void {
  test(`${name}: of two who remove a record at the same time, one does`, async () => {
    const fixture = open();
    const { id, record } = fixture;
    await fixture.add();
    const remove = (): Promise<unknown> => fixture.remove(id, (current) => (current ? { change: CHANGE, current } : undefined));
    const removed = await Promise.all([remove(), remove()]);
    expect(removed.filter((made) => made !== undefined)).toEqual([{ change: CHANGE, current: record }]);
    expect([fixture.find(id), await countEntries(fixture)]).toEqual([undefined, 1]);
    expect(await fixture.findAfterRestart(id)).toBeUndefined();
  });

  makeDecides(name, () => {
    const fixture = open();
    return { ...fixture, apply: (id, make) => fixture.remove(id, make) };
  });
}

/** A method that changes or deletes a record, with a `make` that decides to do neither. */
interface DecidingFixture<T> extends RecordFixture<T> {
  apply(id: string, make: MakeChange<T, undefined>): Promise<undefined>;
}

function makeDecides<T>(name: string, open: () => DecidingFixture<T>): void {
  test(`${name}: nothing changes where make throws, or returns undefined`, async () => {
    const fixture = open();
    const { id, record } = fixture;
    await fixture.add();
    const failure = new Error("no");
    const refuse = (): undefined => {
      throw failure;
    };
    expect(await fixture.apply(id, refuse).catch((error: unknown) => error)).toBe(failure);
    expect(await fixture.apply(id, () => undefined)).toBeUndefined();
    expect([fixture.find(id), await countEntries(fixture)]).toEqual([record, 0]);
    expect(await fixture.findAfterRestart(id)).toEqual(record);
  });

  test(`${name}: make gets undefined for an unknown id, and decides the outcome`, async () => {
    const fixture = open();
    const failure = new Error("unknown");
    const refuse = (current: T | undefined): undefined => {
      throw current === undefined ? failure : new Error("there is a record");
    };
    expect(await fixture.apply("nobody", refuse).catch((error: unknown) => error)).toBe(failure);
    expect(await fixture.apply("nobody", () => undefined)).toBeUndefined();
    expect([fixture.find("nobody"), await countEntries(fixture)]).toEqual([undefined, 0]);
  });
}

async function countEntries({ auditLog }: { auditLog: () => AuditLogStore }): Promise<number> {
  return (await auditLog().page({ action: ACTION }, Number.MAX_SAFE_INTEGER, 10)).length;
}
