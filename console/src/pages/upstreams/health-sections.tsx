import type { ReactNode } from "react";
import type { Upstream, UpstreamHealth } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { Mono } from "../../parts/code.tsx";
import { Stat } from "../../parts/facts.tsx";
import { count, duration, percent } from "../../parts/format.ts";
import { Section } from "../../parts/page.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { credentialStanding, latency, latencyOf, modelStanding, upstreamStanding } from "./health-status.ts";
import { StandingBadge } from "./health-badge.tsx";
import { markOf } from "./format-upstream.ts";

const FEW_SECONDS_MS = 3000;

/** How an upstream fares at this moment. It is asked again every few seconds, and calls nobody. */
export function HealthSections({ upstream: { id, dialect } }: { readonly upstream: Upstream }): ReactNode {
  const health = useLook("showUpstreamHealth", { path: { id } }, { every: FEW_SECONDS_MS });
  return (
    <Fetched of={health}>
      {(data) => (
        <div className="flex flex-col gap-5">
          <Figures health={data} />
          <Section title="Models" about="By the upstream's own names, of the last twenty calls at most." flush>
            {data.models.length === 0 ? (
              <Empty title="Nothing is known of it yet">
                That begins with the first call after the start of Tollgate, or after a change of its settings.
              </Empty>
            ) : (
              <Table label="Health of its models" columns={MODELS} rows={data.models} keyOf={({ model }) => model} />
            )}
          </Section>
          {dialect !== "echo" && data.credentials.length > 0 && (
            <Section title="Credentials" about="One that is refused, or has had its share, is left alone for a while." flush>
              <Table
                label="Health of its credentials"
                columns={CREDENTIALS}
                rows={data.credentials.map((each, at) => ({ ...each, at }))}
                keyOf={({ at }) => String(at)}
              />
            </Section>
          )}
        </div>
      )}
    </Fetched>
  );
}

function Figures({ health }: { readonly health: UpstreamHealth }): ReactNode {
  const ms = latencyOf(health);
  const calls = health.models.reduce((sum, model) => sum + model.recent_calls, 0);
  const failures = health.models.reduce((sum, model) => sum + model.recent_failures, 0);
  const { word, more } = upstreamStanding(health);
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Health" value={word} note={more && <span title={more}>{more}</span>} />
      <Stat
        label="Calls under way"
        value={count(health.in_flight)}
        note={health.queued > 0 ? `${count(health.queued)} waiting` : "none waiting"}
      />
      <Stat label="Begins an answer after" value={ms === undefined ? "–" : latency(ms)} note="the quickest of its models" />
      <Stat label="Failed lately" value={percent(failures, calls)} note={`${count(failures)} of ${count(calls)} calls`} />
    </div>
  );
}

type ModelHealth = UpstreamHealth["models"][number];

const MODELS: readonly Column<ModelHealth>[] = [
  {
    title: "Model",
    cell: ({ model }) => (
      <span title={model}>
        <Mono>{model}</Mono>
      </span>
    ),
  },
  { title: "Health", cell: (model) => <StandingBadge standing={modelStanding(model)} /> },
  { title: "Tried again in", cell: ({ due_in_ms: ms }) => (ms > 0 ? duration(ms) : "–"), figures: true, from: "md" },
  { title: "Under way", cell: ({ in_flight: calls }) => count(calls), figures: true, from: "sm" },
  { title: "Begins after", cell: ({ latency_ms: ms }) => (ms === null ? "–" : latency(ms)), figures: true },
  {
    title: "Failed",
    cell: ({ recent_failures: failed, recent_calls: calls }) => (calls === 0 ? "–" : `${count(failed)} of ${count(calls)}`),
    figures: true,
    from: "sm",
  },
];

type CredentialHealth = UpstreamHealth["credentials"][number] & { readonly at: number };

const CREDENTIALS: readonly Column<CredentialHealth>[] = [
  { title: "Credential", cell: ({ last4 }) => <Mono>{markOf(last4)}</Mono> },
  { title: "Health", cell: (credential) => <StandingBadge standing={credentialStanding(credential)} /> },
  { title: "Left alone for", cell: ({ cooling_for_ms: ms }) => (ms > 0 ? duration(ms) : "–"), figures: true },
  {
    title: "Why",
    cell: (credential) => <span className="whitespace-normal text-ink-2">{credentialStanding(credential).more ?? "–"}</span>,
    from: "md",
    className: "w-full max-w-none!",
  },
];
