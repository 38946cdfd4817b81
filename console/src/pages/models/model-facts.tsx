import { TIMEOUTS } from "../../../../src/models/timeouts.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count, duration, percent } from "../../parts/format/format.ts";
import { ManagedBadge } from "../../parts/managed-by.tsx";
import { ModelLinks } from "../../parts/model-links.tsx";
import { Section } from "../../parts/page.tsx";
import { AuditLink } from "../../limits-and-usage/audit-link.tsx";
import { textLink } from "../../parts/text-link.ts";
import { Lifecycle } from "./model-lifecycle.tsx";
import { CONDITIONS } from "./handling/fallbacks-draft.ts";
import { CAPABILITIES, KINDS } from "./format-model.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Fetched } from "../../parts/states.tsx";
import { useApiQuery } from "../../platform/use-api.ts";

/** Lifecycle, limits and capabilities; for operators also the request handling. */
export function ModelFacts({ model }: { readonly model: Model }): ReactNode {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <Section title="Lifecycle">
          <Lifecycle model={model} />
        </Section>
        {model.routes && <RequestHandling model={model} />}
        {model.mirror && <MirrorReport modelId={model.id} />}
      </div>
      <Section title="Limits and capabilities">
        <Facts
          facts={[
            ["Kind", KINDS[model.kind]],
            ["Context window", tokens(model.context_window)],
            ["Max output tokens", model.max_output_tokens === null ? null : count(model.max_output_tokens)],
            ["Capabilities", <Capabilities key="capabilities" of={model.capabilities} />],
            ["Owner", model.owned_by],
            model.accounts == null ? undefined : ["Accounts", <Accounts key="accounts" ids={model.accounts} />],
            model.expanded_from == null ? undefined : ["Wildcard model", <ModelLinks key="from" ids={[model.expanded_from]} />],
            model.expands_to == null ? undefined : ["Stands for", <ModelLinks key="to" ids={model.expands_to} />],
            model.managed_by && ["Managed by", <ManagedBadge key="by" by={model.managed_by} />],
            model.managed_by && ["Audit log", <AuditLink key="audit" kind="model" id={model.id} />],
          ]}
        />
      </Section>
    </div>
  );
}

function RequestHandling({ model }: { readonly model: Model }): ReactNode {
  return (
    <Section title="Request handling">
      <Facts
        facts={[
          ["Route selection", model.selection?.replace("_", " ")],
          ["Session affinity", formatSticky(model.sticky)],
          ["Response cache", formatCache(model.cache)],
          ["Mirror", formatMirror(model.mirror)],
          ["Timeouts", formatTimeouts(model.timeouts)],
          ["Parameters", <Parameters key="parameters" of={model.parameters} />],
          ["Unknown parameters", model.unknown_parameters ?? "set by upstream"],
          ["Fallback models", <Fallbacks key="fallbacks" of={model.fallback_models} />],
        ]}
      />
    </Section>
  );
}

function tokens(size: number | null): string | null {
  return size === null ? null : `${count(size)} tokens`;
}

function Capabilities({ of }: { readonly of: Model["capabilities"] }): ReactNode {
  if (of.length === 0) return <span className="text-ink-3">none declared</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {of.map((capability) => (
        <Badge key={capability}>{CAPABILITIES[capability]}</Badge>
      ))}
    </span>
  );
}

function Accounts({ ids }: { readonly ids: readonly string[] }): ReactNode {
  return (
    <span className="flex flex-wrap gap-x-2 gap-y-1">
      {ids.map((id) => (
        <Link key={id} to="/accounts/$id" params={{ id }} className={`${textLink} max-w-full truncate`} title={id}>
          {id}
        </Link>
      ))}
    </span>
  );
}

function formatSticky(sticky: Model["sticky"]): string {
  if (sticky === true) return "on";
  return sticky === false ? "off" : "auto (when cached input is cheaper)";
}

function formatCache(cache: Model["cache"]): string {
  if (!cache) return "off";
  return `TTL ${count(cache.ttl_seconds)} s, cache hits at ${cache.price_percent}% of the price`;
}

function formatMirror(mirror: Model["mirror"]): string {
  return mirror ? `${mirror.upstream} / ${mirror.model}, ${mirror.percent}% of the requests` : "none";
}

function formatTimeouts(timeouts: Model["timeouts"]): string {
  const given = TIMEOUTS.flatMap(({ field, label }) =>
    timeouts?.[field] === undefined ? [] : [`${label.toLowerCase()} ${duration(timeouts[field])}`],
  );
  return given.length === 0 ? "set by upstream" : given.join(", ");
}

function Parameters({ of = {} }: { readonly of: Model["parameters"] }): ReactNode {
  const names = Object.entries(of);
  if (names.length === 0) return "passed through";
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

function Fallbacks({ of = [] }: { readonly of: Model["fallback_models"] }): ReactNode {
  if (of.length === 0) return "none";
  return (
    <ol>
      {of.map(({ model, on }) => (
        <li key={model}>
          <Link to="/models/$id" params={{ id: model }} className={textLink}>
            {model}
          </Link>
          : {on.map((condition) => CONDITIONS[condition].toLowerCase()).join(", ")}
        </li>
      ))}
    </ol>
  );
}

/** The mirror of a model compared with what its callers received, in the last 24 hours. */
function MirrorReport({ modelId }: { readonly modelId: string }): ReactNode {
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
