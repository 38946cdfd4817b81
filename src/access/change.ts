/** The resource that was changed. */
export interface Target {
  readonly kind:
    | "account"
    | "key"
    | "model"
    | "upstream"
    | "price_list"
    | "endpoint"
    | "person"
    | "session"
    | "access_token"
    | "saved_view"
    | "config"
    | "webhook"
    | "alert"
    | "request"
    | "instance";
  readonly id: string;
}

/**
 * One entry of the audit log: the actor, the target, the IP address, and the state before and after. Stores write it in the same
 * transaction as the change, so that neither exists without the other.
 */
export interface Change {
  readonly atMs: number;
  /** The id of the actor: a person, or a system actor. */
  readonly actor: string;
  /** The actor's name at the time. */
  readonly actorName: string;
  /** The client's IP address; null for a change without a request. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** The target's kind and the action, such as `key.create`. */
  readonly action: string;
  readonly target: Target;
  /** The account concerned, if any. */
  readonly accountId: string | null;
  /** As the platform API returns it, without secrets. Null before creation and after deletion. */
  readonly before: object | null;
  readonly after: object | null;
  /** The idempotency key of a creation, and a digest of its request. */
  readonly idempotency: { readonly key: string; readonly digest: string } | null;
}

/** A change that a store is to make: its entry in the audit log. */
export interface AuditedChange {
  readonly change: Change;
}

/** The new record of a change, and its entry in the audit log. */
export interface Update<T> extends AuditedChange {
  readonly record: T;
}

/**
 * Makes a change from the current record, which is undefined if no record has this ID. It returns undefined if there is nothing to change.
 * It throws the error for the caller if the change is rejected: then nothing is written, and nothing has changed.
 *
 * Stores use it for compare-and-set: they apply the result only to the record that it was made from. If another process has changed the
 * record meanwhile, they call it again with the new record, so that neither change undoes the other. It must therefore have no side
 * effects, and depend on nothing in the store except `current` and what the port allows. The caller gets the result that was applied, with
 * everything else in it, such as the plaintext of a new secret.
 */
export type MakeChange<T, Made extends AuditedChange | undefined> = (current: T | undefined) => Made;

/** The actors of changes without a request. */
const TOLLGATE = { actor: "tollgate", actorName: "Tollgate itself" };
export const CONFIG_FILE = { actor: "config-file", actorName: "config file" };

const NO_CALL = { address: null, requestId: null, idempotency: null };

/** A change made by the process itself, such as on its first start. */
export function ownChange(action: string, target: Target, after: object | null, atMs: number): Change {
  return { ...TOLLGATE, ...NO_CALL, atMs, action, target, accountId: null, before: null, after };
}

/** A change made through the config file. */
export function fileChange(action: string, target: Target, what: Pick<Change, "before" | "after">, atMs: number): Change {
  const accountId = target.kind === "account" ? target.id : null;
  return { ...CONFIG_FILE, ...NO_CALL, atMs, action, target, accountId, ...what };
}
