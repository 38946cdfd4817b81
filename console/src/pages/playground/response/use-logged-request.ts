import { useApiQuery } from "../../../platform/use-api.ts";
import { useMe } from "../../../shell/me.ts";
import { draftOf, EMPTY_DRAFT, type Draft } from "../draft.ts";

/** A logged request to open in the playground. */
interface LoggedDraft {
  readonly isLoading: boolean;
  readonly key: string | null;
  readonly model: string | null;
  readonly draft: Draft;
  /** The parts that could not be loaded, and why. */
  readonly remark: string | undefined;
}

const NOTHING: LoggedDraft = { isLoading: false, key: null, model: null, draft: EMPTY_DRAFT, remark: undefined };

/** Loads a request and its body, where that is stored. Only operators may read bodies, and each read is recorded, so there is exactly one. */
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
