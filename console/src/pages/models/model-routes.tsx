import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model, Route } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { Mono } from "../../parts/code.tsx";
import { count, percent } from "../../parts/format.ts";
import { Section } from "../../parts/page.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { textLink } from "../../parts/text-link.ts";
import { Deviations } from "../upstreams/deviations.tsx";
import { Doctor, WHAT_IT_COSTS } from "../upstreams/doctor.tsx";
import { latency, routeStanding } from "../upstreams/health-status.ts";
import { StandingBadge } from "../upstreams/health-badge.tsx";
import { rate } from "./format-model.ts";

const FEW_SECONDS_MS = 5000;

/** Where a model is served, how each route fares, and how it answers when it is tried. */
export function ModelRoutes({ model: { id, routes = [] } }: { readonly model: Model }): ReactNode {
  const upstreams = [...new Set(routes.map(({ upstream }) => upstream))];
  return (
    <div className="flex flex-col gap-5">
      <Section title="Routes" about="Those of the lowest order go first, by their share; the others are for when those fail." flush>
        <Table label="Routes" columns={columnsFor(routes)} rows={inOrder(routes)} keyOf={keyOf} />
      </Section>
      <Section title="Doctor" about={WHAT_IT_COSTS} flush>
        <ul className="divide-y divide-line">
          {inOrder(routes).map((route) => (
            <li key={keyOf(route)}>
              <Doctor upstream={route.upstream} model={route.model} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Deviations" about="In what its answers have parted from their format since the start." flush>
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
      title: "Upstream",
      cell: ({ upstream }) => (
        <Link to="/upstreams/$id" params={{ id: upstream }} title={upstream} className={textLink}>
          {upstream}
        </Link>
      ),
    },
    {
      title: "Its name there",
      cell: ({ model }) => (
        <span title={model}>
          <Mono>{model}</Mono>
        </span>
      ),
      from: "sm",
    },
    { title: "Health", cell: (route) => <RouteHealth route={route} /> },
    { title: "Begins after", cell: (route) => <RouteLatency route={route} />, figures: true, from: "md" },
    { title: "Order", cell: ({ priority }) => count(priority), figures: true, from: "sm" },
    { title: "Share", cell: ({ priority, weight }) => percent(weight, weightAt(priority)), figures: true, from: "sm" },
    ...(routes.some(({ max_price: cap }) => cap) ? [{ title: "At most, $/M", cell: capInWords, from: "lg" as const }] : []),
    ...(routes.some(({ cost }) => cost) ? [{ title: "Cost, $/M", cell: formatCost, from: "lg" as const }] : []),
  ];
}

function capInWords({ max_price: cap }: Route): string {
  if (!cap) return "–";
  const { input_per_million: input, output_per_million: output } = cap;
  return [input != null && `${rate(input)} in`, output != null && `${rate(output)} out`].filter(Boolean).join(", ");
}

function formatCost({ cost }: Route): string {
  return cost ? `${rate(cost.input_per_million)} in, ${rate(cost.output_per_million)} out` : "–";
}

function RouteHealth({ route }: { readonly route: Route }): ReactNode {
  const { data, error } = useLook("showUpstreamHealth", { path: { id: route.upstream } }, { every: FEW_SECONDS_MS });
  if (data) return <StandingBadge standing={routeStanding(route, data)} />;
  return <span className="text-ink-3">{error ? "unknown" : "…"}</span>;
}

function RouteLatency({ route }: { readonly route: Route }): ReactNode {
  const { data } = useLook("showUpstreamHealth", { path: { id: route.upstream } }, { every: FEW_SECONDS_MS });
  const ms = data?.models.find(({ model }) => model === route.model)?.latency_ms;
  return ms == null ? "–" : latency(ms);
}
