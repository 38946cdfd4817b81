import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../parts/badge.tsx";
import { buttonClass } from "../parts/button.tsx";
import { count, duration, requestMoney } from "../parts/format/format.ts";
import { Section } from "../parts/page.tsx";
import { Empty, Fetched } from "../parts/states.tsx";
import { rowLink, Table, type Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import type { LoggedRequest } from "../../../platform-client/types.ts";
import { useApiQuery } from "../platform/use-api.ts";

const nothing = <span className="text-ink-3">–</span>;

const COLUMNS: readonly Column<LoggedRequest>[] = [
  {
    title: "Ended",
    cell: ({ request_id: id, ended_at: at }) => (
      <Link to="/requests/$id" params={{ id }} className={rowLink}>
        <Time at={at} />
      </Link>
    ),
  },
  { title: "Model", cell: ({ model }) => (model === null ? nothing : <span title={model}>{model}</span>), className: "max-w-52!" },
  {
    title: "Status",
    cell: ({ status, code }) => <Badge tone={status < 400 ? "good" : status < 500 ? "warn" : "bad"}>{code ?? status}</Badge>,
  },
  { title: "Tokens", cell: ({ usage }) => (usage ? count(usage.total_tokens) : nothing), figures: true, from: "md" },
  { title: "Duration", cell: ({ duration_ms: ms }) => duration(ms), figures: true, from: "sm" },
  { title: "Cost", cell: ({ cost }) => (cost === null ? nothing : requestMoney(cost)), figures: true, from: "sm" },
];

/** The ten latest requests of a key or an account, with a link to all of them. */
export function RecentRequests({ of }: { readonly of: { readonly key?: string; readonly account?: string } }): ReactNode {
  const requests = useApiQuery("listRequests", { query: { ...of, limit: 10 } });
  return (
    <Section
      title="Latest requests"
      flush
      actions={
        <Link to="/requests" search={of} className={buttonClass("quiet", true)}>
          All requests
        </Link>
      }
    >
      <Fetched of={requests} lines={4}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No requests yet">Requests are listed here when they have ended.</Empty>
          ) : (
            <Table label="Latest requests" columns={COLUMNS} rows={data} keyOf={({ request_id: id }) => id} />
          )
        }
      </Fetched>
    </Section>
  );
}
