import type { Change, Target } from "../../access/change.ts";

/** A change with its place in the log. They count up. */
export type RecordedChange = Change & { readonly id: number };

/** What to look for. */
export interface ChangeFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly targetKind?: string | undefined;
  readonly targetId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** Keeps every change that was made. It can be added to and read; nothing in it can be changed or removed. */
export interface AuditLogStore {
  /** Records a change that has no store of its own. Those that have one are written by it, together with what they changed. */
  add(change: Change): Promise<void>;
  /** Changes with an id below `before`, newest first. */
  page(filter: ChangeFilter, before: number, limit: number): Promise<readonly RecordedChange[]>;
  /** What was created earlier under this caller's name for it, if anything was. */
  findCreation(actor: string, idempotencyKey: string): Promise<{ readonly target: Target; readonly digest: string } | undefined>;
}
