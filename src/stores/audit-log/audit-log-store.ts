import type { Change, Target } from "../../access/change.ts";

/** A change with its id in the audit log. Ids increase. */
export type RecordedChange = Change & { readonly id: number };

/** Which changes to list. An undefined field matches all. */
export interface ChangeFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly targetKind?: string | undefined;
  readonly targetId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The audit log: every change that was made. Append-only: triggers in the database reject every update and delete. */
export interface AuditLogStore {
  /**
   * Records a change that belongs to no other store. Other stores record a change in the same transaction as the change itself. Durable
   * when this resolves; throws `StorageUnavailable` while the database cannot be written.
   */
  add(change: Change): Promise<void>;
  /** Changes with an id below `before`, newest first. */
  page(filter: ChangeFilter, before: number, limit: number): Promise<readonly RecordedChange[]>;
  /** The resource that this actor created earlier with this idempotency key, if any, and the digest of the request that created it. */
  findCreation(actor: string, idempotencyKey: string): Promise<{ readonly target: Target; readonly digest: string } | undefined>;
}
