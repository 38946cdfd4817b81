import type { Alert } from "../../alerts/alert.ts";
import { aboutWhat, type RaisedAlert, type RaisedKind } from "../../alerts/raised-alert.ts";

/** A row of `raised_alerts`. `data` is JSON. */
export interface RaisedAlertTable {
  id: string;
  kind: string;
  at_ms: number;
  data: string;
  account_id: string | null;
  key_id: string | null;
  upstream: string | null;
  model: string | null;
  resolved_at_ms: number | null;
  acknowledged_at_ms: number | null;
  acknowledged_by: string | null;
  acknowledged_by_name: string | null;
}

export function toRow({ id, kind, atMs, data }: Alert): RaisedAlertTable {
  const { accountId, keyId, upstream, model } = aboutWhat(data);
  return {
    id,
    kind,
    at_ms: atMs,
    data: JSON.stringify(data),
    account_id: accountId,
    key_id: keyId,
    upstream,
    model,
    resolved_at_ms: null,
    acknowledged_at_ms: null,
    acknowledged_by: null,
    acknowledged_by_name: null,
  };
}

export function fromRow(row: RaisedAlertTable): RaisedAlert {
  const { acknowledged_at_ms: atMs, acknowledged_by: by, acknowledged_by_name: byName } = row;
  return {
    id: row.id,
    kind: row.kind as RaisedKind,
    atMs: row.at_ms,
    data: JSON.parse(row.data) as RaisedAlert["data"],
    resolvedAtMs: row.resolved_at_ms,
    acknowledged: atMs === null || by === null ? null : { atMs, by, byName: byName ?? by },
  };
}
