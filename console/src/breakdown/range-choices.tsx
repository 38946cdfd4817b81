import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Input } from "../parts/inputs/field.tsx";
import { formFields } from "../parts/inputs/form.ts";
import { CUSTOM, dayOf, RANGES, type Range } from "./range.ts";
import { useUsageSearch } from "./use-search.ts";

/** The range of a page, in the URL: the last days, or a custom range. */
export function RangeChoices({ range }: { readonly range: Range }): ReactNode {
  const [search, change] = useUsageSearch();
  return (
    <>
      <Ranges range={range} />
      {range.id === CUSTOM && (
        <Days key={`${search.from} ${search.to}`} from={search.from} to={search.to} onChoose={(days) => change({ ...days })} />
      )}
    </>
  );
}

function Ranges({ range }: { readonly range: Range }): ReactNode {
  const [{ from: _from, to: _to, ...rest }] = useUsageSearch();
  const today = Date.now();
  const custom = { ...rest, range: CUSTOM, from: dayOf(range.fromMs, range.zone), to: dayOf((range.toMs ?? today + 1) - 1, range.zone) };
  const choices = [
    ...RANGES.map(({ id, label }) => ({ id: id as string, label, search: { ...rest, range: id } })),
    { id: CUSTOM, label: "Custom", search: custom },
  ];
  return (
    <nav aria-label="Time range" className="flex h-8 rounded-md border max-sm:w-full border-line-strong/60 bg-surface p-0.5 shadow-raised">
      {choices.map((choice) => (
        <Link
          key={choice.id}
          to="."
          search={choice.search as never}
          resetScroll={false}
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
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onChoose: (days: { from: string; to: string }) => void;
}

function Days({ from, to, onChoose }: DaysProps): ReactNode {
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
        defaultValue={from}
        className="w-36 max-sm:min-w-0 max-sm:flex-1 max-sm:px-1.5"
      />
      <span className="text-ink-3">to</span>
      <Input
        type="date"
        name="to"
        aria-label="End date"
        required
        defaultValue={to}
        className="w-36 max-sm:min-w-0 max-sm:flex-1 max-sm:px-1.5"
      />
      <Button type="submit">Apply</Button>
    </form>
  );
}
