import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Stat } from "../../parts/facts.tsx";
import { compactCount, count, money, percent } from "../../parts/format/format.ts";
import { textLink } from "../../parts/text-link.ts";
import { describeDays, spanOf } from "../../breakdown/range.ts";
import { useLast30Days } from "../../breakdown/use-last-30-days.ts";
import { rate } from "./format-model.ts";

/** The key figures of a model. */
export function ModelUsage({ model: { id, price } }: { readonly model: Model }): ReactNode {
  const range = useLast30Days();
  const { data, error } = useApiQuery("showUsage", { query: { by: "model", model: id, ...spanOf(range), limit: 1 } });
  const total = data?.total;
  const unknown = error ? "–" : "…";
  const days = describeDays(range, Date.now());
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label={`Succeeded, ${days}`}
        value={total ? compactCount(total.requests) : unknown}
        note={
          total && (
            <Link
              to="/requests"
              search={{ model: id, from: spanOf(range).from, ...(total.failed > 0 && { outcome: "failed" }) }}
              className={textLink}
            >
              {total.failed === 0
                ? total.requests === 0
                  ? "none yet"
                  : "none failed"
                : `${count(total.failed)} failed, ${percent(total.failed, total.requests + total.failed)}`}
            </Link>
          )
        }
      />
      <Stat
        label={`Spend, ${days}`}
        value={total ? money(total.cost) : unknown}
        note={total && `${compactCount(total.prompt_tokens + total.completion_tokens)} tokens`}
      />
      <Stat label="Input, $/M tokens" value={rate(price?.input_per_million)} note={price ? cachedNote(price) : "no price, not callable"} />
      <Stat label="Output, $/M tokens" value={rate(price?.output_per_million)} note={price && tiersNote(price.tiers.length)} />
    </div>
  );
}

function cachedNote(price: NonNullable<Model["price"]>): string {
  return price.cached_input_per_million === price.input_per_million ? "same when cached" : `${rate(price.cached_input_per_million)} cached`;
}

function tiersNote(tiers: number): string {
  return tiers === 0 ? "at any length" : "tiered by input length";
}
