import { type ReactNode, useState } from "react";
import type { Instance, InstanceList } from "../../../../platform-client/types.ts";
import { useApiQuery, useApiMutation } from "../../platform/use-api.ts";
import { Mono } from "../../parts/code.tsx";
import { Stat } from "../../parts/facts.tsx";
import { bytes, count, inCount, money } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { InstanceEntry } from "./instance-entry.tsx";
import { RotateCw } from "lucide-react";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";

const REFRESH_MS = 3000;

/** The processes of this installation, refreshed every few seconds. */
export function InstancesPage(): ReactNode {
  const instances = useApiQuery("listInstances", {}, { every: REFRESH_MS });
  // Processes that share a database are excluded: they are restarted where they were started.
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

/** A lost process of an installation with a shared database. Its journal may have charges that no other process has. */
function strandsCredit({ state, open_holds: openHolds }: Instance): boolean {
  return state === "disconnected" && openHolds !== null;
}

function Lost({ instances }: { readonly instances: readonly Instance[] }): ReactNode {
  return (
    <Notice title={instances.length === 1 ? "A process is lost" : `${count(instances.length)} processes are lost`} tone="bad">
      Its leased credit cannot be spent until it is started again in its data folder. If that is gone, write it off:
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

interface RestartProps {
  readonly gateways: readonly Instance[];
  readonly isRestarting: boolean;
}

/** Starts a rolling restart, after a confirmation. */
export function RestartInstances({ gateways, isRestarting }: RestartProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const restart = useApiMutation("restartInstances");
  const close = (): void => {
    setOpen(false);
    restart.reset();
  };
  const done = (): void => {
    close();
    toast("Rolling restart started.");
  };
  return (
    <>
      <Button busy={isRestarting} onClick={() => setOpen(true)}>
        {!isRestarting && <RotateCw size={14} aria-hidden />}
        {isRestarting ? "Restarting" : "Restart processes"}
      </Button>
      <Confirm
        open={isOpen}
        onClose={close}
        title={`Restart ${gateways.length === 1 ? "the gateway process" : `${count(gateways.length)} gateway processes`}?`}
        action="Restart"
        weight="primary"
        change={restart}
        onConfirm={() => restart.mutate({}, { onSuccess: done })}
      >
        They are replaced one after another. Each finishes its requests in flight first, and new connections go to the others. The owner
        process is not restarted.
      </Confirm>
    </>
  );
}

/** Writes off a lost process, after it has shown the credit that this strands. */
export function WriteOff({ instance }: { readonly instance: Instance }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Write off {instance.id}
      </Button>
      {isOpen && <WriteOffDialog instance={instance} onClose={() => setOpen(false)} />}
    </>
  );
}

function WriteOffDialog({ instance, onClose }: { readonly instance: Instance; readonly onClose: () => void }): ReactNode {
  const { id, leased, lease_count: leases, open_holds: holds, held } = instance;
  const [reason, setReason] = useState("");
  const writeOff = useApiMutation("writeOffInstance");
  const done = (): void => {
    toast(`${id} was written off.`);
    onClose();
  };
  return (
    <FormDialog
      title={`Write off ${id}?`}
      about="For a process whose data folder is lost. If it still exists, start the process there again instead: then nothing is lost."
      action="Write off"
      weight="danger"
      change={writeOff}
      fields={["reason"]}
      onSubmit={() => writeOff.mutate({ path: { id }, body: { reason: reason.trim() } }, { onSuccess: done })}
      onClose={onClose}
    >
      <Notice tone="warn">
        Its {inCount(leases, "lease")} of {money(leased)} return to their accounts. Its {inCount(holds ?? 0, "open hold")} of{" "}
        {money(held ?? "0")} {holds === 1 ? "is" : "are"} charged for the last reported progress, or released.
      </Notice>
      <TextField
        label="Reason"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        required
        autoFocus
        hint="Recorded in the audit log."
        error={refusalAt(writeOff.error, "reason")}
      />
    </FormDialog>
  );
}
