import type { UpstreamHealth } from "../../../../platform-client/types.ts";
import { formatNumber } from "../../format/format-values.ts";

type IdentityHealth = NonNullable<UpstreamHealth["identity"]>;

function hasExpired({ expires_at: expiresAt }: IdentityHealth): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

/** The state of an identity, in one or two words. */
export function identityState(identity: UpstreamHealth["identity"]): string {
  if (!identity) return "-";
  if (identity.failure !== null) return identity.source === null || hasExpired(identity) ? NO_CREDENTIALS : "not refreshed";
  return identity.source === null ? "not used yet" : "valid";
}

export const NO_CREDENTIALS = "no credentials";

/** The state of an identity's credentials, in one line. */
export function describeIdentity(identity: IdentityHealth): string {
  const { source, expires_at: expiresAt, failure, clock_skew_ms: skewMs } = identity;
  const found = source === null ? "no credentials" : `credentials from ${source}`;
  const expiry = expiresAt === null ? "" : `, which ${hasExpired(identity) ? "expired" : "expire"} at ${expiresAt}`;
  const skew =
    Math.abs(skewMs) < 1000
      ? ""
      : `; the clock of the gateway's machine is ${formatNumber(Math.round(Math.abs(skewMs) / 1000))} s ${skewMs > 0 ? "behind" : "ahead of"} the cloud's clock`;
  return `${found}${expiry}${skew}${failure === null ? "" : `; the last attempt failed: ${failure}`}`;
}
