import type { Key } from "../platform/interface.ts";

export type Limits = Key["limits"];
export type Caps = Key["caps"];

/** What a key or an account may do: which models, how fast, and for how much. */
export interface AccessPolicy {
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
}

export const LIMITS = [
  { name: "requests_per_minute", label: "Requests a minute", words: (count: string) => `${count} requests a minute` },
  { name: "tokens_per_minute", label: "Tokens a minute", words: (count: string) => `${count} tokens a minute` },
  { name: "concurrent_requests", label: "Requests at a time", words: (count: string) => `${count} at a time` },
] as const;

export const CAPS = [
  { name: "day", label: "A day" },
  { name: "month", label: "A month" },
  { name: "total", label: "In total" },
] as const;

/** From the fields of a form, where an empty one stands for no limit. */
export function readLimits(typed: Readonly<Record<(typeof LIMITS)[number]["name"], string>>): Limits {
  return Object.fromEntries(LIMITS.map(({ name }) => [name, typed[name].trim() === "" ? null : Number(typed[name])]));
}

export function readCaps(typed: Readonly<Record<(typeof CAPS)[number]["name"], string>>): Caps {
  return Object.fromEntries(CAPS.map(({ name }) => [name, typed[name].trim() || null]));
}

/** Whether a pattern of the list covers all that this one does. */
function covers(patterns: readonly string[], wanted: string): boolean {
  return patterns.some((pattern) => pattern === wanted || (pattern.endsWith("*") && wanted.startsWith(pattern.slice(0, -1))));
}

/** Whether a change could refuse something that was let in until now: then it is worth a look at what it would have refused. */
export function isNarrower(before: AccessPolicy, after: AccessPolicy): boolean {
  return (
    before.models.some((pattern) => !covers(after.models, pattern)) ||
    LIMITS.some(({ name }) => isLower(before.limits[name], after.limits[name])) ||
    CAPS.some(({ name }) => isLower(before.caps[name], after.caps[name]))
  );
}

/** Nothing is no limit. */
function isLower(before: number | string | null | undefined, after: number | string | null | undefined): boolean {
  return after != null && (before == null || Number(after) < Number(before));
}

/** A list of models in few words, for where there is little room. */
export function formatModels(models: readonly string[]): string {
  if (models.includes("*")) return "every model";
  return models.length <= 2 ? models.join(", ") : `${models[0]} and ${models.length - 1} more`;
}

export function formatLimits(limits: Limits): string {
  const given = LIMITS.filter(({ name }) => limits[name] != null);
  return given.map(({ name, words }) => words(limits[name]!.toLocaleString("en-US"))).join(", ");
}
