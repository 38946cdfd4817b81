import type { Database as SqliteFile } from "bun:sqlite";
import { EntryTable } from "../tables/entry-table.ts";
import { InstanceTable } from "../tables/instance-table.ts";
import { listProcessFolders, processFolderIn } from "./process-folder.ts";
import { CannotRecoverProcess, readUnapplied, refuseKnown, requestsOf } from "./process-recovery.ts";

/** The journals that a start could not apply to a ledger. No gateway process may be running. */
export function findDamagedJournals(dataFolder: string, ledger: SqliteFile): readonly CannotRecoverProcess[] {
  const entries = new EntryTable(ledger);
  const instances = new Map(new InstanceTable(ledger).all().map((each) => [each.id, each]));
  const left = listProcessFolders(dataFolder).filter((id) => instances.get(id)?.state !== "closed");
  return left.flatMap((instanceId) => {
    const appliedSeq = instances.get(instanceId)?.appliedSeq ?? 0;
    const path = processFolderIn(dataFolder, instanceId);
    const damage = damageOf(() => {
      const changes = readUnapplied({ instanceId, path, appliedSeq });
      const ended = requestsOf(changes).filter((requestId) => entries.findClosed(requestId) !== undefined);
      refuseKnown(instanceId, path, changes, new Set(ended));
    });
    return damage ?? [];
  });
}

function damageOf(read: () => unknown): CannotRecoverProcess | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof CannotRecoverProcess) return error;
    throw error;
  }
}
