import type { Account } from "../../../access/account.ts";
import type { AttributionSettings } from "../../../access/attribution-settings.ts";
import { keyWithParts, partWithoutAttribution, WITHOUT_ATTRIBUTION } from "../../../access/breakdown-settings.ts";
import { formatPath } from "../../../lib/schema/schema.ts";
import type { Caps, Limits } from "../../../money/limits.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Platform } from "../../platform.ts";

/** Throws a 400 for limits or spend caps per end user or tag of an account or a key whose requests have no end users and tags. */
export function refuseWithoutAttribution(
  restricted: { readonly limits: Limits; readonly caps: Caps },
  attribution: AttributionSettings,
): void {
  const path = partWithoutAttribution(restricted, attribution);
  if (path) throw new ApiError("invalid_value", `${formatPath(path)} ${WITHOUT_ATTRIBUTION}.`, { param: formatPath(path) });
}

/** Throws a 400 for an account without attribution that has a key with such limits or spend caps. */
export function refuseKeysWithout({ id, attribution }: Account, { keys }: Platform): void {
  const keyId = attribution.identities === "off" ? keyWithParts(id, keys) : undefined;
  if (keyId === undefined) return;
  const message = `attribution cannot be off: the key ${keyId} has limits or spend caps per end user or tag. Clear them first.`;
  throw new ApiError("invalid_value", message, { param: "attribution" });
}
