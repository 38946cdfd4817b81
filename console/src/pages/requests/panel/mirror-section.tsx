import type { ReactNode } from "react";
import type { ComparedResponse, LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { count, duration } from "../../../parts/format/format.ts";
import { PanelSection } from "./panel-section.tsx";

type Row = readonly [label: string, show: (response: ComparedResponse) => string | null];

const ROWS: readonly Row[] = [
  ["Status", ({ status }) => String(status)],
  ["Finish reason", (response) => response.finish_reason],
  ["Prompt tokens", (response) => inCountOrNull(response.prompt_tokens)],
  ["Completion tokens", (response) => inCountOrNull(response.completion_tokens)],
  ["Time to first byte", (response) => (response.first_byte_ms === null ? null : duration(response.first_byte_ms))],
  ["Duration", (response) => duration(response.duration_ms)],
];

/** What the mirror returned, beside what the caller received. */
export function MirrorSection({ compared }: { readonly compared: NonNullable<LoggedRequestInFull["mirror"]> }): ReactNode {
  const { upstream, model, response, mirror, detail } = compared;
  const rows = ROWS.map(([label, show]) => [label, show(response), show(mirror)] as const);
  return (
    <PanelSection title="Mirror" note={`${upstream} / ${model}`}>
      <table className="figures w-full text-sm">
        <thead>
          <tr className="text-left text-ink-3">
            <td />
            <th className="font-normal">Caller</th>
            <th className="font-normal">Mirror</th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(([, ours, theirs]) => ours !== null || theirs !== null)
            .map(([label, ours, theirs]) => (
              <tr key={label}>
                <th className="py-0.5 pr-4 text-left font-normal text-ink-3">{label}</th>
                <td>{ours ?? "unknown"}</td>
                <td>{theirs ?? "unknown"}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {detail !== null && <p className="mt-2 text-sm break-words text-ink-2">{detail}</p>}
    </PanelSection>
  );
}

function inCountOrNull(tokens: number | null): string | null {
  return tokens === null ? null : count(tokens);
}
