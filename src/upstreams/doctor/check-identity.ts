import type { IdentityState } from "../../models/upstream-health.ts";
import type { Authorizer } from "../authorizer.ts";
import { obtainCredentials } from "../obtain-credentials.ts";
import type { Finding } from "./checks.ts";

/** Clouds reject signatures that are older than five minutes, so this is far from harmless. */
const MAX_SKEW_MS = 60_000;

/** Obtains the credentials of an identity, and states where they come from, how long they are valid, and whether the clock is right. */
export async function checkIdentity(authorizer: Authorizer): Promise<Finding> {
  const failure = await obtainCredentials(authorizer);
  if (failure !== undefined) return { outcome: "failed", detail: failure };
  return findingOn(authorizer.state);
}

/** What is known of an identity with credentials. */
export function findingOn(state: IdentityState): Finding {
  const skewMs = Math.abs(state.clockSkewMs);
  if (skewMs < MAX_SKEW_MS) return { outcome: "passed", detail: describeCredentials(state) };
  const seconds = `${Math.round(skewMs / 1000)} s ${state.clockSkewMs > 0 ? "behind" : "ahead of"} that of the cloud`;
  return {
    outcome: "warned",
    detail: `${describeCredentials(state)}; the clock of this machine is ${seconds}: it is corrected for, but set it`,
  };
}

function describeCredentials({ source, expiresAtMs }: IdentityState): string {
  const expiry = expiresAtMs === undefined ? "which do not expire" : `which expire at ${new Date(expiresAtMs).toISOString()}`;
  return `credentials from ${source ?? "an unnamed source"}, ${expiry}`;
}
