import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApiQuery } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { useLoggedRequest } from "./use-logged-request.ts";
import { Workbench } from "./workbench.tsx";

const route = getRouteApi("/signed-in/playground");

/** Starts with the key and model in the URL, or with the newest key and the first model that it has access to. */
export function PlaygroundPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const logged = useLoggedRequest(search.request);
  const keys = useApiQuery("listKeys", { query: { state: "active", limit: 1 } });
  const key = search.key ?? logged.key ?? keys.data?.data[0]?.id;
  const models = useApiQuery("listModels", { query: { ...(key !== undefined && { key }), limit: 50 } }, { enabled: key !== undefined });
  if (keys.error) return <Outside>{<Failed error={keys.error} retry={() => void keys.refetch()} />}</Outside>;
  if (logged.isLoading || !keys.data || (key !== undefined && models.isPending)) return <Outside>{<Loading lines={8} />}</Outside>;
  if (key === undefined) return <Outside>{<NoKey />}</Outside>;
  const callable = models.data?.data ?? [];
  const first = callable.find(({ state }) => state === "available") ?? callable[0];
  return (
    <Workbench
      // Resets the state for another request.
      key={search.request ?? ""}
      selection={{ key, model: search.model ?? logged.model ?? first?.id ?? null, beside: search.beside ?? null }}
      onSelect={(change) => void navigate({ search: { ...search, ...change }, replace: true })}
      initial={logged.draft}
      firstPrompt={search.question ?? ""}
      notice={
        <>
          {logged.remark && <Notice>{logged.remark}</Notice>}
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
      title="No active key"
      action={
        <Link to="/keys" className={buttonClass("primary")}>
          Create key
        </Link>
      }
    >
      The playground sends requests with one of your keys, within its limits and on the credit of its account.
    </Empty>
  );
}

function NoModel(): ReactNode {
  return (
    <Notice tone="warn" title="This key has no access to any model">
      Select another key, or grant this one access to models.
    </Notice>
  );
}
