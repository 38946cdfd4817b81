import type { ReactNode } from "react";
import { count } from "../parts/format.ts";
import { LIMITS, type Limits } from "./access-policy.ts";

/** The limits as entries of a description list. */
export function limitFacts(limits: Limits): (readonly [string, ReactNode])[] {
  return LIMITS.map(({ name, label }) => {
    const limit = limits[name];
    return [label, limit === null ? <span className="text-ink-3">No limit</span> : <span className="figures">{count(limit)}</span>];
  });
}

/** The allowed models: names and prefixes. */
export function ModelList({ models }: { readonly models: readonly string[] }): ReactNode {
  if (models.includes("*")) return "All models";
  return (
    <ul className="flex max-h-48 flex-wrap gap-1.5 overflow-y-auto">
      {models.map((model) => (
        <li key={model} className="max-w-full truncate rounded-sm bg-sunken px-1.5 font-mono text-sm" title={model}>
          {model}
        </li>
      ))}
    </ul>
  );
}
