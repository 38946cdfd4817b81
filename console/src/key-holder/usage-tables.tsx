import type { ReactNode } from "react";
import { Badge } from "../parts/badge.tsx";
import { count, duration, exactMoney, money, requestMoney } from "../parts/format/format.ts";
import { Table, type Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import type { ListedModel, Measures, ModelUsage, RecentRequest, TagUsage } from "./key-view.ts";

const nothing = <span className="text-ink-3">–</span>;

const cost = ({ cost: dollars }: Measures): ReactNode => <span title={exactMoney(dollars)}>{money(dollars)}</span>;

const NAME = "max-w-24! sm:max-w-52!";

const MEASURES: readonly Column<Pick<ModelUsage, "today" | "this_month">>[] = [
  { title: "Requests", cell: ({ this_month: of }) => count(of.requests), figures: true },
  { title: "Failed", cell: ({ this_month: of }) => count(of.failed), figures: true, from: "md" },
  { title: "Input tokens", cell: ({ this_month: of }) => count(of.prompt_tokens), figures: true, from: "sm" },
  { title: "Output tokens", cell: ({ this_month: of }) => count(of.completion_tokens), figures: true, from: "sm" },
  { title: "Cost today", cell: ({ today }) => cost(today), figures: true, from: "md" },
  { title: "Cost", cell: ({ this_month: of }) => cost(of), figures: true },
];

const BY_MODEL: readonly Column<ModelUsage>[] = [
  { title: "Model", cell: ({ model }) => <span title={model}>{model}</span>, className: NAME },
  ...MEASURES,
];

const BY_TAG: readonly Column<TagUsage>[] = [
  { title: "Tag", cell: ({ tag }) => <span title={tag}>{tag}</span>, className: NAME },
  { title: "Value", cell: ({ value }) => <span title={value}>{value}</span>, className: NAME },
  ...MEASURES,
];

/** The usage of this month, highest cost first. */
export function UsageTable({ rows }: { readonly rows: readonly ModelUsage[] }): ReactNode {
  if (rows.length === 0) return <NoRows>No usage this month</NoRows>;
  const sorted = rows.toSorted((one, other) => Number(other.this_month.cost) - Number(one.this_month.cost));
  return <Table label="Usage by model" columns={BY_MODEL} rows={sorted} keyOf={({ model }) => model} isText />;
}

/** In the order of the gateway: by tag, then by cost. */
export function TagTable({ rows }: { readonly rows: readonly TagUsage[] }): ReactNode {
  return <Table label="Usage by tag" columns={BY_TAG} rows={rows} keyOf={({ tag, value }) => `${tag}=${value}`} isText />;
}

/** Labels of outcomes that are neither an ordinary response nor an error. */
const LABELS: Readonly<Record<string, string>> = {
  dry_run: "dry run",
  replayed: "idempotent replay",
  client_closed: "client disconnected",
};

const REQUESTS: readonly Column<RecentRequest>[] = [
  { title: "Ended", cell: ({ ended_at: at }) => <Time at={at} /> },
  {
    title: "Model",
    cell: ({ model }) => (model === null ? nothing : <span title={model}>{model}</span>),
    className: NAME,
  },
  {
    title: "Status",
    cell: ({ status, outcome, code }) => (
      <Badge tone={outcome === "dry_run" ? "plain" : status < 400 ? "good" : status < 500 ? "warn" : "bad"}>
        {code ?? LABELS[outcome] ?? status}
      </Badge>
    ),
  },
  {
    title: "Tokens",
    cell: ({ prompt_tokens: input, completion_tokens: output }) => (input === null ? nothing : count(input + (output ?? 0))),
    figures: true,
    from: "md",
  },
  { title: "Duration", cell: ({ duration_ms: ms }) => duration(ms), figures: true, from: "sm" },
  { title: "Cost", cell: ({ cost: dollars }) => (dollars === null ? nothing : requestMoney(dollars)), figures: true, from: "sm" },
  { title: "Request ID", cell: ({ request_id: id }) => <span className="font-mono text-xs">{id}</span>, from: "xl" },
];

export function RequestTable({ rows }: { readonly rows: readonly RecentRequest[] }): ReactNode {
  if (rows.length === 0) return <NoRows>No requests yet</NoRows>;
  return <Table label="Latest requests" columns={REQUESTS} rows={rows} keyOf={({ request_id: id }) => id} isText />;
}

const MODELS: readonly Column<ListedModel>[] = [
  { title: "ID", cell: ({ id }) => <span title={id}>{id}</span> },
  { title: "Owner", cell: ({ owned_by: owner }) => owner, from: "sm" },
  { title: "State", cell: (model) => <ModelState of={model} /> },
];

export function ModelTable({ rows }: { readonly rows: readonly ListedModel[] }): ReactNode {
  if (rows.length === 0) return <NoRows>This key may call no models</NoRows>;
  return <Table label="Models" columns={MODELS} rows={rows} keyOf={({ id }) => id} isText />;
}

function ModelState({ of: { deprecated, shutdown_date: date, replacement } }: { readonly of: ListedModel }): ReactNode {
  if (!deprecated) return <Badge tone="good">available</Badge>;
  return (
    <>
      <Badge tone="warn">deprecated</Badge>{" "}
      <span className="text-sm text-ink-3">
        until {date}, then {replacement}
      </span>
    </>
  );
}

function NoRows({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="px-4 py-6 text-center text-ink-3">{children}</p>;
}
