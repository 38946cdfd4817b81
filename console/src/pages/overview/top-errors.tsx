import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { count, percent } from "../../parts/format/format.ts";
import { rowLink } from "../../parts/table.tsx";
import type { RequestStatistics } from "../../../../platform-client/types.ts";
import { spanOf } from "../../breakdown/range.ts";
import { TopList, type TopRow } from "./top-list.tsx";
import { permanentError, type OfRange, type UsageFilter } from "../../breakdown/use-usage.ts";

const SHOWN = 6;

interface TopErrorsProps {
  readonly of: OfRange<RequestStatistics>;
  readonly filter: UsageFilter;
  readonly isLogOff: boolean;
}

/** The most frequent error codes, with links to their requests. */
export function TopErrors({ of: { query, range }, filter, isLogOff: isOff }: TopErrorsProps): ReactNode {
  const codes = query.data?.total.codes.slice(0, SHOWN);
  const { from, to } = spanOf(range);
  const rows = codes?.map(({ code, requests }): TopRow => ({
    id: code,
    name: (
      <Link to="/requests" search={{ ...filter, code, from, ...(to !== undefined && { to }) }} className={rowLink} title={code}>
        {code}
      </Link>
    ),
    value: count(requests),
    note: percent(requests, query.data!.total.requests),
    share: requests / codes[0]!.requests,
  }));
  return (
    <TopList
      title="Top errors"
      unit="Requests"
      rows={rows}
      empty={isOff ? "The request log is off, so there is no error data." : "No errors in this range."}
      error={permanentError(query.error)}
      retry={() => void query.refetch()}
      isStale={query.isPlaceholderData}
    />
  );
}
