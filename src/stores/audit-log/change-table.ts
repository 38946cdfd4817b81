import type { Generated } from "kysely";
import type { Change, Target } from "../../access/change.ts";

/** A row of `changes`. `before` and `after` are JSON. The table rejects every update and delete. */
export interface ChangeTable {
  id: Generated<number>;
  at_ms: number;
  actor: string;
  actor_name: string;
  address: string | null;
  request_id: string | null;
  action: string;
  target_kind: string;
  target_id: string;
  account_id: string | null;
  before: string | null;
  after: string | null;
  idempotency_key: string | null;
  digest: string | null;
}

export function toRow(change: Change): Omit<ChangeTable, "id"> {
  return {
    at_ms: change.atMs,
    actor: change.actor,
    actor_name: change.actorName,
    address: change.address,
    request_id: change.requestId,
    action: change.action,
    target_kind: change.target.kind,
    target_id: change.target.id,
    account_id: change.accountId,
    before: change.before && JSON.stringify(change.before),
    after: change.after && JSON.stringify(change.after),
    idempotency_key: change.idempotency?.key ?? null,
    digest: change.idempotency?.digest ?? null,
  };
}

export function fromRow(row: Omit<ChangeTable, "id"> & { id: number }): Change & { id: number } {
  const { idempotency_key: key, digest } = row;
  return {
    id: row.id,
    atMs: row.at_ms,
    actor: row.actor,
    actorName: row.actor_name,
    address: row.address,
    requestId: row.request_id,
    action: row.action,
    target: { kind: row.target_kind as Target["kind"], id: row.target_id },
    accountId: row.account_id,
    before: row.before === null ? null : (JSON.parse(row.before) as object),
    after: row.after === null ? null : (JSON.parse(row.after) as object),
    idempotency: key === null || digest === null ? null : { key, digest },
  };
}
