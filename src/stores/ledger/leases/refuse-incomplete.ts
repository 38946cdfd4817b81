import { SequenceGapError, type Instance } from "./instance.ts";
import type { ProcessChange } from "./process-change.ts";

/**
 * Checks a batch before anything of it is applied: it is applied as a whole or not at all. Throws `SequenceGapError` where a change is missing, and
 * an error where a change ends a hold that is not open, or opens one twice: its second end could never be written, and all later entries would wait.
 */
export function refuseIncomplete(
  { id: instanceId, appliedSeq, state }: Instance,
  changes: readonly ProcessChange[],
  open: ReadonlyMap<string, unknown>,
): void {
  let last = appliedSeq;
  const opened = new Set<string>();
  for (const change of changes) {
    if (change.id <= last) continue;
    if (change.id !== last + 1) {
      throw new SequenceGapError(`changes ${last + 1} to ${change.id - 1} of the process ${instanceId} are missing`);
    }
    last = change.id;
    // Of a process that was written off, changes of the credit alone are booked.
    if (state === "written_off") continue;
    if (change.kind === "hold") {
      if (opened.has(change.requestId) || open.has(change.requestId)) {
        throw new Error(`${change.requestId} of the process ${instanceId} has an open hold already`);
      }
      opened.add(change.requestId);
    }
    const closed = closedBy(change);
    if (closed === undefined || opened.delete(closed) || open.has(closed)) continue;
    throw new Error(`${closed} of the process ${instanceId} has no open hold`);
  }
}

/** The request whose hold a change ends for sure; undefined for any other change. */
function closedBy(change: ProcessChange): string | undefined {
  if (change.kind === "direct") return change.settled && change.requestId;
  return change.kind === "settle" || change.kind === "release" ? change.requestId : undefined;
}
