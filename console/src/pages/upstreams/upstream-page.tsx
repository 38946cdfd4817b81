import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useChange, useLook } from "../../platform/use-platform.ts";
import { Facts } from "../../parts/facts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Mono } from "../../parts/code.tsx";
import { count, duration } from "../../parts/format.ts";
import { ManagedBadge, ManagedNotice } from "../../parts/managed-by.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Tabs, type Tab } from "../../parts/tabs.tsx";
import { textLink } from "../../parts/text-link.ts";
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
  const upstream = useLook("showUpstream", { path: { id } });
  return (
    <Page
      title={id}
      above={<Link to="/upstreams">Upstreams</Link>}
      heading={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-all">{id}</span>
          {upstream.data && <HealthCell id={id} />}
        </span>
      }
      actions={upstream.data && <UpstreamActions upstream={upstream.data} />}
    >
      <Fetched of={upstream}>{(data) => <Shown upstream={data} />}</Fetched>
    </Page>
  );
}

function Shown({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs: readonly Tab[] = [
    { id: "health", label: "Health", content: <HealthSections upstream={upstream} /> },
    { id: "about", label: "About", content: <About upstream={upstream} /> },
    ...(upstream.dialect === "echo"
      ? []
      : [{ id: "credentials", label: "Credentials", content: <CredentialsSection upstream={upstream} /> }]),
    { id: "test", label: "Test", content: <Tests upstream={upstream} /> },
  ];
  const open = tabs.some(({ id }) => id === tab) ? tab! : "health";
  return (
    <>
      <ManagedNotice by={upstream.managed_by} kind="upstream" />
      <Tabs label="Of this upstream" tabs={tabs} open={open} onOpen={(id) => void navigate({ search: { tab: id }, replace: true })} />
    </>
  );
}

function Tests({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const test = useChange("testUpstream");
  return (
    <div className="flex flex-col gap-5">
      <ConnectionSection test={test} onTest={() => test.mutate({ path: { id: upstream.id } })} />
      <UpstreamDoctor upstream={upstream} names={test.data?.names ?? []} />
      <Section title="Deviations" about="In what its answers have parted from their format since the start." flush>
        <Deviations upstream={upstream.id} />
      </Section>
    </div>
  );
}

function About({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const { data: about } = useLook("showAbout", {});
  const { concurrency, timeouts } = upstream;
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Section title="Where it is">
        <Facts
          facts={[
            ["Provider", providerOf(upstream, about?.providers)],
            ["Address", upstream.base_url === null ? "built in" : <Mono key="address">{upstream.base_url}</Mono>],
            ["Private network", upstream.allow_private ? "allowed" : "not allowed"],
            ["Managed by", <ManagedBadge key="by" by={upstream.managed_by} />],
            ["Serves", <Serves key="serves" models={upstream.models} />],
          ]}
        />
      </Section>
      <Section title="How it is called">
        <Facts
          facts={[
            ["Calls at a time", concurrency?.max_calls === undefined ? null : count(concurrency.max_calls)],
            ["Calls waiting", concurrency?.max_queued === undefined ? null : count(concurrency.max_queued)],
            ["Waiting at most", inDuration(concurrency?.max_wait_ms)],
            ["To connect", inDuration(timeouts?.connect_ms)],
            ["To begin an answer", inDuration(timeouts?.first_byte_ms)],
            ["Between pieces", inDuration(timeouts?.between_chunks_ms)],
            ["For all of it", inDuration(timeouts?.total_ms)],
          ]}
        />
      </Section>
    </div>
  );
}

function inDuration(ms: number | undefined): string | null {
  return ms === undefined ? null : duration(ms);
}

function Serves({ models }: Pick<Upstream, "models">): ReactNode {
  if (models.length === 0) return <span className="text-ink-3">no model</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {models.slice(0, 30).map((id) => (
        <Link key={id} to="/models/$id" params={{ id }} className={`${textLink} max-w-full truncate`} title={id}>
          <Badge>{id}</Badge>
        </Link>
      ))}
      {models.length > 30 && <span className="text-ink-3">and {count(models.length - 30)} more</span>}
    </span>
  );
}
