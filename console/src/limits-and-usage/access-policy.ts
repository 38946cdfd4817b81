import type { Key } from "../../../platform-client/types.ts";
import { byName, RATE_LIMITS, SPEND_CAPS, type RateLimit } from "../../../src/money/limits.ts";
import { count } from "../parts/format/format.ts";

type Breakdowns = "per_user" | "per_tag";

export type Limits = Omit<Key["limits"], Breakdowns> & Partial<Pick<Key["limits"], Breakdowns>>;
export type Caps = Omit<Key["caps"], Breakdowns> & Partial<Pick<Key["caps"], Breakdowns>>;

/** The access policy of a key or an account: allowed models, rate limits and spend caps. */
export interface AccessPolicy {
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
}

/** Null if all fields are empty: no limit. */
export function readPart<Part extends Readonly<Record<string, number | string | null>>>(part: Part): Part | null {
  return Object.values(part).some((value) => value !== null) ? part : null;
}

/**
 * The fields of each tag in a form, by tag name. A tag that was removed is null, because an update leaves tags that it does not name
 * unchanged.
 */
export function readTagParts<Part>(
  typed: readonly (readonly [tag: string, part: Part | null])[],
  before: Readonly<Record<string, unknown>> | null | undefined,
): Readonly<Record<string, Part | null>> | null {
  const parts = new Map<string, Part | null>(Object.keys(before ?? {}).map((tag) => [tag, null]));
  for (const [tag, part] of typed) if (part !== null || parts.has(tag)) parts.set(tag, part);
  return parts.size === 0 ? null : Object.fromEntries(parts);
}

/** Reads the limits from form fields; an empty field means no limit. */
export function readLimits(typed: Readonly<Record<RateLimit["name"], string>>): Omit<Limits, Breakdowns> {
  return byName(RATE_LIMITS, (at) => toLimit(typed[RATE_LIMITS[at]!.name]));
}

function toLimit(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

export function readCaps<const Rows extends readonly (typeof SPEND_CAPS)[number][]>(
  caps: Rows,
  typed: Readonly<Record<Rows[number]["name"], string>>,
) {
  return byName(caps, (at) => typed[caps[at]!.name as Rows[number]["name"]].trim() || null);
}

/** Whether any pattern of the list covers this pattern. */
function covers(patterns: readonly string[], wanted: string): boolean {
  return patterns.some((pattern) => pattern === wanted || (pattern.endsWith("*") && wanted.startsWith(pattern.slice(0, -1))));
}

/** Whether a change could reject requests that are accepted now. Such a change is previewed before it is saved. */
export function isNarrower(before: AccessPolicy, after: AccessPolicy): boolean {
  return (
    before.models.some((pattern) => !covers(after.models, pattern)) ||
    RATE_LIMITS.some(({ name }) => isLower(before.limits[name], after.limits[name])) ||
    SPEND_CAPS.some(({ name }) => isLower(before.caps[name], after.caps[name]))
  );
}

/** Null means no limit. */
function isLower(before: number | string | null, after: number | string | null): boolean {
  return after !== null && (before === null || Number(after) < Number(before));
}

/** A short form of a model list, for table cells. */
export function formatModels(models: readonly string[]): string {
  if (models.includes("*")) return "All models";
  return models.length <= 2 ? models.join(", ") : `${models[0]} and ${models.length - 1} more`;
}

export function formatLimits(limits: Partial<Limits>): string {
  return RATE_LIMITS.flatMap(({ name, short }) => (limits[name] == null ? [] : [`${count(limits[name])} ${short}`])).join(", ");
}
