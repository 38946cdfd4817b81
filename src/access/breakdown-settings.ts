import { hasParts } from "../money/breakdown.ts";
import type { Caps, Limits } from "../money/limits.ts";
import type { Path } from "../lib/schema/schema.ts";
import type { AttributionSettings } from "./attribution-settings.ts";
import type { KeyRecord } from "./api-key.ts";

interface Restricted {
  readonly limits: Limits;
  readonly caps: Caps;
}

/** Continues a sentence that begins with the path. */
export const WITHOUT_ATTRIBUTION = "needs end users and tags, but attribution is off for this account: set it to plain or hashed";

/** The limits or spend caps per end user or tag that an account or a key has without attribution, of which nothing would be known. */
export function partWithoutAttribution({ limits, caps }: Restricted, { identities }: AttributionSettings): Path | undefined {
  if (identities !== "off") return undefined;
  if (hasParts(limits)) return ["limits", limits.perUser ? "per_user" : "per_tag"];
  return hasParts(caps) ? ["caps", caps.perUser ? "per_user" : "per_tag"] : undefined;
}

/** A key of an account that has limits or spend caps per end user or tag, if there is one: its account cannot do without attribution. */
export function keyWithParts(
  accountId: string,
  keys: { ids(): readonly string[]; find(id: string): KeyRecord | undefined },
): string | undefined {
  return keys.ids().find((id) => {
    const key = keys.find(id);
    return key?.accountId === accountId && key.revokedAtMs === null && (hasParts(key.limits) || hasParts(key.caps));
  });
}
