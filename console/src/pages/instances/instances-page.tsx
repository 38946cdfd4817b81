import type { ReactNode } from "react";
import type { Instance, InstanceList } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Mono } from "../../parts/code.tsx";
import { Stat } from "../../parts/facts.tsx";
import { bytes, count } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { InstanceEntry } from "./instance-entry.tsx";
import { RestartInstances } from "./restart-instances.tsx";
import { WriteOff } from "./write-off.tsx";

const REFRESH_MS = 3000;

/** The processes of this Tollgate, refreshed every few seconds. */
export function InstancesPage(): ReactNode {
  const instances = useApiQuery("listInstances", {}, { every: REFRESH_MS });
  // Processes that share a database are restarted where they were started.
  const gateways = instances.data?.data.filter(({ role, open_holds: openHolds }) => role === "gateway" && openHolds === null) ?? [];
  return (
    <Page
      title="Instances"
      docs="platform#instances"
      about="The processes of this Tollgate, and the credit that each has leased."
      actions={gateways.length > 0 && <RestartInstances gateways={gateways} isRestarting={instances.data!.restarting} />}
    >
      <Fetched of={instances}>{(list) => <Instances list={list} />}</Fetched>
    </Page>
  );
}

function Instances({ list: { data, restarting } }: { readonly list: InstanceList }): ReactNode {
  return (
    <>
      {restarting && <Notice title="Rolling restart in progress">The gateway processes are replaced one after another.</Notice>}
      {data.some(strandsCredit) && <Lost instances={data.filter(strandsCredit)} />}
      <Figures instances={data} />
      <ul aria-label="Instances" className="card overflow-hidden">
        {data.map((instance) => (
          <InstanceEntry key={instance.id} of={instance} />
        ))}
      </ul>
      {data.length === 1 && data[0]!.role === "single" && (
        <p className="text-sm text-ink-3">
          A single process uses one core.{" "}
          <span className="whitespace-nowrap">
            <Mono>tollgate start --processes auto</Mono>
          </span>{" "}
          starts one gateway process per core.
        </p>
      )}
    </>
  );
}

/** A lost process of those that share a database. Its journal may have charges that nobody else knows of. */
function strandsCredit({ state, open_holds: openHolds }: Instance): boolean {
  return state === "disconnected" && openHolds !== null;
}

function Lost({ instances }: { readonly instances: readonly Instance[] }): ReactNode {
  return (
    <Notice title={instances.length === 1 ? "A process is lost" : `${count(instances.length)} processes are lost`} tone="bad">
      What it has leased cannot be spent until it is started again in its data folder. If that is gone, write it off:
      <span className="mt-2 flex flex-wrap gap-2">
        {instances.map((instance) => (
          <WriteOff key={instance.id} instance={instance} />
        ))}
      </span>
    </Notice>
  );
}

function Figures({ instances }: { readonly instances: readonly Instance[] }): ReactNode {
  const serving = instances.filter(({ role }) => role !== "owner" && role !== "platform");
  const live = serving.filter(({ state }) => state === "live").length;
  const sum = (of: (instance: Instance) => number): number => instances.reduce((total, instance) => total + of(instance), 0);
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Live" value={`${count(live)} of ${count(serving.length)}`} note="serving clients" />
      <Stat label="In flight" value={count(sum((instance) => instance.in_flight))} note="requests" />
      <Stat label="Connections" value={count(sum(({ connections }) => connections))} note="of model clients" />
      <Stat label="Memory" value={bytes(sum((instance) => instance.memory_bytes))} note="of all processes" />
    </div>
  );
}
