import { hasParts } from "../money/breakdown.ts";
import { viewCaps, viewLimits, type WireCaps, type WireLimits } from "../money/declared-limits.ts";
import type { Caps, Limits } from "../money/limits.ts";
import type { Path } from "../lib/schema/schema.ts";
import type { AttributionSettings } from "./attribution-settings.ts";
import type { KeyRecord } from "./api-key.ts";

interface LimitsAndCaps {
  readonly limits: Limits;
  readonly caps: Caps;
}

/** Continues a sentence that begins with the path of the field. It is also used for accounts whose attribution is being switched off. */
export const WITHOUT_ATTRIBUTION = "needs attribution: clear it, or set `attribution` of the account to plain or hashed";

/**
 * The first limit or spend cap per end user or tag of an account or a key without attribution. It could not be enforced, because its usage
 * would be unknown.
 */
export function partWithoutAttribution({ limits, caps }: LimitsAndCaps, { identities }: AttributionSettings): Path | undefined {
  if (identities !== "off") return undefined;
  return partIn("limits", viewLimits(limits)) ?? partIn("caps", viewCaps(caps));
}

function partIn(name: "limits" | "caps", { per_user: perUser, per_tag: perTag }: WireLimits | WireCaps): Path | undefined {
  const [field] = Object.entries(perUser ?? {}).find(([, value]) => value !== null) ?? [];
  if (field !== undefined) return [name, "per_user", field];
  return perTag ? [name, "per_tag"] : undefined;
}

/** A key of an account with limits or spend caps per end user or tag, if there is one: its account must not switch attribution off. */
export function keyWithParts(
  accountId: string,
  keys: { ids(): readonly string[]; find(id: string): KeyRecord | undefined },
): string | undefined {
  return keys.ids().find((id) => {
    const key = keys.find(id);
    return key?.accountId === accountId && key.revokedAtMs === null && (hasParts(key.limits) || hasParts(key.caps));
  });
}
