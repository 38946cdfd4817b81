import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model, Route } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Mono } from "../../parts/code.tsx";
import { count, percent } from "../../parts/format/format.ts";
import { Section } from "../../parts/page.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { textLink } from "../../parts/text-link.ts";
import { Deviations } from "../upstreams/deviations.tsx";
import { Doctor, DOCTOR_COST } from "../upstreams/doctor.tsx";
import { latency, routeStatus } from "../upstreams/health-status.ts";
import { HealthBadge } from "../upstreams/health-badge.tsx";
import { formatLimits } from "../../limits-and-usage/access-policy.ts";
import { rate } from "./format-model.ts";

const REFRESH_MS = 5000;

/** The routes of a model, their health, and the checks of the doctor. */
export function ModelRoutes({ model: { id, kind, routes = [] } }: { readonly model: Model }): ReactNode {
  const upstreams = [...new Set(routes.map(({ upstream }) => upstream))];
  return (
    <div className="flex flex-col gap-5">
      <Section
        title="Routes"
        about="Routes with the lowest priority number receive traffic first, split by weight. The others are for failover."
        flush
      >
        <Table label="Routes" columns={columnsFor(routes)} rows={inOrder(routes)} keyOf={keyOf} detail={routeSettings} />
      </Section>
      <Section title="Doctor" about={DOCTOR_COST} flush>
        <ul className="divide-y divide-line">
          {inOrder(routes).map((route) => (
            <li key={keyOf(route)}>
              <Doctor upstream={route.upstream} model={route.model} kind={kind} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Format deviations since startup" about="Responses that did not follow the API format." flush>
        <div className="divide-y divide-line">
          {upstreams.map((upstream) => (
            <Deviations key={upstream} upstream={upstream} model={id} />
          ))}
        </div>
      </Section>
    </div>
  );
}

function keyOf({ upstream, model }: Route): string {
  return `${upstream} ${model}`;
}

function inOrder(routes: readonly Route[]): Route[] {
  return routes.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight);
}

function columnsFor(routes: readonly Route[]): readonly Column<Route>[] {
  const weightAt = (priority: number): number =>
    routes.filter((each) => each.priority === priority).reduce((sum, each) => sum + each.weight, 0);
  return [
    {
      title: "Upstream / model",
      cell: ({ upstream, model, priority, weight }) => (
        <>
          <Link to="/upstreams/$id" params={{ id: upstream }} title={upstream} className={textLink}>
            {upstream}
          </Link>
          <span className="block truncate text-ink-3" title={model}>
            <Mono>{model}</Mono>
          </span>
          <span className="block text-sm text-ink-3 sm:hidden">
            Priority {count(priority)}, weight {percent(weight, weightAt(priority))}
          </span>
        </>
      ),
      className: "max-lg:max-w-60 max-sm:max-w-44",
    },
    { title: "Health", cell: (route) => <RouteHealth route={route} /> },
    { title: "Time to first byte", cell: (route) => <RouteLatency route={route} />, figures: true, from: "sm" },
    { title: "Priority", cell: ({ priority }) => count(priority), figures: true, from: "sm" },
    { title: "Weight", cell: ({ priority, weight }) => percent(weight, weightAt(priority)), figures: true, from: "sm" },
  ];
}

function RouteHealth({ route }: { readonly route: Route }): ReactNode {
  const { data, error } = useApiQuery("showUpstreamHealth", { path: { id: route.upstream } }, { every: REFRESH_MS });
  if (data) return <HealthBadge status={routeStatus(route, data)} />;
  return <span className="text-ink-3">{error ? "unknown" : "…"}</span>;
}

function RouteLatency({ route }: { readonly route: Route }): ReactNode {
  const { data } = useApiQuery("showUpstreamHealth", { path: { id: route.upstream } }, { every: REFRESH_MS });
  const ms = data?.models.find(({ model }) => model === route.model)?.latency_ms;
  return ms == null ? "–" : latency(ms);
}

type Setting = readonly [name: string, value: ReactNode];

/** The settings of a route beyond its position; undefined if it has none. Header values are never shown. */
function routeSettings(route: Route): ReactNode {
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
    ["Rate limits", limits && formatLimits(limits)],
    ["Price cap, $/M", cap && formatRates(cap)],
    ["Cost, $/M", cost && formatRates(cost)],
    ["Default parameters", asCode(Object.entries(defaults).map(([name, value]) => `${name}: ${JSON.stringify(value)}`))],
    ["Headers", asCode(headers)],
  ];
  return settings.filter(([, value]) => Boolean(value));
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
