import type { ReactNode } from "react";
import { Input, Select } from "../parts/field.tsx";
import { Switch } from "../parts/switch.tsx";
import { MEASURES, offered, TOTAL, type Breakdown, type DimensionId } from "./breakdown.ts";
import { useUsageSearch } from "./use-search.ts";

interface BreakdownControlsProps {
  readonly breakdown: Breakdown;
  readonly dimensions: readonly DimensionId[];
  readonly isOperator: boolean;
}

/** The measure and the breakdown of a chart, both in the URL. */
export function BreakdownControls({ breakdown, dimensions, isOperator }: BreakdownControlsProps): ReactNode {
  const [, change] = useUsageSearch();
  const { measure, by, tag, isCompared } = breakdown;
  const measures = MEASURES.filter(({ id }) => isOperator || id !== "margin").map(({ id, label }) => ({ value: id, label }));
  const groups = [
    ...offered({ dimensions, isOperator }).map(({ id, label }) => ({ value: id as string, label })),
    { value: TOTAL, label: "Total" },
  ];
  return (
    <>
      <Switch
        label="Compare"
        title="Compare with the previous period"
        checked={isCompared}
        onChange={({ target }) => change({ compare: target.checked ? null : "off" })}
      />
      <Select
        aria-label="Measure"
        className="w-40 max-sm:flex-1"
        choices={measures}
        value={measure.id}
        onChange={({ target }) => change({ measure: target.value })}
      />
      <Select
        aria-label="Stacked by"
        className="w-32 max-sm:flex-1"
        choices={groups}
        value={by}
        onChange={({ target }) => change({ by: target.value })}
      />
      {by === "tag" && <TagInput key={tag} tag={tag} onChange={(name) => change({ tag: name })} />}
    </>
  );
}

/** Changed when it is left or with Enter: each name is another report. */
function TagInput({ tag, onChange }: { readonly tag: string; readonly onChange: (tag: string) => void }): ReactNode {
  const apply = (typed: string): void => {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(typed) && typed !== tag) onChange(typed);
  };
  return (
    <Input
      aria-label="Tag"
      className="w-24"
      placeholder="team"
      defaultValue={tag}
      onBlur={({ target }) => apply(target.value.trim())}
      onKeyDown={(event) => event.key === "Enter" && apply(event.currentTarget.value.trim())}
    />
  );
}
