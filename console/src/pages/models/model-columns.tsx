import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { calendarDay } from "../../parts/calendar-day.ts";
import { compactCount, count } from "../../parts/format.ts";
import { ManagedBadge } from "../../parts/managed-by.tsx";
import { rowLink, type Column } from "../../parts/table.tsx";
import { CAPABILITIES, rate, STATE_TONES } from "./format-model.ts";

export function StateBadge({ state }: Pick<Model, "state">): ReactNode {
  return <Badge tone={STATE_TONES[state]}>{state}</Badge>;
}

/** Shown beside the state of a model that cannot be called because it has no price. */
export function NoPriceBadge({ price, state }: Pick<Model, "price" | "state">): ReactNode {
  return price || state === "retired" ? null : <Badge tone="warn">no price</Badge>;
}

/** The state, with the shutdown date and the replacement of a deprecated model. */
function State({ model: { state, price, shutdown_date: day, replacement } }: { readonly model: Model }): ReactNode {
  const more = [day && `until ${calendarDay(day)}`, replacement && `use ${replacement}`].filter(Boolean).join(", ");
  return (
    <span className="flex min-w-0 items-center gap-2">
      <StateBadge state={state} />
      <NoPriceBadge price={price} state={state} />
      {more && (
        <span className="max-w-48 truncate text-sm text-ink-3 max-lg:hidden" title={more}>
          {more}
        </span>
      )}
    </span>
  );
}

const MEMBER_COLUMNS: readonly Column<Model>[] = [
  {
    title: "Model",
    cell: ({ id }) => (
      <Link to="/models/$id" params={{ id }} className={rowLink} title={id}>
        {id}
      </Link>
    ),
    className: "max-w-64!",
  },
  { title: "State", cell: (model) => <State model={model} /> },
  { title: "Input, $/M", cell: ({ price }) => rate(price?.input_per_million), figures: true, from: "sm" },
  { title: "Output, $/M", cell: ({ price }) => rate(price?.output_per_million), figures: true, from: "sm" },
  {
    title: "Context",
    cell: ({ context_window: size }) => (size === null ? "–" : <span title={`${count(size)} tokens`}>{compactCount(size)}</span>),
    figures: true,
    from: "md",
  },
  {
    title: "Capabilities",
    cell: ({ capabilities }) => <CapabilityList capabilities={capabilities} />,
    className: "max-w-56! max-2xl:hidden",
  },
];

function CapabilityList({ capabilities }: Pick<Model, "capabilities">): ReactNode {
  const names = capabilities.map((capability) => CAPABILITIES[capability]).join(", ");
  return names === "" ? <span className="text-ink-3">–</span> : <span title={names}>{names}</span>;
}

export const MODEL_COLUMNS = {
  member: MEMBER_COLUMNS,
  operator: [
    ...MEMBER_COLUMNS,
    { title: "Routes", cell: ({ routes = [] }) => count(routes.length), figures: true, from: "lg" },
    { title: "Managed by", cell: ({ managed_by }) => <ManagedBadge by={managed_by} />, from: "lg" },
  ],
} as const satisfies Record<string, readonly Column<Model>[]>;
