import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";
import { Facts } from "../../parts/facts.tsx";
import { Mono } from "../../parts/code.tsx";
import { count, duration } from "../../parts/format/format.ts";
import { ManagedBadge, ManagedNotice } from "../../parts/managed-by.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Tabs, type Tab } from "../../parts/tabs.tsx";
import { ModelLinks } from "../../parts/model-links.tsx";
import { ConnectionSection } from "./connection-section.tsx";
import { CredentialsSection } from "./credentials-section.tsx";
import { Deviations } from "./deviations.tsx";
import { HealthCell } from "./health-cells.tsx";
import { HealthSections } from "./health-sections.tsx";
import { UpstreamActions } from "./upstream-actions.tsx";
import { UpstreamDoctor } from "./upstream-doctor.tsx";
import { providerOf } from "./format-upstream.ts";

const route = getRouteApi("/signed-in/upstreams/$id");

export function UpstreamPage(): ReactNode {
  const { id } = route.useParams();
  const upstream = useApiQuery("showUpstream", { path: { id } });
  return (
    <Page
      title={id}
      docs="providers"
      above={<Link to="/upstreams">Upstreams</Link>}
      heading={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-all">{id}</span>
          {upstream.data && <HealthCell id={id} />}
        </span>
      }
      actions={upstream.data && <UpstreamActions upstream={upstream.data} />}
    >
      <Fetched of={upstream}>{(data) => <UpstreamView upstream={data} />}</Fetched>
    </Page>
  );
}

function UpstreamView({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs: readonly Tab[] = [
    { id: "health", label: "Health", content: <HealthSections upstream={upstream} /> },
    { id: "about", label: "Details", content: <Details upstream={upstream} /> },
    ...(upstream.dialect === "echo"
      ? []
      : [{ id: "credentials", label: "Credentials", content: <CredentialsSection upstream={upstream} /> }]),
    { id: "test", label: "Test", content: <Tests upstream={upstream} /> },
  ];
  const open = tabs.some(({ id }) => id === tab) ? tab! : "health";
  return (
    <>
      <ManagedNotice by={upstream.managed_by} kind="upstream" />
      <Tabs label="Upstream sections" tabs={tabs} open={open} onOpen={(id) => void navigate({ search: { tab: id }, replace: true })} />
    </>
  );
}

function Tests({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const test = useApiMutation("testUpstream");
  return (
    <div className="flex flex-col gap-5">
      <ConnectionSection test={test} onTest={() => test.mutate({ path: { id: upstream.id } })} />
      <UpstreamDoctor upstream={upstream} names={test.data?.names ?? []} />
      <Section title="Format deviations since startup" about="Responses that did not follow the API format." flush>
        <Deviations upstream={upstream.id} />
      </Section>
    </div>
  );
}

function Details({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const { data: about } = useApiQuery("showAbout", {});
  const { concurrency, timeouts } = upstream;
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Section title="Connection">
        <Facts
          facts={[
            ["Provider", providerOf(upstream, about?.providers)],
            ["Base URL", upstream.base_url === null ? "built in" : <Mono key="base-url">{upstream.base_url}</Mono>],
            ["API version", upstream.api_version ?? undefined],
            ["Private network addresses", upstream.allow_private ? "allowed" : "not allowed"],
            ["Managed by", <ManagedBadge key="by" by={upstream.managed_by} />],
            ["Models", <ModelLinks key="models" ids={upstream.models} />],
          ]}
        />
      </Section>
      <Section title="Concurrency and timeouts">
        <Facts
          facts={[
            ["Max concurrent requests", concurrency?.max_calls === undefined ? null : count(concurrency.max_calls)],
            ["Max queued requests", concurrency?.max_queued === undefined ? null : count(concurrency.max_queued)],
            ["Max queue time", formatOptional(concurrency?.max_wait_ms)],
            ["Connect timeout", formatOptional(timeouts?.connect_ms)],
            ["First byte timeout", formatOptional(timeouts?.first_byte_ms)],
            ["Timeout between chunks", formatOptional(timeouts?.between_chunks_ms)],
            ["Timeout, not streamed", timeouts?.non_streamed_ms === undefined ? undefined : formatOptional(timeouts.non_streamed_ms)],
            ["Total timeout", formatOptional(timeouts?.total_ms)],
            ["Unknown parameters", upstream.unknown_parameters ?? "as the API format does"],
            upstream.headers.length > 0 ? ["Request headers", upstream.headers.join(", ")] : undefined,
            ["OpenAI organization", upstream.organization ?? undefined],
            ["OpenAI project", upstream.project ?? undefined],
          ]}
        />
      </Section>
    </div>
  );
}

function formatOptional(ms: number | undefined): string | null {
  return ms === undefined ? null : duration(ms);
}
