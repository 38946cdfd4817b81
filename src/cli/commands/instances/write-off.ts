import type { WriteOff } from "../../../../platform-client/types.ts";
import { UsageError } from "../../command.ts";
import { formatCount, formatUsd } from "../../format/format-values.ts";
import { text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";

export const writeOffInstance = platformCommand<WriteOff>({
  summary: "Write off a lost process that shares a database.",
  details: `Its open holds are charged for their last reported progress, or released, and its leases return to their accounts. Do it for a process
whose journal will not come back, such as on a machine with a broken disk: a process that is started again in the same data folder applies the
journal, and strands nothing. If the journal comes back all the same, the remaining charges are booked late.`,
  examples: ["instances write-off gate-2-4fTz81Qx --preview", "instances write-off gate-2-4fTz81Qx --reason 'disk of gate-2 failed'"],
  operands: [{ name: "ID", meaning: "ID of the instance" }],
  options: {
    reason: text("reason", "reason, recorded in the audit log"),
    preview: { meaning: "show what it strands, and change nothing", field: "preview", isInQuery: true, read: () => true },
  },
  call: "POST /api/instances/{id}/write-off",
  complete(fields) {
    if (fields["reason"] !== undefined) return fields;
    if (fields["preview"] === undefined) throw new UsageError("give a reason: --reason 'disk of gate-2 failed'");
    return { ...fields, reason: "preview" };
  },
  print: describeWriteOff,
});

export function describeWriteOff({ written_off: isWrittenOff, instance }: WriteOff): string {
  const { id, state, open_holds: openHolds, lease_count: leaseCount } = instance;
  if (state === "written_off") return `Nothing changed: ${id} was written off before.\n`;
  const holds = `${formatCount(openHolds ?? 0, "open hold")} of ${formatUsd(instance.held ?? "0")}`;
  const stranded = `${formatUsd(instance.leased)} in ${formatCount(leaseCount, "lease")}, with ${holds}`;
  if (isWrittenOff) return `Wrote off ${id}: ${stranded}.\n`;
  return `${id} strands ${stranded}.\nNothing was changed. Without --preview it is written off.\n`;
}
