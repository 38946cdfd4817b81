/** What a change was made to. */
export interface Target {
  readonly kind: "account" | "key" | "model" | "upstream" | "person" | "session" | "access_token" | "config" | "webhook" | "request";
  readonly id: string;
}

/**
 * One change to what the platform keeps: who made it, to what, from where, and how it was before and after. Stores write it
 * together with the change itself, so there is no change without its record and no record without its change.
 */
export interface Change {
  readonly atMs: number;
  /** The id of whoever made it: a person, or what acted without one. */
  readonly actor: string;
  /** What they are called, as it was then. */
  readonly actorName: string;
  /** The network address that the request came from; null where no request was needed. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** `key.create`: the target's kind, and what was done. */
  readonly action: string;
  readonly target: Target;
  /** The account that is concerned, if it is one's own. */
  readonly accountId: string | null;
  /** As the platform shows it, and so without secrets. Null before it was there, and after it is gone. */
  readonly before: object | null;
  readonly after: object | null;
  /** Of a creation that must not happen twice: the caller's name for it, and a digest of what was asked for. */
  readonly idempotency: { readonly key: string; readonly digest: string } | null;
}

/** Who changes what is changed without anybody's call. */
const TOLLGATE = { actor: "tollgate", actorName: "Tollgate itself" };
export const CONFIG_FILE = { actor: "config-file", actorName: "config file" };

const NO_CALL = { address: null, requestId: null, idempotency: null };

/** A change that the process makes by itself, such as on its first start. */
export function ownChange(action: string, target: Target, after: object | null, atMs: number): Change {
  return { ...TOLLGATE, ...NO_CALL, atMs, action, target, accountId: null, before: null, after };
}

/** A change that whoever wrote the config file has made. */
export function fileChange(action: string, target: Target, what: Pick<Change, "before" | "after">, atMs: number): Change {
  const accountId = target.kind === "account" ? target.id : null;
  return { ...CONFIG_FILE, ...NO_CALL, atMs, action, target, accountId, ...what };
}
