import type { AlertKind } from "./alert.ts";

/** `open` until someone acknowledges it, or its rule finds that the condition has ended. */
export const ALERT_STATES = ["open", "acknowledged", "resolved"] as const;

export type AlertState = (typeof ALERT_STATES)[number];

/** Alerts that resolve another alert. They are sent, but not listed. */
const RESTORED_KINDS: ReadonlySet<string> = new Set<AlertKind>(["upstream.restored", "upstream.identity_restored"]);

/** The kinds of alerts that appear in the list. */
export type RaisedKind = Exclude<AlertKind, "upstream.restored" | "upstream.identity_restored">;

/** Who has acknowledged an alert, and when. */
export interface Acknowledgement {
  readonly atMs: number;
  /** The id of a person, or of the operator token. */
  readonly by: string;
  readonly byName: string;
}

/** A raised alert, as listed. */
export interface RaisedAlert {
  readonly id: string;
  readonly kind: RaisedKind;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** When the condition of the alert ended; null while it lasts. */
  readonly resolvedAtMs: number | null;
  readonly acknowledged: Acknowledgement | null;
}

/** The subject of an alert; fields that do not apply are null. */
export interface AlertSubject {
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly upstream: string | null;
  readonly model: string | null;
}

export function isRaisedKind(kind: string): kind is RaisedKind {
  return !RESTORED_KINDS.has(kind);
}

export function stateOf({ resolvedAtMs, acknowledged }: RaisedAlert): AlertState {
  if (resolvedAtMs !== null) return "resolved";
  return acknowledged === null ? "open" : "acknowledged";
}

export function aboutWhat({ account, key, upstream, model }: RaisedAlert["data"]): AlertSubject {
  return { accountId: idIn(account), keyId: idIn(key), upstream: textOrNull(upstream), model: textOrNull(model) };
}

function idIn(resource: unknown): string | null {
  return typeof resource === "object" && resource !== null && "id" in resource ? textOrNull(resource.id) : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
