import { RotateCw } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Stat } from "../parts/facts.tsx";
import { compactCount, count, day, exactMoney, inCount, moment, money } from "../parts/format/format.ts";
import { Notice } from "../parts/notice.tsx";
import { Section } from "../parts/page.tsx";
import { CapMeters, LimitMeters } from "./cap-meters.tsx";
import type { KeyUsage, KeyView, Measures } from "./key-view.ts";
import { ModelTable, RequestTable, TagTable, UsageTable } from "./usage-tables.tsx";

interface UsageViewProps {
  readonly of: KeyView;
  readonly failure: string | undefined;
  readonly isBusy: boolean;
  readonly onRefresh: () => void;
  readonly onForget: () => void;
}

/** Everything that the gateway reports about a key. Read-only. */
export function UsageView({ of: { models, usage }, failure, isBusy, onRefresh, onForget }: UsageViewProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  const actions = (
    <>
      <Button busy={isBusy} onClick={onRefresh}>
        {!isBusy && <RotateCw size={14} aria-hidden />}
        Refresh
      </Button>
      <Button onClick={onForget}>Forget key</Button>
    </>
  );
  return (
    <main className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-4 py-5 sm:px-6 lg:px-8 lg:py-7">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight break-words outline-none">
            {usage.key.name}
          </h1>
          <AboutKey of={usage} />
        </div>
        <div className="flex flex-wrap items-center gap-2">{actions}</div>
      </div>
      {failure !== undefined && (
        <Notice tone="bad" title="Not refreshed">
          {failure}
        </Notice>
      )}
      <Figures of={usage} />
      <div className="grid gap-5 lg:grid-cols-2">
        <Section title="Spend caps" about="Calendar day and month (UTC)">
          <CapMeters caps={usage.caps} settings={usage.settings} />
        </Section>
        <Section title="Rate limits" about="The tighter of the key's and its account's">
          <LimitMeters of={usage} />
        </Section>
      </div>
      <Section title="Usage by model" about="This month (UTC)" flush>
        <UsageTable rows={usage.by_model} />
      </Section>
      {usage.by_tag.length > 0 && (
        <Section title="Usage by tag" about="This month (UTC). The most expensive values of each tag" flush>
          <TagTable rows={usage.by_tag} />
        </Section>
      )}
      <Section title="Latest requests" flush>
        <RequestTable rows={usage.recent_requests} />
      </Section>
      <Section title="Models" about={`${inCount(models.length, "model")} that this key may call`} flush>
        <ModelTable rows={models} />
      </Section>
    </main>
  );
}

function AboutKey({ of: { key, as_of: at } }: { readonly of: KeyUsage }): ReactNode {
  return (
    <p className="mt-0.5 text-ink-2">
      Key <span className="font-mono">{key.id}</span>, as of {moment(at)}.{key.expires_at !== null && ` Expires on ${day(key.expires_at)}.`}
    </p>
  );
}

function Figures({ of: { credit, today, this_month: month } }: { readonly of: KeyUsage }): ReactNode {
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {credit === null ? (
        <Stat label="Credit" value={<span className="text-ink-3">Not shown</span>} note="By the account's setting" />
      ) : (
        <Stat label="Remaining credit" value={<span title={exactMoney(credit)}>{money(credit)}</span>} note="Of the whole account" />
      )}
      <Spend label="Spent today" of={today} />
      <Spend label="Spent this month" of={month} />
      <Stat
        label="Tokens this month"
        value={count(month.prompt_tokens + month.completion_tokens)}
        note={`${compactCount(month.prompt_tokens)} in, ${compactCount(month.completion_tokens)} out`}
      />
    </div>
  );
}

function Spend({ label, of }: { readonly label: string; readonly of: Measures }): ReactNode {
  const value = <span title={exactMoney(of.cost)}>{money(of.cost)}</span>;
  return <Stat label={label} value={value} note={inCount(of.requests, "request")} />;
}
