import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLook } from "../../platform/use-platform.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { useKeptRequest } from "./use-logged-request.ts";
import { Workbench } from "./workbench.tsx";

const route = getRouteApi("/signed-in/playground");

/** With the key and the model that the address names, or else the newest key and the first model that it may call. */
export function PlaygroundPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const kept = useKeptRequest(search.request);
  const keys = useLook("listKeys", { query: { state: "active", limit: 1 } });
  const key = search.key ?? kept.key ?? keys.data?.data[0]?.id;
  const models = useLook("listModels", { query: { ...(key !== undefined && { key }), limit: 50 } }, { enabled: key !== undefined });
  if (keys.error) return <Outside>{<Failed error={keys.error} retry={() => void keys.refetch()} />}</Outside>;
  if (kept.isLoading || !keys.data || (key !== undefined && models.isPending)) return <Outside>{<Loading lines={8} />}</Outside>;
  if (key === undefined) return <Outside>{<NoKey />}</Outside>;
  const callable = models.data?.data ?? [];
  const first = callable.find(({ state }) => state === "available") ?? callable[0];
  return (
    <Workbench
      // Another request is another page.
      key={search.request ?? ""}
      chosen={{ key, model: search.model ?? kept.model ?? first?.id ?? null, beside: search.beside ?? null }}
      onChoose={(change) => void navigate({ search: { ...search, ...change }, replace: true })}
      begin={kept.draft}
      firstQuestion={search.question ?? ""}
      notice={
        <>
          {kept.remark && <Notice>{kept.remark}</Notice>}
          {models.data?.data.length === 0 && <NoModel />}
        </>
      }
    />
  );
}

function Outside({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Page title="Playground">
      <div className="card">{children}</div>
    </Page>
  );
}

function NoKey(): ReactNode {
  return (
    <Empty
      title="There is no key to ask with"
      action={
        <Link to="/keys" className={buttonClass("primary")}>
          Create key
        </Link>
      }
    >
      The playground asks as one of your keys does, within its limits and on the credit of its account. None of them is active.
    </Empty>
  );
}

function NoModel(): ReactNode {
  return (
    <Notice tone="warn" title="This key may call no model">
      Choose another key, or let this one call more models.
    </Notice>
  );
}
