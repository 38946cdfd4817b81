import type { UpstreamHealth } from "../../../../platform-client/types.ts";
import { formatNumber } from "../../format/format-values.ts";

/** What is known of the credentials of an identity, in one line. */
export function describeIdentity(identity: NonNullable<UpstreamHealth["identity"]>): string {
  const { source, expires_at: expiresAt, failure, clock_skew_ms: skewMs } = identity;
  const found = source === null ? "no credentials" : `credentials from ${source}`;
  const expiry = expiresAt === null ? "" : `, which expire at ${expiresAt}`;
  const skew =
    Math.abs(skewMs) < 1000
      ? ""
      : `; the clock of the gateway's machine is ${formatNumber(Math.round(Math.abs(skewMs) / 1000))} s ${skewMs > 0 ? "behind" : "ahead of"} that of the cloud`;
  return `${found}${expiry}${skew}${failure === null ? "" : `; the last attempt failed: ${failure}`}`;
}
