import { namesOf } from "../../lib/schema/infer.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { formatDollars } from "../../money/money.ts";
import { CONFIG_FILES, PROCESS_ROLES, PROCESS_STATES, type ProcessLease, type ProcessView } from "../processes.ts";
import { timeSchema, viewTime, unknownId } from "./fields.ts";
import { operators } from "../../access/access.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";

const instanceFields = {
  id: { type: "string", description: "The ID of the process. A gateway process has a new ID after each start." },
  role: {
    type: "string",
    enum: PROCESS_ROLES,
    description:
      "`single`: one process does everything. `owner`: the process with the data folder and the platform. `gateway`: a process that serves model clients. If processes share a database, also `platform`: a process that serves the platform; `all`: a process that serves both; `owner`: a process that has started gateway processes.",
  },
  state: {
    type: "string",
    enum: PROCESS_STATES,
    description:
      "`starting`; `live`: it serves requests; `disconnected` from the owner process or for 30 seconds from the database, or ended before its journal was applied; `draining`: it finishes its requests in flight; `written_off`: given up, and no longer listed.",
  },
  host: { type: "string", description: "The name of its machine; empty if it has not reported yet." },
  pid: { type: "integer", description: "The process ID." },
  version: { type: "string", description: "The version, and behind a plus sign the commit that it was built from, if that is known." },
  started_at: timeSchema,
  heartbeat_age_ms: {
    type: "integer",
    nullable: true,
    description:
      "Milliseconds since its last heartbeat to the owner process or the database; null before the first, and without a shared database for the roles `single` and `owner`.",
  },
  in_flight: { type: "integer", description: "Requests of model clients in flight." },
  connections: { type: "integer", description: "Connections of model clients." },
  memory_bytes: { type: "integer", description: "Resident memory." },
  leased: {
    type: "string",
    description: "Dollars: the sum of the leases of accounts. A lease of a key is part of its account's, and does not count again.",
  },
  lease_count: { type: "integer", description: "The number of leases, of accounts and of keys with spend caps." },
  open_holds: {
    type: "integer",
    nullable: true,
    description: "The number of open holds of its requests in the shared database; null without a shared database.",
  },
  held: {
    type: "string",
    nullable: true,
    description: "Dollars: the sum of these holds, which is part of `leased`. Null if `open_holds` is.",
  },
  config: {
    type: "string",
    nullable: true,
    enum: CONFIG_FILES,
    description:
      "Processes that share a database all serve one declared config file. `declared`: this process has that file; `other`: its file differs; null: it has none, or no database is shared.",
  },
} as const satisfies Record<string, Schema>;

const instanceSchema = {
  title: "Instance",
  type: "object",
  required: namesOf(instanceFields),
  properties: instanceFields,
} as const satisfies Schema;

/** The maximum number of leases in one reply. There may be one for each account and key. */
const MAX_LEASES = 1000;

const instanceWithLeasesSchema = {
  title: "InstanceWithLeases",
  type: "object",
  required: [...namesOf(instanceFields), "leases"],
  properties: {
    ...instanceFields,
    leases: {
      type: "array",
      description: `The ${MAX_LEASES} largest leases at most, the largest first.`,
      items: {
        title: "Lease",
        type: "object",
        description: "The part of a credit, or of spend caps, that the process may spend on its own.",
        required: ["kind", "id", "amount"],
        properties: {
          kind: { type: "string", enum: ["account", "key", "user", "tag"] },
          id: {
            type: "string",
            description:
              "The ID of the account or the key, or the end user or the value of a tag with the account or the key that caps it.",
          },
          amount: { type: "string", description: "Dollars." },
        },
      },
    },
  },
} as const satisfies Schema;

export function viewInstance(process: ProcessView) {
  const {
    id,
    role,
    state,
    host,
    pid,
    version,
    startedAtMs,
    heartbeatAgeMs,
    inFlight,
    connections,
    memoryBytes,
    leases,
    openHolds,
    config,
  } = process;
  const ofAccounts = leases.filter(({ purse }) => purse.scope === "account");
  return {
    id,
    role,
    state,
    host,
    pid,
    version,
    started_at: viewTime(startedAtMs),
    heartbeat_age_ms: heartbeatAgeMs === null ? null : Math.round(heartbeatAgeMs),
    in_flight: inFlight,
    connections,
    memory_bytes: memoryBytes,
    leased: formatDollars(ofAccounts.reduce((sum, { nanos }) => sum + nanos, 0n)),
    lease_count: leases.length,
    open_holds: openHolds?.count ?? null,
    held: openHolds ? formatDollars(openHolds.nanos) : null,
    config: config ?? null,
  };
}

