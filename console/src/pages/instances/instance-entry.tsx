import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Instance, InstanceWithLeases } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { bytes, count, duration, exactMoney, inCount, money } from "../../parts/format/format.ts";
import type { Tone } from "../../parts/notice.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { textLink } from "../../parts/text-link.ts";
import { Time } from "../../parts/time.tsx";

const TONES: Record<Instance["state"], Tone> = {
  starting: "plain",
  live: "good",
  disconnected: "bad",
  draining: "warn",
  written_off: "plain",
};

const ROLES: Record<Instance["role"], string> = {
  single: "Single process",
  owner: "Owner process",
  gateway: "Gateway process",
  platform: "Platform process",
  all: "Gateway and platform",
};

/** Whether a process can have leases. Without a shared database, a single process or an owner process has all credit. */
function mayLease({ role, open_holds: openHolds }: Instance): boolean {
  return openHolds !== null || (role !== "single" && role !== "owner");
}

/** A process; expanded, its details and leases. */
export function InstanceEntry({ of }: { readonly of: Instance }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="border-t border-line first:border-t-0">
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex list-none items-center gap-3 px-4 py-2.5 hover:bg-hover">
          <ChevronRight size={14} className="shrink-0 text-ink-3 transition-transform group-open:rotate-90" aria-hidden />
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium">{ROLES[of.role]}</span>
            {mayLease(of) && (
              <span className="ml-2 text-ink-3">
                <Mono>{of.id}</Mono>
              </span>
            )}
          </span>
          {of.role !== "owner" && <Figures of={of} />}
          <span className="flex w-24 shrink-0 justify-end">
            <Badge tone={TONES[of.state]}>{of.state}</Badge>
          </span>
        </summary>
        {isOpen && (
          <div className="flex flex-col gap-4 border-t border-line bg-sunken px-4 py-3 sm:pl-11">
            <Details of={of} />
            {mayLease(of) && <Leases id={of.id} />}
          </div>
        )}
      </details>
    </li>
  );
}

function Figures({ of }: { readonly of: Instance }): ReactNode {
  return (
    <>
      <span className="figures w-24 shrink-0 text-right text-sm text-ink-2 max-sm:hidden">{count(of.in_flight)} in flight</span>
      {mayLease(of) && (
        <>
          <span className="figures w-40 shrink-0 text-right text-sm text-ink-2 max-lg:hidden">
            {of.heartbeat_age_ms === null ? "no heartbeat" : `heartbeat ${duration(of.heartbeat_age_ms)} ago`}
          </span>
          <span className="figures w-32 shrink-0 truncate text-right text-sm text-ink-2 max-md:hidden">{money(of.leased)} leased</span>
        </>
      )}
    </>
  );
}

function Details({ of }: { readonly of: Instance }): ReactNode {
  return (
    <Facts
      facts={[
        of.open_holds === null ? undefined : ["Machine", of.host],
        ["Process ID", String(of.pid)],
        ["Version", of.version],
        ["Started", <Time key="started" at={of.started_at} />],
        of.heartbeat_age_ms === null ? undefined : ["Last heartbeat", `${duration(of.heartbeat_age_ms)} ago`],
        of.role === "owner" ? undefined : ["In flight", `${inCount(of.in_flight, "request")}, ${inCount(of.connections, "connection")}`],
        ["Memory", bytes(of.memory_bytes)],
        mayLease(of) ? ["Leased", exactMoney(of.leased)] : undefined,
        of.open_holds === null || of.held === null
          ? undefined
          : ["Open holds", `${inCount(of.open_holds, "request")}, ${exactMoney(of.held)}`],
        of.config === null ? undefined : ["Config file", of.config === "declared" ? "The declared one" : "Not the declared one"],
      ]}
    />
  );
}

type Lease = InstanceWithLeases["leases"][number];

const LEASE_COLUMNS: readonly Column<Lease>[] = [
  { title: "Lease of", cell: ({ kind }) => kind },
  { title: "ID", cell: (lease) => <LeaseLink of={lease} />, className: "w-full max-w-0!" },
  { title: "Amount", cell: ({ amount }) => exactMoney(amount), figures: true },
];

function LeaseLink({ of: { kind, id } }: { readonly of: Lease }): ReactNode {
  return (
    <Link to={kind === "account" ? "/accounts/$id" : "/keys/$id"} params={{ id }} title={id} className={textLink}>
      <Mono>{id}</Mono>
    </Link>
  );
}

/** The leases, fetched when they are shown: there may be one for each account. */
function Leases({ id }: { readonly id: string }): ReactNode {
  const instance = useApiQuery("showInstance", { path: { id } }, { every: 3000 });
  return (
    <Fetched of={instance} lines={2}>
      {({ leases, lease_count: all }) =>
        leases.length === 0 ? (
          <p className="text-sm text-ink-3">It has leased no credit.</p>
        ) : (
          <div className="flex flex-col gap-1.5">
            <div className="overflow-hidden rounded-md border border-line bg-surface">
              <Table label="Leases" columns={LEASE_COLUMNS} rows={leases} keyOf={(lease) => `${lease.kind} ${lease.id}`} dense />
            </div>
            {all > leases.length && <p className="text-sm text-ink-3">and {inCount(all - leases.length, "smaller lease")}</p>}
          </div>
        )
      }
    </Fetched>
  );
}
