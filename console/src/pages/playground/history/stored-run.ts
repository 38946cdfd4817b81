import { ChatResponse, type Progress } from "../response/chat-response.ts";
import { turn, type Turn } from "../conversation.ts";
import { bodyOf, type Draft } from "../draft.ts";
import type { Run } from "../use-run.ts";

interface StoredResponse {
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly progress: Progress;
}

/** A run in the history. */
export interface StoredRun {
  readonly id: string;
  readonly keyId: string;
  readonly draft: Draft;
  /** Images are not stored: a few of them would fill the storage of a browser. */
  readonly hadImages: boolean;
  readonly responses: readonly StoredResponse[];
}

export function toStored({ id, keyId, draft, lanes }: Run): StoredRun {
  return {
    id,
    keyId,
    draft: { ...draft, turns: draft.turns.map(withoutImages) },
    hadImages: draft.turns.some((each) => each.role === "user" && each.images.length > 0),
    responses: lanes.map(({ response }) => ({
      model: response.model,
      text: response.text.text,
      reasoning: response.reasoning.text,
      progress: response.progress(),
    })),
  };
}

function withoutImages(each: Turn): Turn {
  return each.role === "user" ? { ...each, images: [] } : each;
}

/** The run as it was, without the raw responses. Turns get new IDs, because their old IDs are from an earlier page. */
export function reopened({ id, keyId, draft, responses }: StoredRun): Run {
  const current = { ...draft, turns: draft.turns.map((each) => turn(each)) };
  const lanes = responses.map((stored, lane) => ({
    response: ChatResponse.restored(stored),
    body: bodyOf(stored.model, current, lane),
    cancel: () => undefined,
  }));
  return { id, keyId, draft: current, lanes, isOver: true };
}
