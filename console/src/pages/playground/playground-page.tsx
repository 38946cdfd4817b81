import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApiQuery } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { MAX_MODELS, type Selection } from "./settings/key-and-models.tsx";
import { Workbench } from "./workbench.tsx";
import { useMe } from "../../shell/me.ts";
import { draftOf, EMPTY_DRAFT, type Draft } from "./draft.ts";

const route = getRouteApi("/signed-in/playground");

/** Starts with the key and models in the URL, or with the newest key and the first model that it has access to and that is not deprecated. */
export function PlaygroundPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const logged = useLoggedRequest(search.request);
  const keys = useApiQuery("listKeys", { query: { state: "active", limit: 1 } });
  const key = search.key ?? logged.key ?? keys.data?.data[0]?.id;
  const models = useCallableModels(key);
  if (keys.error) return <Outside>{<Failed error={keys.error} retry={() => void keys.refetch()} />}</Outside>;
  if (logged.isLoading || !keys.data || models.isLoading) return <Outside>{<Loading lines={8} />}</Outside>;
  if (key === undefined) return <Outside>{<NoKey />}</Outside>;
  const model = search.model ?? logged.model ?? models.first;
  const beside = search.beside?.split(" ") ?? [];
  return (
    <Workbench
      // Resets the state for another request.
      key={search.request ?? ""}
      selection={{ key, models: model === null ? [] : [model, ...beside].slice(0, MAX_MODELS) }}
      onSelect={(selected) => void navigate({ search: { ...search, ...searchOf(selected) }, replace: true })}
      initial={logged.draft}
      firstPrompt={search.question ?? ""}
      notice={
        <>
          {logged.remark && <Notice>{logged.remark}</Notice>}
          {models.hasNone && <NoModel />}
          {models.hasOnlyDeprecated && model === null && <OnlyDeprecated />}
        </>
      }
    />
  );
}

/** When another key is selected, the URL has no model, because the default model depends on the key. Model IDs contain no spaces. */
function searchOf({ key, models }: Partial<Selection>): { key?: string; model?: string; beside?: string } {
  const [model = "", ...beside] = models ?? [];
  return { ...(key !== undefined && { key }), ...(models && { model, beside: beside.join(" ") }) };
}

interface CallableModels {
  readonly isLoading: boolean;
  /** The default model. Never a deprecated one: a new integration should not start with it. */
  readonly first: string | null;
  readonly hasNone: boolean;
  readonly hasOnlyDeprecated: boolean;
}

/** While the models of another key load, the previous models are kept, so that the conversation stays on the page. */
function useCallableModels(key: string | undefined): CallableModels {
  const query = { ...(key !== undefined && { key }), kind: "chat", limit: 1 } as const;
  const available = useApiQuery(
    "listModels",
    { query: { ...query, state: "available" } },
    { enabled: key !== undefined, keepsPrevious: true },
  );
  const first = available.data?.data[0]?.id ?? null;
  const { data: any } = useApiQuery("listModels", { query }, { enabled: available.data !== undefined && first === null });
  const others = first === null ? any?.data.length : undefined;
  return { isLoading: available.isLoading, first, hasNone: others === 0, hasOnlyDeprecated: others !== undefined && others > 0 };
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

function OnlyDeprecated(): ReactNode {
  return (
    <Notice tone="warn" title="Every model of this key is deprecated">
      Select a model to call it until its shutdown date.
    </Notice>
  );
}

/** A logged request to open in the playground. */
interface LoggedDraft {
  readonly isLoading: boolean;
  readonly key: string | null;
  readonly model: string | null;
  readonly draft: Draft;
  /** Names the parts that could not be loaded, and the reason. */
  readonly remark: string | undefined;
}

const NOTHING: LoggedDraft = { isLoading: false, key: null, model: null, draft: EMPTY_DRAFT, remark: undefined };

/**
 * Loads a request and its body, if the body is stored. Only operators may read bodies, and each read is recorded, so the body is read
 * exactly once.
 */
export function useLoggedRequest(requestId: string | undefined): LoggedDraft {
  const { isOperator } = useMe();
  const input = { path: { requestId: requestId ?? "" } };
  const request = useApiQuery("showRequest", input, { enabled: requestId !== undefined });
  const hasBodies = isOperator && typeof request.data?.bodies === "string";
  const bodies = useApiQuery("showBodies", input, { enabled: hasBodies, once: true });
  if (requestId === undefined) return NOTHING;
  if (request.error) return { ...NOTHING, remark: `The request could not be loaded. ${request.error.message}` };
  if (!request.data || (hasBodies && bodies.isPending)) return { ...NOTHING, isLoading: true };
  const { key, model } = request.data;
  return { ...NOTHING, key, model, ...toDraft(bodies.data?.request ?? null) };
}

function toDraft(body: string | null): Pick<LoggedDraft, "draft" | "remark"> {
  if (body === null) {
    const remark = "The prompt is not stored, or you have no access to it. Only key and model were loaded.";
    return { draft: EMPTY_DRAFT, remark };
  }
  try {
    return { draft: draftOf(JSON.parse(body) as Record<string, unknown>), remark: undefined };
  } catch {
    return { draft: EMPTY_DRAFT, remark: "The stored prompt is truncated. Only key and model were loaded." };
  }
}
