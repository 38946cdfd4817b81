import type { Purse } from "../../../money/purse.ts";

/** The channel for all credit notices between processes. */
export const CREDIT_CHANNEL = "tollgate_credit";

/**
 * A notice. `recall`: a process is asked to return unused credit. `returned`: a process has answered a recall. `freed`: a purse that had
 * nothing left has credit again.
 */
type CreditNotice =
  | { readonly kind: "recall"; readonly instanceId: string; readonly purse: Purse }
  | { readonly kind: "returned" | "freed"; readonly purse: Purse };

/** Parameter: the key of the purse. The notice is sent at the commit. */
export const NOTIFY_FREED = `select pg_notify('${CREDIT_CHANNEL}', 'freed ' || $1)`;

const NOTICE = /^(?:(returned|freed)|recall (\S+)) (account|key|user|tag):(.*)$/s;

/** The notice in a payload: `freed account:acme`, `recall p1 account:acme`. */
export function readNotice(payload: string): CreditNotice | undefined {
  const [, kind, instanceId, scope, id] = NOTICE.exec(payload) ?? [];
  if (scope === undefined || id === undefined) return undefined;
  const purse = { scope: scope as Purse["scope"], id };
  return instanceId === undefined ? { kind: kind as "returned" | "freed", purse } : { kind: "recall", instanceId, purse };
}

/** Parses the key of a purse. */
export function readPurseKey(key: string): Purse {
  const colon = key.indexOf(":");
  return { scope: key.slice(0, colon) as Purse["scope"], id: key.slice(colon + 1) };
}
