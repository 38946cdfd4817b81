import type { Purse } from "../../../money/purse.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { InstanceIsLive } from "../instance-store.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import { chargedPurses, uniquePurses } from "./charged-purses.ts";
import { leasedPurses, lockInstance, type KnownInstance } from "./instance-rows.ts";
import { areBreakdownsChanged, readBreakdowns } from "./known-breakdowns.ts";
import { readAllHolds } from "./load-state.ts";
import { addPurses, lockPurses } from "./locked-purses.ts";
import { inTwoTrips, type PreparedTransaction, type Statement } from "./transaction.ts";
import { WorkingSet } from "./working-set.ts";
import { toStatements } from "./write-set.ts";

type EndState = "closed" | "written_off";

/**
 * Ends a process. Its open holds are charged for their last reported progress, or released, and its leases return to their purses. `record`
 * is executed in the same transaction, unless the process had already ended.
 */
export async function endInstance(
  pool: PostgresPool,
  capsOf: CapsOf,
  instanceId: string,
  state: EndState,
  record?: Statement,
): Promise<boolean> {
  for (;;) {
    const missing: Purse[] = [];
    const ending = inTwoTrips(pool, async (connection) => {
      const known = await lockInstance(connection, instanceId);
      if (!known) return { statements: [], result: false };
      if (hasEnded(known)) return { statements: [[SET_STATE, [instanceId, state]]], result: true };
      if (state === "written_off" && !known.isLost) throw new InstanceIsLive(`the process ${instanceId} is running, or has been until now`);
      const prepared = await prepare(connection, known, capsOf, state, missing);
      return prepared && record ? { ...prepared, statements: [...prepared.statements, record] } : prepared;
    });
    try {
      const isKnown = await ending;
      if (isKnown !== undefined) return isKnown;
      await addPurses(pool, missing);
    } catch (error) {
      // A concurrent transaction counts another breakdown.
      if (!areBreakdownsChanged(error)) throw error;
    }
  }
}

/** A closed process stays closed. */
const SET_STATE = "update instances set state = $2 where id = $1 and state <> 'closed'";
const FORGET_RECALLS = "delete from recalls where instance_id = $1";

function hasEnded({ instance }: KnownInstance): boolean {
  return instance.state === "closed" || instance.state === "written_off";
}

async function prepare(
  connection: PostgresConnection,
  { instance, nowMs }: KnownInstance,
  capsOf: CapsOf,
  state: EndState,
  missing: Purse[],
): Promise<PreparedTransaction<boolean> | undefined> {
  const [returned, { holds, progress }, breakdowns] = await Promise.all([
    leasedPurses(connection, instance.id),
    readAllHolds(connection, instance.id),
    readBreakdowns(connection),
  ]);
  const purses = uniquePurses([...returned, ...holds.flatMap((hold) => chargedPurses(hold, breakdowns.counted))]);
  const rows = await lockPurses(connection, instance.id, purses, false);
  if (rows.length < purses.length) {
    missing.push(...purses);
    return undefined;
  }
  const set = new WorkingSet({ nowMs, instance, purses: rows, holds, progress, breakdowns }, capsOf);
  const entries = set.core.end(instance.id, state);
  const openBefore = holds.map(({ requestId }) => requestId);
  return {
    statements: [
      [SET_STATE, [instance.id, state]],
      [FORGET_RECALLS, [instance.id]],
      ...toStatements(set, { changes: [], entries, replies: [], returned, openBefore }),
    ],
    result: true,
  };
}
