import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../../../parts/button.tsx";
import { Facts } from "../../../parts/facts.tsx";
import { count, percent } from "../../../parts/format/format.ts";
import { Section } from "../../../parts/page.tsx";
import { Fetched } from "../../../parts/states.tsx";
import { useApiQuery } from "../../../platform/use-api.ts";

/** The mirror of a model compared with what its callers received, in the last 24 hours. */
export function MirrorReport({ modelId }: { readonly modelId: string }): ReactNode {
  const report = useApiQuery("showMirrorReport", { path: { id: modelId } });
  return (
    <Section
      title="Mirror, last 24 hours"
      actions={
        <Link to="/requests" search={{ model: modelId, mirror: "different", since: "24h" }} className={buttonClass("quiet", true)}>
          Show differences
        </Link>
      }
    >
      <Fetched of={report} lines={4}>
        {(data) => (
          <Facts
            facts={[
              ["Mirrored requests", count(data.requests)],
              ["Same status", data.requests === 0 ? null : percent(data.same_status, data.requests)],
              ["Same finish reason", data.finished === 0 ? null : percent(data.same_finish_reason, data.finished)],
              ["Prompt tokens", ratio(data.prompt_token_ratio)],
              ["Completion tokens", ratio(data.completion_token_ratio)],
              ["Time to first byte", ratio(data.first_byte_ratio)],
              ["Duration", ratio(data.duration_ratio)],
            ]}
          />
        )}
      </Fetched>
    </Section>
  );
}

/** The median of the mirror's value divided by the caller's. */
function ratio(value: number | null): string | null {
  return value === null ? null : `${value.toFixed(2)} × the caller's (median)`;
}
