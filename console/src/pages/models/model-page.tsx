import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ShownModel } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { CopyIcon } from "../../parts/copy.tsx";
import { ManagedNotice } from "../../parts/managed-by.tsx";
import { moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Tabs, type Tab } from "../../parts/tabs.tsx";
import { UsageSection } from "../../breakdown/usage-section.tsx";
import { useMe } from "../../shell/me.ts";
import { SavedViews } from "../../shell/saved-views.tsx";
import { ModelActions } from "./model-actions.tsx";
import { ModelAnnouncements } from "./model-announcements.tsx";
import { NoPriceBadge, StateBadge } from "./model-columns.tsx";
import { ModelFacts } from "./model-facts.tsx";
import { ModelKeys } from "./model-keys.tsx";
import { LifecycleNotice } from "./model-lifecycle.tsx";
import { ModelPrices } from "./model-prices.tsx";
import { ModelRoutes } from "./model-routes.tsx";
import { ModelUsage } from "./model-usage.tsx";

const BREAKDOWNS = ["key", "account", "upstream", "user", "tag"] as const;

const route = getRouteApi("/signed-in/models/$id");

export function ModelPage(): ReactNode {
  const { id } = route.useParams();
  const { isOperator } = useMe();
  const model = useApiQuery("showModel", { path: { id } });
  return (
    <Page
      title={id}
      docs="routing"
      above={<Link to="/models">Models</Link>}
      heading={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-all">{id}</span>
          <CopyIcon text={id} label="Copy the model ID" />
          {model.data && <StateBadge state={model.data.state} />}
          {model.data && <NoPriceBadge {...model.data} />}
        </span>
      }
      actions={
        model.data && (
          <>
            <SavedViews />
            {isOperator && <ModelActions model={model.data} />}
          </>
        )
      }
    >
      <Fetched of={model}>{(data) => <ModelView model={data} isOperator={isOperator} />}</Fetched>
    </Page>
  );
}

function ModelView({ model, isOperator }: { readonly model: ShownModel; readonly isOperator: boolean }): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs: readonly Tab[] = [
    { id: "about", label: "Details", content: <ModelFacts model={model} /> },
    { id: "usage", label: "Usage", content: <UsageSection of={{ model: model.id }} dimensions={BREAKDOWNS} isOperator={isOperator} /> },
    ...(isOperator ? [{ id: "routes", label: "Routes", content: <ModelRoutes model={model} /> }] : []),
    { id: "prices", label: "Prices", content: <ModelPrices model={model} isOperator={isOperator} /> },
    { id: "keys", label: "Keys", content: <ModelKeys id={model.id} /> },
    { id: "announcements", label: "Announcements", content: <ModelAnnouncements id={model.id} /> },
  ];
  const open = tabs.some(({ id }) => id === tab) ? tab! : "about";
  return (
    <>
      {model.archived_at != null && <Notice>Archived on {moment(model.archived_at)}. It is hidden from lists.</Notice>}
      <LifecycleNotice model={model} />
      {isOperator && model.state !== "retired" && <ManagedNotice by={model.managed_by} kind="model" />}
      <ModelUsage model={model} />
      <Tabs
        label="Model sections"
        tabs={tabs}
        open={open}
        onOpen={(id) => void navigate({ search: (before) => ({ ...before, tab: id }), replace: true })}
      />
    </>
  );
}
