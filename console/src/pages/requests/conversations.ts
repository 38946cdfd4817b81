import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { dollarsOf, nanosOf } from "../../parts/format/dollars.ts";

/** A request of the list. */
export interface RequestRow extends LoggedRequest {
  /** Whether the request is listed below the head of its conversation. */
  readonly isInConversation?: true;
}

/** The head of a conversation, with the totals of its loaded requests. */
export interface ConversationRow {
  readonly kind: "conversation";
  readonly key: string;
  readonly account: string | null;
  readonly conversation: string;
  readonly requests: number;
  readonly failed: number;
  readonly cost: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly isOpen: boolean;
}

export type ListRow = RequestRow | ConversationRow;

export function isConversation(row: ListRow): row is ConversationRow {
  return "kind" in row;
}

export function keyOfRow(row: ListRow): string {
  return isConversation(row) ? row.key : row.request_id;
}

/**
 * Collapses the requests of each conversation, at the position of its first request. An open conversation is followed by its requests. A
 * single request is not grouped.
 */
export function groupByConversation(requests: readonly LoggedRequest[], open: ReadonlySet<string>): readonly ListRow[] {
  const groups = Map.groupBy(requests, (request) => keyOf(request) ?? request);
  return [...groups].flatMap(([key, members]): readonly ListRow[] => {
    if (typeof key !== "string" || members.length === 1) return members;
    const head = headOf(key, members, open.has(key));
    return head.isOpen ? [head, ...members.map((request) => ({ ...request, isInConversation: true as const }))] : [head];
  });
}

/** Conversations of two accounts are different conversations, even with the same name. */
function keyOf({ account, conversation }: LoggedRequest): string | undefined {
  return conversation === null ? undefined : `conversation ${JSON.stringify([account, conversation])}`;
}

function headOf(key: string, members: readonly LoggedRequest[], isOpen: boolean): ConversationRow {
  const [{ account, conversation }] = members as [LoggedRequest];
  const times = (pick: (request: LoggedRequest) => string): string[] => members.map(pick).toSorted();
  return {
    kind: "conversation",
    key,
    account,
    conversation: conversation!,
    requests: members.length,
    failed: members.filter(({ outcome }) => outcome === "failed" || outcome === "refused").length,
    cost: dollarsOf(members.reduce((sum, { cost }) => sum + ((cost === null ? undefined : nanosOf(cost)) ?? 0n), 0n)),
    startedAt: times((request) => request.started_at)[0]!,
    endedAt: times((request) => request.ended_at).at(-1)!,
    isOpen,
  };
}
