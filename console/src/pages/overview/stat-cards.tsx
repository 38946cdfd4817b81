import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Stat } from "../../parts/facts.tsx";
import { compactCount, count, duration, money, percent } from "../../parts/format/format.ts";
import { textLink } from "../../parts/text-link.ts";
import type { Account, Quantiles, RequestStatistics, UsagePage } from "../../../../platform-client/types.ts";

interface StatCardsProps {
  /** The account of the filter, or the account with the lowest balance. */
  readonly account: Account | undefined;
  readonly isAccountMissing: boolean;
  readonly isLowest: boolean;
  readonly usage: UsagePage | undefined;
  readonly statistics: RequestStatistics | undefined;
  readonly isUsageMissing: boolean;
  readonly isStatisticsMissing: boolean;
}

/** The totals of the range. */
export function StatCards(props: StatCardsProps): ReactNode {
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Credit {...props} />
      <Spend {...props} />
      <Outcomes {...props} />
      <Tokens {...props} />
    </div>
  );
}

function Figure({
  of,
  isMissing,
  label,
  note,
}: {
  of: string | undefined;
  isMissing: boolean;
  label: string;
  note?: string | undefined;
}): ReactNode {
  const value = of ?? (isMissing ? "–" : <Skeleton />);
  return <Stat label={label} value={value} note={<span className="max-sm:whitespace-normal">{note ?? "\u00a0"}</span>} />;
}

function Skeleton(): ReactNode {
  return (
    <span role="status" aria-label="Loading" className="skeleton my-1.5 block h-4 w-20">
      {"\u00a0"}
    </span>
  );
}

function Credit({ account, isAccountMissing, isLowest }: StatCardsProps): ReactNode {
  const label = isLowest ? "Lowest balance" : "Balance";
  if (!account) return <Figure label={label} of={undefined} isMissing={isAccountMissing} />;
  const held = Number(account.held) === 0 ? "available" : `available, ${money(account.held)} reserved`;
  const name = (
    <Link to="/accounts/$id" params={{ id: account.id }} title={account.id} className={textLink}>
      {account.id}
    </Link>
  );
  return <Stat label={label} value={account.available === null ? "Unlimited" : money(account.available)} note={isLowest ? name : held} />;
}

function Spend({ usage, isUsageMissing }: StatCardsProps): ReactNode {
  const total = usage?.total;
  return (
    <Figure label="Spend" of={total && money(total.cost)} isMissing={isUsageMissing} note={total && `${count(total.requests)} succeeded`} />
  );
}

function Tokens({ usage, isUsageMissing: isMissing }: StatCardsProps): ReactNode {
  const total = usage?.total;
  const cached = total && total.cached_tokens > 0 ? `${percent(total.cached_tokens, total.prompt_tokens)} cached` : undefined;
  const reasoning =
    total && total.reasoning_tokens > 0 ? `${percent(total.reasoning_tokens, total.completion_tokens)} reasoning` : undefined;
  return (
    <>
      <Figure label="Input tokens" of={total && compactCount(total.prompt_tokens)} isMissing={isMissing} note={cached} />
      <Figure label="Output tokens" of={total && compactCount(total.completion_tokens)} isMissing={isMissing} note={reasoning} />
    </>
  );
}

function Outcomes({ statistics, isStatisticsMissing: isMissing }: StatCardsProps): ReactNode {
  const total = statistics?.total;
  const errors = total && total.outcomes.refused + total.outcomes.failed;
  return (
    <>
      <Figure
        label="Requests"
        of={total && count(total.requests)}
        isMissing={isMissing}
        note={total && `${count(total.succeeded)} succeeded`}
      />
      <Figure
        label="Error rate"
        of={total && percent(errors!, total.requests)}
        isMissing={isMissing}
        note={total && `${count(total.outcomes.refused)} rejected, ${count(total.outcomes.failed)} failed`}
      />
      <Figure label="Latency" of={total && median(total.duration_ms)} isMissing={isMissing} note={total && p95Note(total.duration_ms)} />
      <Figure
        label="Time to first token"
        of={total && median(total.first_token_ms)}
        isMissing={isMissing}
        note={total && p95Note(total.first_token_ms)}
      />
    </>
  );
}

function median(of: Quantiles): string {
  return of ? duration(of.p50) : "–";
}

function p95Note(of: Quantiles): string | undefined {
  return of ? `median, p95 ${duration(of.p95)}` : undefined;
}
