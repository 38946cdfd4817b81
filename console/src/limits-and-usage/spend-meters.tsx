import type { ReactNode } from "react";
import { share } from "../parts/dollars.ts";
import { exactMoney, money } from "../parts/format.ts";
import { Meter } from "../parts/meter.tsx";
import type { Spent } from "../platform/interface.ts";
import { CAPS, type Caps } from "./access-policy.ts";

const LABELS = { day: "Today", month: "This month", total: "In total" } as const;

/** What was spent, and how much of each cap that is. Days and months are those of UTC, as the caps are. */
export function SpendMeters({ spent, caps }: { readonly spent: Spent; readonly caps: Caps }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      {CAPS.map(({ name }) => {
        const cap = caps[name] ?? null;
        return (
          <Meter
            key={name}
            label={LABELS[name]}
            words={cap === null ? `${amount(spent[name])}, no cap` : `${amount(spent[name])} of ${exactMoney(cap)}`}
            share={cap === null ? undefined : share(spent[name], cap)}
          />
        );
      })}
    </div>
  );
}

/** Where little was spent, rounding to the cent would make it look like all of a small cap. */
function amount(dollars: string): string {
  return Number(dollars) < 1 ? exactMoney(dollars) : money(dollars);
}
