import { makeAlert } from "../alert.ts";
import { servedBy } from "../../models/catalog.ts";
import type { IdentityState } from "../../models/upstream-health.ts";
import { identityOf, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { type SubjectFinding, type Marks, clearedMark } from "./crossing.ts";
import type { Routes } from "./upstream-ejection.ts";

/**
 * The time before the expiry at which a failure is alerted. Refreshes start long before the expiry, so a failure that ends before this time
 * is harmless.
 */
const SOON_MS = 5 * 60_000;

const FAILED = "failed";

/**
 * `upstream.identity_failed` and `upstream.identity_restored`: identities at clouds without credentials, or whose credentials expire soon
 * and cannot be refreshed.
 */
export function checkIdentityFailure({ upstreams, catalog, healthOf }: Routes, marks: Marks, nowMs: number): SubjectFinding[] {
  return [...upstreams.values()].flatMap((settings) => {
    const kind = identityOf(settings)?.kind;
    const state = kind && healthOf(settings).identity;
    if (!state) return [];
    const data = (): Record<string, unknown> => ({ upstream: settings.id, cloud: kind, models: servedBy(settings.id, catalog) });
    return checkIdentity(settings, state, data, marks, nowMs);
  });
}

function checkIdentity({ id }: UpstreamSettings, state: IdentityState, data: () => object, marks: Marks, nowMs: number): SubjectFinding[] {
  const { source, failure, expiresAtMs } = state;
  const subject = subjectOf(id);
  const isMarked = marks.has(subject);
  if (failure !== undefined) {
    const isHarmless = expiresAtMs !== undefined && expiresAtMs - nowMs > SOON_MS;
    if (isMarked || isHarmless) return [];
    const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
    return [
      {
        subject,
        mark: { value: FAILED, atMs: nowMs },
        alert: makeAlert("upstream.identity_failed", { ...data(), failure, expires_at }, nowMs),
      },
    ];
  }
  // After a restart, nothing is known about an identity until it is used.
  if (!isMarked || source === undefined) return [];
  return [{ ...clearedMark(subject), alert: makeAlert("upstream.identity_restored", { ...data() }, nowMs) }];
}

/** Whether this is the subject of an identity that was removed. */
export function isOfRemovedIdentity(subject: string, upstreams: ReadonlyMap<string, UpstreamSettings>): boolean {
  const [kind, id] = subject.split(" ");
  if (kind !== "identity") return false;
  const settings = upstreams.get(id!);
  return settings === undefined || identityOf(settings) === undefined;
}

function subjectOf(upstream: string): string {
  return `identity ${upstream}`;
}
