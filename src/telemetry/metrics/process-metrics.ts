import type { Nanos } from "../../vocabulary/money.ts";
import type { Unlabelled } from "./descriptions.ts";
import { BoundedNames } from "./bounded-names.ts";
import type { Family } from "./exposition.ts";
import type { ListenerName } from "./label-values.ts";
import { Series } from "./series.ts";

/** How the parts of this process fare at this moment. */
export interface ProcessState {
  readonly version: string;
  readonly openRequests: Readonly<Record<ListenerName, number>>;
  readonly ledger: {
    readonly openHolds: number;
    readonly heldNanos: Nanos;
    readonly unwrittenEntries: number;
    readonly trouble: string | undefined;
  };
  readonly requestLog: {
    readonly queued: number;
    readonly written: number;
    readonly dropped: number;
    readonly trouble: string | undefined;
  };
  /** Undefined where there is no config file. */
  readonly configFile: { readonly isRefused: boolean; readonly inForceSinceMs: number } | undefined;
}

export function processFamilies({ version, openRequests, ledger, requestLog, configFile }: ProcessState): readonly Family[] {
  const open = Series.of("tollgate_open_requests");
  open.cell({ listener: "gateway" }).value = openRequests.gateway;
  open.cell({ listener: "platform" }).value = openRequests.platform;
  const build = Series.of("tollgate_build_info");
  build.cell({ version: new BoundedNames(1).of(version) }).value = 1;
  const held = Series.ofDollars("tollgate_holds_open_dollars");
  held.cell({}).nanos = ledger.heldNanos;
  return [
    open,
    single("tollgate_holds_open", ledger.openHolds),
    held,
    single("tollgate_ledger_unwritten_entries", ledger.unwrittenEntries),
    single("tollgate_ledger_in_trouble", Number(ledger.trouble !== undefined)),
    single("tollgate_request_log_queued", requestLog.queued),
    single("tollgate_request_log_written_total", requestLog.written),
    single("tollgate_request_log_dropped_total", requestLog.dropped),
    single("tollgate_request_log_in_trouble", Number(requestLog.trouble !== undefined)),
    ...(configFile ? configFamilies(configFile) : []),
    build,
    ...ownFamilies(),
  ];
}

function configFamilies({ isRefused, inForceSinceMs }: NonNullable<ProcessState["configFile"]>): readonly Family[] {
  return [
    single("tollgate_config_last_reload_successful", Number(!isRefused)),
    single("tollgate_config_last_reload_success_timestamp_seconds", inForceSinceMs / 1000),
  ];
}

/** What any process can tell of itself, under the names that all of them use. */
function ownFamilies(): readonly Family[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    single("tollgate_heap_used_bytes", heapUsed),
    single("process_resident_memory_bytes", rss),
    single("process_cpu_seconds_total", (user + system) / 1e6),
    single("process_start_time_seconds", performance.timeOrigin / 1000),
  ];
}

function single(name: Unlabelled, value: number): Family {
  const series = Series.of(name);
  series.cell({}).value = value;
  return series;
}
