import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiQuery, usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { count } from "../../parts/format/format.ts";
import { ManagedBadge } from "../../parts/managed-by.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";
import { HealthCell, LatencyCell, InFlightCell } from "./health-cells.tsx";
import { CreateUpstream } from "./create-upstream.tsx";
import { describeIdentity } from "./format-identity.ts";
import { providerOf } from "./format-upstream.ts";

const route = getRouteApi("/signed-in/upstreams");

const COLUMNS: readonly Column<Upstream>[] = [
  {
    title: "Upstream",
    cell: ({ id }) => (
      <Link to="/upstreams/$id" params={{ id }} className={rowLink} title={id}>
        {id}
      </Link>
    ),
  },
  { title: "Health", cell: ({ id }) => <HealthCell id={id} /> },
  { title: "Provider", cell: (upstream) => <ProviderCell upstream={upstream} />, from: "sm" },
  { title: "In flight", cell: ({ id }) => <InFlightCell id={id} />, figures: true, from: "md" },
  { title: "Time to first byte", cell: ({ id }) => <LatencyCell id={id} />, figures: true, from: "md" },
  {
    title: "Credentials",
    cell: (upstream) => (describeIdentity(upstream) === undefined ? count(upstream.credentials.length) : "identity"),
    figures: true,
    from: "xl",
  },
  {
    title: "Models",
    cell: ({ models }) => <span title={models.slice(0, 20).join(", ")}>{count(models.length)}</span>,
    figures: true,
    from: "sm",
  },
  { title: "Managed by", cell: ({ managed_by: by }) => <ManagedBadge by={by} />, from: "xl" },
];

function ProviderCell({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const { data: about } = useApiQuery("showAbout", {});
  const baseUrl = upstream.base_url ?? "built in";
  return (
    <span title={baseUrl} className="block max-w-64 truncate">
      {providerOf(upstream, about?.providers)}
      <span className="ml-2 text-sm text-ink-3 max-2xl:hidden">{baseUrl.replace(/^https?:\/\//, "")}</span>
    </span>
  );
}

export function UpstreamsPage(): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages("listUpstreams", { query: { ...search, limit: 50 } });
  const create = (
    <Button weight="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      Create upstream
    </Button>
  );
  return (
    <Page
      wide
      title="Upstreams"
      docs="console#upstream-status"
      about="Providers and servers that serve models, with their health."
      actions={create}
    >
      <SearchBox
        label="Search upstreams"
        value={search.search ?? ""}
        onSearch={(text) => void navigate({ search: { search: text }, replace: true })}
      />
      <div className="card overflow-hidden">
        <PagedTable
          label="Upstreams"
          of={pages}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={<NoUpstreams isFiltered={search.search !== undefined} />}
        />
      </div>
      {isCreating && <CreateUpstream onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoUpstreams({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No upstream matches">The search covers IDs and base URLs.</Empty>;
  return <Empty title="No upstreams yet">Create an upstream from a provider and a credential, then create models with routes to it.</Empty>;
}
