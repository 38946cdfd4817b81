import type { ReactNode } from "react";
import { Select } from "../parts/inputs/field.tsx";
import { Switch } from "../parts/inputs/switch.tsx";
import { MEASURES, offered, TOTAL, type Breakdown, type DimensionId } from "./breakdown.ts";
import { TagInput } from "./tag-input.tsx";
import { useUsageSearch } from "./use-search.ts";

interface BreakdownControlsProps {
  readonly breakdown: Breakdown;
  readonly dimensions: readonly DimensionId[];
  readonly isOperator: boolean;
}

/** The measure and the breakdown of a chart, both in the URL. */
export function BreakdownControls({ breakdown, dimensions, isOperator }: BreakdownControlsProps): ReactNode {
  const [, change] = useUsageSearch();
  const { measure, by, tag, isCompared, isCumulative } = breakdown;
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
      <Switch
        label="Cumulative"
        title="Add up each day or hour and those before it"
        checked={isCumulative}
        onChange={({ target }) => change({ cumulative: target.checked ? "on" : null })}
      />
      <Select
        aria-label="Measure"
        className="w-40 max-sm:w-36 max-sm:grow"
        choices={measures}
        value={measure.id}
        onChange={({ target }) => change({ measure: target.value })}
      />
      <Select
        aria-label="Stacked by"
        className="w-32 max-sm:w-36 max-sm:grow"
        choices={groups}
        value={by}
        onChange={({ target }) => change({ by: target.value })}
      />
      {by === "tag" && <TagInput key={tag} tag={tag} onChange={(name) => change({ tag: name })} />}
    </>
  );
}
