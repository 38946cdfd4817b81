import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { Badge } from "../../../parts/badge.tsx";
import { count, duration, endpointLabel, exactMoney, moment } from "../../../parts/format/format.ts";
import { textLink } from "../../../parts/text-link.ts";
import { fieldsOf } from "../../../platform/json.ts";
import { OUTCOME_LABELS } from "../format-outcome.ts";

type Fact = readonly [name: string, of: (request: LoggedRequestInFull) => string | null | undefined];

const ms = (value: number | null): string | null => (value === null ? null : duration(value));
const tokens = (value: unknown): string | null => (typeof value === "number" ? count(value) : null);

const FACTS: readonly Fact[] = [
  ["Outcome", ({ status, outcome, code }) => [status, OUTCOME_LABELS[outcome], code].filter((part) => part !== null).join(" ")],
  ["Model", ({ model }) => model],
  ["Upstream", ({ upstream, from_cache: isFromCache }) => (isFromCache ? "none (cache hit)" : upstream)],
  ["Key", ({ key, key_name: name }) => name ?? key],
  ["Account", ({ account }) => account],
  ["Endpoint", ({ endpoint }) => endpointLabel(endpoint)],
  ["Response", ({ stream }) => (stream ? "stream" : "JSON")],
  ["Attempts", ({ attempts }) => count(attempts)],
  ["Started", ({ started_at: at }) => moment(at)],
  ["Duration", ({ duration_ms: value }) => ms(value)],
  ["Time to first token", ({ first_token_ms: value }) => ms(value)],
  ["Input tokens", ({ usage }) => tokens(usage?.prompt_tokens)],
  ["Cached input tokens", ({ usage }) => tokens(fieldsOf(usage?.prompt_tokens_details)["cached_tokens"])],
  ["Output tokens", ({ usage }) => tokens(usage?.completion_tokens)],
  ["Reasoning tokens", ({ usage }) => tokens(fieldsOf(usage?.completion_tokens_details)["reasoning_tokens"])],
  ["Cost", ({ cost }) => (cost === null ? null : exactMoney(cost))],
];

interface ComparedProps {
  readonly left: LoggedRequestInFull;
  readonly right: LoggedRequestInFull;
}

/** Outcome, latency, usage and cost of two requests. */
export function ComparedFacts({ left, right }: ComparedProps): ReactNode {
  const rows = FACTS.map(([name, of]) => [name, of(left), of(right)] as const).filter(([, a, b]) => a != null || b != null);
  return (
    <table aria-label="Facts" className="w-full text-left max-sm:block">
      <thead className="max-sm:block max-sm:py-1.5">
        <tr className="max-sm:block">
          <th scope="col" className="px-4 py-1.5 align-top font-medium text-ink-3 max-sm:hidden">
            Field
          </th>
          <th scope="col" className={CELL}>
            <RequestLink id={left.request_id} />
          </th>
          <th scope="col" className={CELL}>
            <RequestLink id={right.request_id} />
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map(([name, a, b]) => (
          <tr key={name} className="border-t border-line max-sm:block max-sm:py-1.5">
            <th scope="row" className={`${CELL} font-normal text-ink-3`}>
              {name} {a !== b && name !== "Started" && <Badge tone="warn">differs</Badge>}
            </th>
            <td className={`${CELL} figures`}>{a ?? "–"}</td>
            <td className={`${CELL} figures`}>{b ?? "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const CELL = "px-4 py-1.5 align-top wrap-anywhere max-sm:block max-sm:py-0.5";

function RequestLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link to="/requests/$id" params={{ id }} className={`${textLink} font-mono text-sm font-normal wrap-anywhere`}>
      {id}
    </Link>
  );
}
