import type { ReactNode } from "react";
import type { Route } from "../../../../platform-client/types.ts";
import { Mono } from "../../parts/code.tsx";
import { count } from "../../parts/format/format.ts";
import { LIMITS } from "../../limits-and-usage/access-policy.ts";
import { rate } from "./format-model.ts";

type Setting = readonly [name: string, value: ReactNode];

/** The settings of a route beyond its place in the order; undefined where it has none. Values of headers are never shown. */
export function routeSettings(route: Route): ReactNode {
  const settings = settingsOf(route);
  if (settings.length === 0) return undefined;
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {settings.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="inline text-ink-3">{name}: </dt>
          <dd className="inline wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function settingsOf({ limits, max_price: cap, cost, defaults, headers }: Route): readonly Setting[] {
  const settings: Setting[] = [
    ["Rate limits", formatLimits(limits)],
    ["Price cap, $/M", cap && formatRates(cap)],
    ["Cost, $/M", cost && formatRates(cost)],
    ["Default parameters", asCode(Object.entries(defaults).map(([name, value]) => `${name}: ${JSON.stringify(value)}`))],
    ["Headers", asCode(headers)],
  ];
  return settings.filter(([, value]) => Boolean(value));
}

function formatLimits(limits: Route["limits"]): string {
  return LIMITS.flatMap(({ name, format }) => {
    const limit = name === "concurrent_requests" ? null : limits?.[name];
    return limit == null ? [] : [format(count(limit))];
  }).join(", ");
}

function formatRates({
  input_per_million: input,
  output_per_million: output,
}: Pick<NonNullable<Route["max_price"]>, "input_per_million" | "output_per_million">): string {
  return [input !== null && `${rate(input)} input`, output !== null && `${rate(output)} output`].filter(Boolean).join(", ");
}

function asCode(parts: readonly string[]): ReactNode {
  return parts.length > 0 && <Mono>{parts.join(", ")}</Mono>;
}
