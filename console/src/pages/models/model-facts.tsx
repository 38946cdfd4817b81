import type { ReactNode } from "react";
import type { Model } from "../../platform/interface.ts";
import { Badge } from "../../parts/badge.tsx";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count, duration } from "../../parts/format.ts";
import { ManagedBadge } from "../../parts/managed-by.tsx";
import { Section } from "../../parts/page.tsx";
import { Life } from "./model-lifecycle.tsx";
import { CAPABILITIES } from "./format-model.ts";

/** What there is to know of a model, for those who call it; how its calls are treated, for operators. */
export function ModelFacts({ model }: { readonly model: Model }): ReactNode {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <Section title="Life">
          <Life model={model} />
        </Section>
        {model.routes && <Treatment model={model} />}
      </div>
      <Section title="Limits and abilities">
        <Facts
          facts={[
            ["Context window", tokens(model.context_window)],
            ["Longest answer", tokens(model.max_output_tokens)],
            ["Can do", <Capabilities key="can" of={model.capabilities} />],
            ["Owner", model.owned_by],
            model.managed_by && ["Managed by", <ManagedBadge key="by" by={model.managed_by} />],
          ]}
        />
      </Section>
    </div>
  );
}

function Treatment({ model }: { readonly model: Model }): ReactNode {
  return (
    <Section title="How its calls are treated">
      <Facts
        facts={[
          ["Conversations", stickyInWords(model.sticky)],
          ["Kept answers", cacheInWords(model.cache)],
          ["Time limits", timeoutsInWords(model.timeouts)],
          ["Parameters", <Parameters key="parameters" of={model.parameters} />],
          ["Unknown parameters", model.unknown_parameters ?? "as the upstream has it"],
        ]}
      />
    </Section>
  );
}

function tokens(size: number | null): string | null {
  return size === null ? null : `${count(size)} tokens`;
}

function Capabilities({ of }: { readonly of: Model["capabilities"] }): ReactNode {
  if (of.length === 0) return <span className="text-ink-3">nothing declared</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {of.map((capability) => (
        <Badge key={capability}>{CAPABILITIES[capability]}</Badge>
      ))}
    </span>
  );
}

function stickyInWords(sticky: Model["sticky"]): string {
  if (sticky === true) return "stay at one upstream";
  return sticky === false ? "go to any route" : "stay where cached input is cheaper";
}

function cacheInWords(cache: Model["cache"]): string {
  if (!cache) return "none";
  return `for ${count(cache.ttl_seconds ?? 0)} s, at ${cache.price_percent ?? 0}% of the price`;
}

const TIMEOUTS = { connect_ms: "to connect", first_byte_ms: "to begin", between_chunks_ms: "between pieces", total_ms: "in all" } as const;

function timeoutsInWords(timeouts: Model["timeouts"]): string {
  const names = Object.keys(TIMEOUTS) as (keyof typeof TIMEOUTS)[];
  const given = names.flatMap((name) => (timeouts?.[name] === undefined ? [] : [`${duration(timeouts[name])} ${TIMEOUTS[name]}`]));
  return given.length === 0 ? "those of the upstream" : given.join(", ");
}

function Parameters({ of = {} }: { readonly of: Model["parameters"] }): ReactNode {
  const names = Object.entries(of);
  if (names.length === 0) return "pass as they are";
  return (
    <ul>
      {names.map(([name, handling]) => (
        <li key={name}>
          <Mono>{name}</Mono> {typeof handling === "string" ? handling : `renamed to ${handling.rename}`}
        </li>
      ))}
    </ul>
  );
}
