import type { ReactNode } from "react";
import type { Upstream, UpstreamHealth } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Mono } from "../../parts/code.tsx";
import { Stat } from "../../parts/facts.tsx";
import { count, duration, percent } from "../../parts/format/format.ts";
import { Section } from "../../parts/page.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { credentialStatus, latency, latencyOf, modelStatus, upstreamStatus } from "./health-status.ts";
import { HealthBadge } from "./health-badge.tsx";
import { describeCredentials } from "./format-identity.ts";
import { maskedCredential } from "./format-upstream.ts";

const REFRESH_MS = 3000;

/** The current health of an upstream, refreshed every few seconds. Sends no request to the upstream. */
export function HealthSections({ upstream: { id, dialect } }: { readonly upstream: Upstream }): ReactNode {
  const health = useApiQuery("showUpstreamHealth", { path: { id } }, { every: REFRESH_MS });
  return (
    <Fetched of={health}>
      {(data) => (
        <div className="flex flex-col gap-5">
          <Figures health={data} />
          <Section title="Models" about="By upstream model, over the last 20 requests at most." flush>
            {data.models.length === 0 ? (
              <Empty title="No data yet">
                Health is measured from the first request after startup or after a change of the upstream's settings.
              </Empty>
            ) : (
              <Table label="Model health" columns={MODELS} rows={data.models} keyOf={({ model }) => model} />
            )}
          </Section>
          {data.identity && (
            <Section title="Identity" about="Its credentials are refreshed before they expire.">
              <p className={data.identity.failure === null ? undefined : "text-bad"}>{describeCredentials(data.identity)}</p>
            </Section>
          )}
          {dialect !== "echo" && data.credentials.length > 0 && (
            <Section title="Credentials" about="A credential that was rejected or rate limited is not used during its cooldown." flush>
              <Table
                label="Credential health"
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
  const { label, detail } = upstreamStatus(health);
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Health" value={label} note={detail && <span title={detail}>{detail}</span>} />
      <Stat label="In flight" value={count(health.in_flight)} note={health.queued > 0 ? `${count(health.queued)} queued` : "none queued"} />
      <Stat label="Time to first byte" value={ms === undefined ? "–" : latency(ms)} note="fastest model" />
      <Stat label="Recent failures" value={percent(failures, calls)} note={`${count(failures)} of ${count(calls)} requests`} />
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
  { title: "Health", cell: (model) => <HealthBadge status={modelStatus(model)} /> },
  { title: "Next probe in", cell: ({ probe_in_ms: ms }) => (ms > 0 ? duration(ms) : "–"), figures: true, from: "md" },
  { title: "In flight", cell: ({ in_flight: calls }) => count(calls), figures: true, from: "sm" },
  { title: "Time to first byte", cell: ({ latency_ms: ms }) => (ms === null ? "–" : latency(ms)), figures: true },
  {
    title: "Failures",
    cell: ({ recent_failures: failed, recent_calls: calls }) => (calls === 0 ? "–" : `${count(failed)} of ${count(calls)}`),
    figures: true,
    from: "sm",
  },
];

type CredentialHealth = UpstreamHealth["credentials"][number] & { readonly at: number };

const CREDENTIALS: readonly Column<CredentialHealth>[] = [
  { title: "Credential", cell: ({ last4 }) => <Mono>{maskedCredential(last4)}</Mono> },
  { title: "Health", cell: (credential) => <HealthBadge status={credentialStatus(credential)} /> },
  {
    title: "Cooldown remaining",
    cell: ({ cooldown_ms: ms }) => (ms > 0 ? duration(ms) : "–"),
    figures: true,
    className: "max-sm:whitespace-normal!",
  },
  {
    title: "Reason",
    cell: (credential) => <span className="whitespace-normal text-ink-2">{credentialStatus(credential).detail ?? "–"}</span>,
    from: "md",
    className: "w-full max-w-none!",
  },
];
