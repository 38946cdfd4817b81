import type { ReactNode } from "react";
import { count, exactMoney } from "../parts/format/format.ts";
import type { Key, PeriodCaps, RateLimits } from "../../../platform-client/types.ts";
import { PERIOD_CAPS, RATE_LIMITS } from "../../../src/money/limits.ts";
import { formatLimits, type Limits } from "./access-policy.ts";

/** The limits as entries of a description list. */
export function limitFacts(limits: Limits): (readonly [string, ReactNode])[] {
  return RATE_LIMITS.map(({ name, label }) => {
    const limit = limits[name];
    return [label, limit === null ? <span className="text-ink-3">No limit</span> : <span className="figures">{count(limit)}</span>];
  });
}

type Restrictions = Pick<Key, "limits" | "caps">;

/** The limits and spend caps per end user and per value of a tag, if there are any. */
export function breakdownFacts({ limits, caps }: Restrictions): (readonly [string, ReactNode])[] {
  const tags = new Set([...Object.keys(limits.per_tag ?? {}), ...Object.keys(caps.per_tag ?? {})]);
  const facts: (readonly [string, string])[] = [
    ["Each end user", formatPart(limits.per_user, caps.per_user)],
    ...[...tags].map((name) => [`Each value of ${name}`, formatPart(limits.per_tag?.[name], caps.per_tag?.[name])] as const),
  ];
  return facts.filter(([, part]) => part !== "");
}

function formatPart(limits: RateLimits | undefined, caps: PeriodCaps | undefined): string {
  return [
    formatLimits(limits ?? {}),
    ...PERIOD_CAPS.map(({ name, label }) => (caps?.[name] == null ? "" : `${exactMoney(caps[name])} ${label.toLowerCase()}`)),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** The allowed models: names and prefixes. */
export function ModelList({ models }: { readonly models: readonly string[] }): ReactNode {
  if (models.includes("*")) return "All models";
  return (
    <ul className="flex max-h-48 flex-wrap gap-1.5 overflow-y-auto">
      {models.map((model) => (
        <li key={model} className="max-w-full rounded-sm bg-sunken px-1.5 font-mono text-sm wrap-anywhere">
          {model}
        </li>
      ))}
    </ul>
  );
}
