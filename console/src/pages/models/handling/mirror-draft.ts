import type { Model, UpdateModelRequest } from "../../../../../platform-client/types.ts";

/** The mirror of a model, in its form. */
export interface MirrorDraft {
  readonly upstream: string | null;
  readonly model: string;
  readonly percent: string;
}

export function mirrorDraftOf(mirror: Model["mirror"]): MirrorDraft {
  return { upstream: mirror?.upstream ?? null, model: mirror?.model ?? "", percent: String(mirror?.percent ?? "") };
}

/** Empty if the mirror was not edited. Without an upstream there is no mirror; the server reports other missing fields. */
export function editedMirror(draft: MirrorDraft, before: MirrorDraft): Pick<UpdateModelRequest, "mirror"> {
  if (JSON.stringify(draft) === JSON.stringify(before)) return {};
  if (draft.upstream === null) return { mirror: null };
  const percent = draft.percent.trim();
  // Text that is not a number is sent unchanged, so that the server returns its error message.
  const sent = percent !== "" && Number.isFinite(Number(percent)) ? Number(percent) : (percent as unknown as number);
  return { mirror: { upstream: draft.upstream, model: draft.model.trim(), percent: sent } };
}
