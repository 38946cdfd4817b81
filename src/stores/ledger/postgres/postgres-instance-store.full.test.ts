import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../../test/support/eventually.ts";
import { grant, hold as sampleHold } from "../../../../test/support/money/ledger-samples.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { ACCOUNT } from "../../../../test/support/postgres/ledger-processes.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { ownChange } from "../../../access/change.ts";
import { NO_CAPS } from "../../../money/limits.ts";
import type { OpenPostgres } from "../../postgres/open-postgres.ts";
import { InstanceIsLive, type InstanceStatus } from "../instance-store.ts";
import { bookCredit } from "./book-credit.ts";
import { PostgresAuthority } from "./postgres-authority.ts";
import { PostgresInstanceStore } from "./postgres-instance-store.ts";

const STATUS: InstanceStatus = {
  host: "gate-1",
  pid: 4711,
  version: "1.2.3",
  role: "gateway",
  inFlight: 3,
  connections: 12,
  memoryBytes: 5_000_000_000,
  isDraining: false,
  configDigest: "0123",
};
const CHANGE = ownChange("instance.write_off", { kind: "instance", id: "gone" }, { reason: "its disk failed" }, 1000);

describe.skipIf(!hasPostgres)("the processes that share a database", () => {
  const postgres = postgresFixture();
  let open: OpenPostgres;
  let authority: PostgresAuthority;
  beforeAll(async () => {
    open = await postgres.open();
  });
  beforeEach(async () => {
    authority = new PostgresAuthority({ pool: open.pool, capsOf: () => NO_CAPS });
    for (const table of ["instances", "instance_status", "leases", "open_holds", "purses"]) await open.pool.query(`delete from ${table}`);
  });

  function storeOf(instanceId: string): PostgresInstanceStore {
    return new PostgresInstanceStore({ ...open, capsOf: () => NO_CAPS, instanceId });
  }

  /** Sets the time of its last call to this number of seconds ago. */
  async function silence(id: string, seconds: number): Promise<void> {
    await open.pool.query("update instances set seen_at = authority_now() - $2::float8 * interval '1 second' where id = $1", [id, seconds]);
  }

  /** A process with a lease of 950 and a hold of 900. */
  async function stranding(id: string): Promise<void> {
    await open.pool.transaction((connection) => bookCredit(connection, grant(1000n, { reference: crypto.randomUUID() })));
    const { epoch } = await authority.join(id);
    const hold = { ...sampleHold(crypto.randomUUID(), 900n), kind: "hold" as const, id: 2 };
    const lease = { kind: "lease", id: 1, purse: ACCOUNT, bound: "at_least", nanos: 950n } as const;
    await authority.ship({ instanceId: id, epoch, changes: [lease, hold], progress: new Map() });
  }

  test("are listed in the order of their start, with what each has reported last", async () => {
    const stores = ["b", "a"].map(storeOf);
    for (const [at, store] of stores.entries()) {
      await authority.join(at === 0 ? "b" : "a");
      store.report(() => ({ ...STATUS, pid: at }));
      await eventually(
        () => store.find(at === 0 ? "b" : "a"),
        (found) => found?.status !== undefined,
      );
    }
    await authority.join("c");
    const listed = await stores[0]!.list();
    expect(listed.map(({ id, state, status }) => [id, state, status?.pid])).toEqual([
      ["b", "live", 0],
      ["a", "live", 1],
      ["c", "live", undefined],
    ]);
    expect(listed[0]).toMatchObject({ status: { ...STATUS, pid: 0 }, leases: [], openHolds: 0, heldNanos: 0n });
    expect(listed.every(({ silentMs, startedAtMs }) => silentMs >= 0 && startedAtMs > 0)).toBe(true);
    await Promise.all(stores.map((store) => store.close()));
    expect(await open.pool.query("select from instance_status")).toHaveLength(0);
  });

  test("report again and again, and keep the time of their start", async () => {
    const store = storeOf("a");
    await authority.join("a");
    let inFlight = 0;
    store.report(() => ({ ...STATUS, inFlight: ++inFlight, isDraining: inFlight > 1 }));
    const first = await eventually(
      () => store.find("a"),
      (found) => found?.status !== undefined,
    );
    const later = await eventually(
      () => store.find("a"),
      (found) => found!.status!.inFlight > 1,
    );
    expect([later!.startedAtMs, later!.status!.isDraining]).toEqual([first!.startedAtMs, true]);
    await store.close();
  });

  test("are lost after 30 seconds of silence, with what they strand", async () => {
    await stranding("gone");
    await silence("gone", 5);
    expect(await storeOf("a").find("gone")).toMatchObject({ state: "live" });
    await silence("gone", 31);
    const [lost] = await storeOf("a").list();
    expect(lost).toMatchObject({ id: "gone", state: "lost", leases: [{ purse: ACCOUNT, nanos: 950n }], openHolds: 1, heldNanos: 900n });
    expect(lost!.silentMs).toBeGreaterThanOrEqual(31_000);
  });

  test("are written off once, with one entry in the audit log, unless they are live", async () => {
    await stranding("gone");
    const store = storeOf("a");
    const [refused] = await Promise.allSettled([store.writeOff("gone", CHANGE)]);
    expect(refused).toMatchObject({ reason: expect.any(InstanceIsLive) });
    expect(await open.pool.query("select from changes where action = 'instance.write_off'")).toHaveLength(0);
    await silence("gone", 31);
    await store.writeOff("gone", CHANGE);
    await store.writeOff("gone", CHANGE);
    expect(await store.find("gone")).toMatchObject({ state: "written_off", leases: [], openHolds: 0 });
    const recorded = await open.pool.query("select target_id, after from changes where action = 'instance.write_off'");
    expect([...recorded]).toEqual([{ target_id: "gone", after: JSON.stringify(CHANGE.after) }]);
  });

  test("are not written off where the audit log cannot be written", async () => {
    await stranding("gone");
    await silence("gone", 31);
    const [refused] = await Promise.allSettled([storeOf("a").writeOff("gone", { ...CHANGE, actor: null as unknown as string })]);
    expect(refused.status).toBe("rejected");
    expect(await storeOf("a").find("gone")).toMatchObject({ state: "lost", openHolds: 1 });
  });

  test("are not listed when they have ended, nor found", async () => {
    await authority.join("a");
    await authority.end("a", "closed");
    expect([await storeOf("b").list(), await storeOf("b").find("a"), await storeOf("b").find("unknown")]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });
});
