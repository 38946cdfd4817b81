import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import type { DataColumn } from "../../parts/data-table/data-column.ts";
import { compactCount, count } from "../../parts/format/format.ts";
import { ManagedBadge } from "../../parts/managed-by.tsx";
import { rowLink } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { CAPABILITIES, rate, STATE_TONES } from "./format-model.ts";

export function StateBadge({ state }: Pick<Model, "state">): ReactNode {
  return <Badge tone={STATE_TONES[state]}>{state}</Badge>;
}

/** Shown beside the state of a model that cannot be called because it has no price. */
export function NoPriceBadge({ price, state }: Pick<Model, "price" | "state">): ReactNode {
  return price || state === "retired" ? null : <Badge tone="warn">no price</Badge>;
}

/** The shutdown date and the replacement of a deprecated model. */
function plansFor({ shutdown_date: day, replacement }: Model): string {
  return [day && `until ${calendarDay(day)}`, replacement && `use ${replacement}`].filter(Boolean).join(", ");
}

const MEMBER_COLUMNS: readonly DataColumn<Model>[] = [
  {
    id: "id",
    title: "Model",
    width: 170,
    grows: true,
    isFixed: true,
    sorts: "ascending",
    cell: ({ id }) => (
      <Link to="/models/$id" params={{ id }} className={rowLink} title={id}>
        {id}
      </Link>
    ),
  },
  {
    id: "state",
    title: "State",
    width: 180,
    text: ({ state, price }) => (price ? state : `${state}   no price`),
    cell: ({ state, price }) => (
      <span className="flex items-center gap-2">
        <StateBadge state={state} />
        <NoPriceBadge price={price} state={state} />
      </span>
    ),
  },
  {
    id: "shutdown",
    title: "Shutdown",
    width: 280,
    from: "lg",
    text: plansFor,
    cell: (model) => <span title={plansFor(model)}>{plansFor(model)}</span>,
  },
  {
    id: "input",
    title: "Input, $/M",
    width: 112,
    figures: true,
    from: "sm",
    cell: ({ price }) => rate(price?.input_per_million),
  },
  {
    id: "output",
    title: "Output, $/M",
    width: 118,
    figures: true,
    from: "sm",
    cell: ({ price }) => rate(price?.output_per_million),
  },
  {
    id: "context",
    title: "Context",
    width: 100,
    figures: true,
    from: "md",
    text: ({ context_window: size }) => (size === null ? "" : compactCount(size)),
    cell: ({ context_window: size }) => (size === null ? "–" : <span title={`${count(size)} tokens`}>{compactCount(size)}</span>),
  },
  {
    id: "capabilities",
    title: "Capabilities",
    width: 280,
    from: "2xl",
    text: namesOfCapabilities,
    cell: (model) => <CapabilityList names={namesOfCapabilities(model)} />,
  },
  {
    id: "owned_by",
    title: "Owner",
    width: 180,
    isOptional: true,
    sorts: "ascending",
    text: ({ owned_by: owner }) => owner,
    cell: ({ owned_by: owner }) => <span title={owner}>{owner}</span>,
  },
  {
    id: "created",
    title: "Created",
    width: 128,
    isOptional: true,
    sorts: "descending",
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];

function namesOfCapabilities({ capabilities }: Model): string {
  return capabilities.map((capability) => CAPABILITIES[capability]).join(", ");
}

function CapabilityList({ names }: { readonly names: string }): ReactNode {
  return names === "" ? <span className="text-ink-3">–</span> : <span title={names}>{names}</span>;
}

export const MODEL_COLUMNS = {
  member: MEMBER_COLUMNS,
  operator: [
    ...MEMBER_COLUMNS,
    { id: "routes", title: "Routes", width: 84, figures: true, from: "lg", cell: ({ routes = [] }) => count(routes.length) },
    { id: "managed_by", title: "Managed by", width: 130, from: "2xl", cell: ({ managed_by }) => <ManagedBadge by={managed_by} /> },
  ],
} as const satisfies Record<string, readonly DataColumn<Model>[]>;
