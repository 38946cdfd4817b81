import type { Instance, InstanceList, InstanceWithLeases, RollingRestart, WriteOff } from "../../../../platform-client/types.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatBytes, formatCount, formatDuration, formatNumber, formatTime, formatUsd } from "../../format/format-values.ts";
import { terminalWidth } from "../../output.ts";
import { platformCommand } from "../../platform-command.ts";
import { formatTable, type Column } from "../../format/table.ts";
import { UsageError } from "../../command.ts";
import { text } from "../../options.ts";

const COLUMNS: readonly Column<Instance>[] = [
  { heading: "ID", cell: ({ id }) => id },
  { heading: "ROLE", cell: ({ role }) => role },
  { heading: "STATE", cell: ({ state }) => state },
  { heading: "HOST", cell: (instance) => (sharesDatabase(instance) ? instance.host : ""), isSpare: true },
  { heading: "PID", cell: ({ pid }) => String(pid), align: "right", isSpare: true },
  { heading: "IN FLIGHT", cell: ({ in_flight: count }) => formatNumber(count), align: "right" },
  { heading: "CONNECTIONS", cell: ({ connections }) => formatNumber(connections), align: "right", isSpare: true },
  { heading: "MEMORY", cell: ({ memory_bytes: bytes }) => formatBytes(bytes), align: "right" },
  { heading: "HEARTBEAT", cell: ({ heartbeat_age_ms: ms }) => (ms === null ? "-" : formatDuration(ms)), align: "right" },
  { heading: "OPEN HOLDS", cell: ({ open_holds: count }) => (count === null ? "" : formatNumber(count)), align: "right", isSpare: true },
  { heading: "CONFIG", cell: ({ config }) => (config === "other" ? "other" : ""), isSpare: true },
  { heading: "LEASED", cell: (instance) => (mayLease(instance) ? instance.leased : "-"), align: "point" },
];

/** Whether it is one of several processes that share a database, on any machine. */
function sharesDatabase({ open_holds: openHolds }: Instance): boolean {
  return openHolds !== null;
}

/** Without a shared database, a single process and an owner process hold all credit themselves. */
function mayLease(instance: Instance): boolean {
  return sharesDatabase(instance) || (instance.role !== "single" && instance.role !== "owner");
}

export const listInstances = platformCommand<InstanceList>({
  summary: "List the processes of this Tollgate.",
  details:
    "HEARTBEAT is the time since the last one. LEASED is the credit in dollars that a process may spend on its own. Where processes share a database, the processes of all machines are listed, and CONFIG is other for a process whose config file differs from the declared one, which all of them serve.",
  examples: ["instances", "instances --json"],
  call: "GET /api/instances",
  print: (instances) => formatInstances(instances, terminalWidth()),
});

export function formatInstances({ data, restarting }: InstanceList, width: number | undefined): string {
  return `${formatTable(COLUMNS, data, width)}${restarting ? "\nA rolling restart is in progress.\n" : ""}`;
}

type Lease = InstanceWithLeases["leases"][number];

const LEASES: readonly Column<Lease>[] = [
  { heading: "LEASE OF", cell: ({ kind, id }) => `${kind} ${id}`, isLong: true },
  { heading: "AMOUNT", cell: ({ amount }) => amount, align: "point" },
];

export const showInstance = platformCommand<InstanceWithLeases>({
  summary: "Show a process of this Tollgate, with its leases of accounts and keys.",
  examples: ["instances show single"],
  operands: [{ name: "ID", meaning: "ID of the instance" }],
  call: "GET /api/instances/{id}",
  print: describeInstance,
});

export function describeInstance(instance: InstanceWithLeases): string {
  const { id, role, state, pid, version, in_flight: inFlight, connections, heartbeat_age_ms: heartbeat, leases } = instance;
  const details = formatDetails([
    ["Instance", `${id} (${role}), process ${pid}${sharesDatabase(instance) ? ` on ${instance.host}` : ""}`],
    ["State", state],
    ["Version", version],
    ["Started", `${formatTime(instance.started_at)} UTC`],
    ...(heartbeat === null ? [] : [["Last heartbeat", `${formatDuration(heartbeat)} ago`]]),
    ["In flight", `${formatCount(inFlight, "request")} on ${formatCount(connections, "connection")}`],
    ["Memory", formatBytes(instance.memory_bytes)],
    ...(mayLease(instance) ? [["Leased", `${formatUsd(instance.leased)}, ${formatCount(instance.lease_count, "lease")}`]] : []),
    ...heldBy(instance),
    ...(instance.config === null
      ? []
      : [["Config file", instance.config === "declared" ? "the declared one" : "another than the declared one"]]),
  ]);
  if (leases.length === 0) return details;
  const more = instance.lease_count - leases.length;
  return `${details}\n${formatTable(LEASES, leases, terminalWidth())}${more > 0 ? `and ${formatCount(more, "smaller lease")}\n` : ""}`;
}

function heldBy({ open_holds: openHolds, held }: Instance): string[][] {
  return openHolds === null || held === null ? [] : [["Open holds", `${formatCount(openHolds, "request")}, ${formatUsd(held)}`]];
}

export const restartInstances = platformCommand<RollingRestart>({
  summary: "Restart the gateway processes one after another, without interrupting requests.",
  details:
    "The owner process is not restarted, and where machines share a database, neither are the processes of the others. The command returns when the rolling restart has started; tollgate instances shows its progress.",
  examples: ["restart"],
  call: "POST /api/instances/restart",
  print: ({ instances }) =>
    `Restarting ${formatCount(instances.length, "gateway process", "gateway processes")}: ${instances.join(", ")}.\n`,
});

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