export function viewInstanceWithLeases(process: ProcessView) {
  const largest = process.leases.toSorted(byAmount).slice(0, MAX_LEASES);
  return {
    ...viewInstance(process),
    leases: largest.map(({ purse, nanos }) => ({ kind: purse.scope, id: purse.id, amount: formatDollars(nanos) })),
  };
}

/** Sorts the largest amount first, then accounts before keys, then by ID. */
function byAmount(a: ProcessLease, b: ProcessLease): number {
  if (a.nanos !== b.nanos) return a.nanos > b.nanos ? -1 : 1;
  return `${a.purse.scope} ${a.purse.id}` < `${b.purse.scope} ${b.purse.id}` ? -1 : 1;
}

/** GET /api/instances: the processes of this Tollgate. */
export function listInstances(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/instances",
    access: operators("instances:read"),
    operationId: "listInstances",
    summary: "List the processes of this Tollgate: state, requests in flight, heartbeat, memory and leased credit",
    reply: {
      status: 200,
      description: "The owner process or the single process, then the other processes in the order of their start.",
      json: {
        title: "InstanceList",
        type: "object",
        required: ["data", "restarting"],
        properties: {
          data: { type: "array", items: instanceSchema },
          restarting: { type: "boolean", description: "Whether a rolling restart is in progress." },
        },
      },
    },
    async run() {
      const { processes } = platform;
      return { data: (await processes.list()).map(viewInstance), restarting: processes.isRestarting };
    },
  });
}

/** GET /api/instances/:id: a process with its leases. */
export function showInstance(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/instances/:id",
    access: operators("instances:read"),
    operationId: "showInstance",
    summary: "Show a process of this Tollgate, with its leases of accounts and keys",
    reply: { status: 200, description: "The process.", json: instanceWithLeasesSchema },
    async run({ param }) {
      const id = param("id");
      const process = await platform.processes.find(id);
      if (!process) throw unknownId("unknown_instance", "instance", id);
      return viewInstanceWithLeases(process);
    },
  });
}

/** POST /api/instances/restart: a rolling restart of the gateway processes. The reply does not wait until the restart ends. */
export function restartInstances(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/instances/restart",
    access: operators("instances:write"),
    operationId: "restartInstances",
    summary:
      "Start a rolling restart: replace each gateway process of this machine by a new one, one after another. The owner process is not restarted.",
    reply: {
      status: 202,
      description: "The rolling restart has started. `restarting` of `GET /api/instances` is true until it ends.",
      json: {
        title: "RollingRestart",
        type: "object",
        required: ["instances"],
        properties: { instances: { type: "array", items: { type: "string" }, description: "The IDs of the processes that are replaced." } },
      },
    },
    async run({ change }) {
      const { processes, auditLog } = platform;
      const target = { kind: "instance", id: "all" } as const;
      const instances = await processes.restart((replaced) =>
        auditLog.add(change("instance.restart", target, { before: null, after: { instances: replaced } })),
      );
      return Reply.json({ instances }, { status: 202 });
    },
  });
}

const requestSchema = {
  title: "WriteOffRequest",
  type: "object",
  additionalProperties: false,
  required: ["reason"],
  properties: {
    reason: { ...plainTextSchema, minLength: 1, maxLength: 200, description: "The reason, recorded in the audit log." },
  },
} as const satisfies Schema;

const writeOffSchema = {
  title: "WriteOff",
  type: "object",
  required: ["written_off", "instance"],
  properties: {
    written_off: {
      type: "boolean",
      description: "Whether it was written off by this call: false for a preview, and if it had been written off before.",
    },
    // The process as it was before the call.
    instance: instanceSchema,
  },
} as const satisfies Schema;

const preview = {
  type: "string",
  enum: ["true", "false"],
  description: "Make the same checks, write nothing off, and return the credit that the process strands.",
} as const satisfies Schema;

/** POST /api/instances/:id/write-off: abandons the journal of a process that will not return. */
export function writeOffInstance(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/instances/:id/write-off",
    access: operators("instances:write"),
    operationId: "writeOffInstance",
    summary: "Write off a lost process that shares a database: close its open holds by their last reported progress, and return its leases",
    query: { preview },
    body: requestSchema,
    reply: {
      status: 200,
      description: "The process before the call, with the leases and holds that its loss strands. Repeating it changes nothing.",
      json: writeOffSchema,
    },
    async run({ body: { reason }, query, param, change }) {
      const id = param("id");
      const isPreview = query.preview === "true";
      const target = { kind: "instance", id } as const;
      const process = await platform.processes.writeOff(
        id,
        isPreview ? undefined : (lost) => change("instance.write_off", target, { before: viewInstance(lost), after: { reason } }),
      );
      if (!process) throw unknownId("unknown_instance", "instance", id);
      return { written_off: !isPreview && process.state !== "written_off", instance: viewInstance(process) };
    },
  });
}
