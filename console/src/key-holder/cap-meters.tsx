import type { ReactNode } from "react";
import { dollarsOf, nanosOf, share } from "../parts/format/dollars.ts";
import { count, moment, spentOf } from "../parts/format/format.ts";
import { Meter } from "../parts/meter.tsx";
import type { KeyUsage, LimitState } from "./key-view.ts";
import { capsPerPart, limitsPerPart } from "./part-limits.ts";

const PERIODS = { day: "Today (UTC)", month: "This month (UTC)", total: "Total" } as const;

/** The spend caps and what is spent of them. What is spent of those of each end user and tag is not shown. */
export function CapMeters({ caps, settings }: Pick<KeyUsage, "caps" | "settings">): ReactNode {
  const parts = capsPerPart(settings);
  if (caps.length === 0 && parts.length === 0) return <p className="text-ink-3">No spend caps</p>;
  return (
    <div className="flex flex-col gap-3">
      {caps.map(({ scope, period, cap, remaining, resets_at: resetsAt }) => {
        const spent = dollarsOf(nanosOf(cap)! - nanosOf(remaining)!);
        return (
          <div key={`${scope} ${period}`} title={resetsAt === null ? undefined : `Resets at ${moment(resetsAt)}`}>
            <Meter
              label={`${PERIODS[period]}, ${scope === "key" ? "this key" : "whole account"}`}
              text={spentOf(spent, cap)}
              share={share(spent, cap)}
            />
          </div>
        );
      })}
      {parts.map(({ label, text }) => (
        <Meter key={label} label={label} text={text} share={undefined} />
      ))}
    </div>
  );
}

/** The rate limits and what is used of them. */
export function LimitMeters({ of }: { readonly of: KeyUsage }): ReactNode {
  const { limits, settings, concurrent_requests: concurrent } = of;
  const most = concurrent === null ? [] : [count(concurrent)];
  return (
    <div className="flex flex-col gap-3">
      <LimitMeter label="Requests per minute" state={limits.requests} parts={limitsPerPart(settings, "requests_per_minute")} />
      <LimitMeter label="Tokens per minute" state={limits.tokens} parts={limitsPerPart(settings, "tokens_per_minute")} />
      <LimitMeter label="Max concurrent requests" state={null} parts={[...most, ...limitsPerPart(settings, "concurrent_requests")]} />
    </div>
  );
}

interface LimitMeterProps {
  readonly label: string;
  readonly state: LimitState | null;
  /** Limits without a state, in words. */
  readonly parts: readonly string[];
}

function LimitMeter({ label, state, parts }: LimitMeterProps): ReactNode {
  if (!state) return <Meter label={label} text={parts.join("; ") || "No limit"} share={undefined} />;
  const used = Math.max(0, state.limit - state.remaining);
  const text = [`${count(used)} of ${count(state.limit)} used`, ...parts].join("; ");
  return <Meter label={label} text={text} share={Math.min(1, used / state.limit)} />;
}
