import type { ReactNode } from "react";
import { dollarsOf, nanosOf, share } from "../parts/dollars.ts";
import { count, exactMoney, moment } from "../parts/format.ts";
import { Meter } from "../parts/meter.tsx";
import type { Cap, KeyUsage, LimitState } from "./key-view.ts";

const PERIODS = { day: "Today", month: "This month", total: "Total" } as const;

/** The spend caps and what is spent of them. */
export function CapMeters({ caps }: { readonly caps: readonly Cap[] }): ReactNode {
  if (caps.length === 0) return <p className="text-ink-3">No spend caps</p>;
  return (
    <div className="flex flex-col gap-3">
      {caps.map(({ scope, period, cap, remaining, resets_at: resetsAt }) => {
        const spent = dollarsOf(nanosOf(cap)! - nanosOf(remaining)!);
        return (
          <div key={`${scope} ${period}`} title={resetsAt === null ? undefined : `Resets at ${moment(resetsAt)}`}>
            <Meter
              label={`${PERIODS[period]}, ${scope === "key" ? "this key" : "whole account"}`}
              text={`${exactMoney(spent)} of ${exactMoney(cap)}`}
              share={share(spent, cap)}
            />
          </div>
        );
      })}
    </div>
  );
}

/** The rate limits and what is used of them. */
export function LimitMeters({ limits: { requests, tokens } }: Pick<KeyUsage, "limits">): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <LimitMeter label="Requests per minute" state={requests} />
      <LimitMeter label="Tokens per minute" state={tokens} />
    </div>
  );
}

function LimitMeter({ label, state }: { readonly label: string; readonly state: LimitState | null }): ReactNode {
  if (!state) return <Meter label={label} text="No limit" share={undefined} />;
  const used = Math.max(0, state.limit - state.remaining);
  return <Meter label={label} text={`${count(used)} of ${count(state.limit)} used`} share={Math.min(1, used / state.limit)} />;
}
