import { useLook } from "../../platform/use-platform.ts";
import { useMe } from "../../shell/me.ts";
import { draftOf, EMPTY_DRAFT, type Draft } from "./draft.ts";

/** What is known of a request that is to be asked again. */
interface KeptRequest {
  readonly isLoading: boolean;
  readonly key: string | null;
  readonly model: string | null;
  readonly draft: Draft;
  /** What could not be taken over, and why. */
  readonly remark: string | undefined;
}

const NOTHING: KeptRequest = { isLoading: false, key: null, model: null, draft: EMPTY_DRAFT, remark: undefined };

/** Looks for a request, and for what was asked in it, where that is kept. Operators alone may see that, and each look is recorded: so there is one. */
export function useKeptRequest(requestId: string | undefined): KeptRequest {
  const { isOperator } = useMe();
  const asked = { path: { requestId: requestId ?? "" } };
  const request = useLook("showRequest", asked, { enabled: requestId !== undefined });
  const hasBodies = isOperator && typeof request.data?.bodies === "string";
  const bodies = useLook("showBodies", asked, { enabled: hasBodies, once: true });
  if (requestId === undefined) return NOTHING;
  if (request.error) return { ...NOTHING, remark: `The request could not be taken over. ${request.error.message}` };
  if (!request.data || (hasBodies && bodies.isPending)) return { ...NOTHING, isLoading: true };
  const { key, model } = request.data;
  return { ...NOTHING, key, model, ...recoverJournal(bodies.data?.request ?? null) };
}

function recoverJournal(body: string | null): Pick<KeptRequest, "draft" | "remark"> {
  if (body === null) {
    const remark = "What was asked is not kept, or not for you to see. Key and model were taken over.";
    return { draft: EMPTY_DRAFT, remark };
  }
  try {
    return { draft: draftOf(JSON.parse(body) as Record<string, unknown>), remark: undefined };
  } catch {
    return { draft: EMPTY_DRAFT, remark: "What was asked was too long to be kept whole. Key and model were taken over." };
  }
}
