import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Input } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Picker } from "../../parts/picker.tsx";
import { AccountPicker, ModelPicker } from "../../parts/resource-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import { CUSTOM, dayOf, RANGES, type Range, type RangeSearch } from "./range.ts";
import type { OverviewFilter } from "./use-overview.ts";

export type OverviewSearch = RangeSearch & OverviewFilter;

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
      <Ranges search={search} range={range} />
      {range.id === CUSTOM && <Days key={`${search.from} ${search.to}`} search={search} onChoose={change} />}
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

function Ranges({ search, range }: RangeBarProps): ReactNode {
  const { from: _from, to: _to, ...rest } = search;
  const today = Date.now();
  const custom = { ...rest, range: CUSTOM, from: dayOf(range.fromMs, range.zone), to: dayOf((range.toMs ?? today + 1) - 1, range.zone) };
  const choices = [
    ...RANGES.map(({ id, label }) => ({ id, label, search: { ...rest, range: id } })),
    { id: CUSTOM, label: "Custom", search: custom },
  ];
  return (
    <nav aria-label="Time range" className="flex h-8 rounded-md border max-sm:w-full border-line-strong/60 bg-surface p-0.5 shadow-raised">
      {choices.map((choice) => (
        <Link
          key={choice.id}
          to="/"
          search={choice.search}
          aria-current={choice.id === range.id ? "true" : undefined}
          className="flex flex-auto items-center justify-center rounded-sm px-2.5 text-sm whitespace-nowrap text-ink-2 hover:bg-hover hover:text-ink aria-[current]:bg-selected aria-[current]:text-ink max-sm:px-1"
        >
          {choice.label}
        </Link>
      ))}
    </nav>
  );
}

interface DaysProps {
  readonly search: OverviewSearch;
  readonly onChoose: (days: { from: string; to: string }) => void;
}

function Days({ search, onChoose }: DaysProps): ReactNode {
  return (
    <form
      aria-label="Custom time range"
      className="flex min-w-0 items-center gap-1.5 max-sm:w-full"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(formFields(event.currentTarget, "from", "to"));
      }}
    >
      <Input
        type="date"
        name="from"
        aria-label="Start date"
        required
        defaultValue={search.from}
        className="w-36 max-sm:min-w-0 max-sm:flex-1 max-sm:px-1.5"
      />
      <span className="text-ink-3">to</span>
      <Input
        type="date"
        name="to"
        aria-label="End date"
        required
        defaultValue={search.to}
        className="w-36 max-sm:min-w-0 max-sm:flex-1 max-sm:px-1.5"
      />
      <Button type="submit">Apply</Button>
    </form>
  );
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
