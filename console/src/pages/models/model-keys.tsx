import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ModelKey } from "../../../../platform-client/types.ts";
import { describeDays, spanOf } from "../../breakdown/range.ts";
import { useLast30Days } from "../../breakdown/use-last-30-days.ts";
import { usePages } from "../../platform/use-api.ts";
import { count } from "../../parts/format/format.ts";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const COLUMNS: readonly Column<ModelKey>[] = [
  {
    title: "Key",
    cell: ({ key, name }) => (
      <Link to="/keys/$id" params={{ id: key }} className={rowLink} title={name}>
        {name}
      </Link>
    ),
  },
  { title: "Account", cell: ({ account }) => <span title={account}>{account}</span>, from: "sm" },
  { title: "Last used", cell: ({ last_used_at: at }) => <Time at={at} /> },
  { title: "Total requests", cell: ({ requests }) => count(requests), figures: true, from: "sm" },
];

/** The keys that a shutdown of the model would affect. */
export function ModelKeys({ id }: { readonly id: string }): ReactNode {
  const range = useLast30Days();
  const pages = usePages("listModelKeys", { path: { id }, query: { since: spanOf(range).from, limit: 50 } });
  return (
    <Section title="Keys" about={`Keys that called this model in the last 30 days, ${describeDays(range, Date.now())}.`} flush>
      <PagedTable
        label="Keys"
        of={pages}
        columns={COLUMNS}
        keyOf={({ key }) => key}
        empty={<Empty title="No keys">No key called this model in the last 30 days.</Empty>}
      />
    </Section>
  );
}
