import { useNavigate } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { Picker } from "../../parts/inputs/picker.tsx";
import { AccountPicker, ModelPicker } from "../../parts/inputs/resource-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import { RangeChoices } from "../../breakdown/range-choices.tsx";
import type { Range } from "../../breakdown/range.ts";
import type { UsageSearch } from "../../breakdown/use-search.ts";
import type { UsageFilter } from "../../breakdown/use-usage.ts";

export type OverviewSearch = UsageSearch & Omit<UsageFilter, "key">;

interface RangeBarProps {
  readonly search: OverviewSearch;
  readonly range: Range;
}

/** The filters of the overview. All of them are in the URL. */
export function RangeBar({ search, range }: RangeBarProps): ReactNode {
  const { isOperator } = useMe();
  const navigate = useNavigate();
  const change = (changed: { [Name in keyof OverviewSearch]?: string | null }): void =>
    void navigate({ to: "/", search: given({ ...search, ...changed }) });
  return (
    <div className="flex flex-wrap items-end gap-2">
      <RangeChoices range={range} />
      <ZonePicker zone={range.zone} onPick={(zone) => change({ zone })} />
      {isOperator && (
        <AccountPicker
          isLabelHidden
          isClearable
          placeholder="All accounts"
          className="w-40 max-sm:min-w-36 max-sm:flex-1"
          value={search.account ?? null}
          onPick={(account) => change({ account })}
        />
      )}
      <ModelPicker
        isLabelHidden
        isClearable
        placeholder="All models"
        className="w-44 max-sm:min-w-36 max-sm:flex-1"
        value={search.model ?? null}
        onPick={(model) => change({ model })}
      />
    </div>
  );
}

/** Omits empty parameters, to keep the address short. */
function given(search: { [Name in keyof OverviewSearch]?: string | null | undefined }): OverviewSearch {
  return Object.fromEntries(Object.entries(search).filter((pair) => pair[1]));
}

function ZonePicker({ zone, onPick }: { readonly zone: string; readonly onPick: (zone: string | null) => void }): ReactNode {
  const picks = useMemo(() => {
    const names = new Set(["UTC", zone, ...Intl.supportedValuesOf("timeZone")]);
    return [...names].map((name) => ({ value: name, label: name }));
  }, [zone]);
  return (
    <Picker label="Time zone" isLabelHidden picks={picks} value={zone} onPick={onPick} className="w-48 max-sm:min-w-36 max-sm:flex-1" />
  );
}
