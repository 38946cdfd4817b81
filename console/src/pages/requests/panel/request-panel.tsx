import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import type { LoggedRequestInFull, ComparedResponse } from "../../../../../platform-client/types.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import { IconButton } from "../../../parts/button.tsx";
import { CopyIcon } from "../../../parts/copy.tsx";
import { Fetched } from "../../../parts/states.tsx";
import { AttemptsSection } from "./attempts-section.tsx";
import { CostSection } from "./cost-section.tsx";
import type { FilterProps } from "../filters/request-search.ts";
import { OutcomeBadge, OUTCOME_TONES } from "../outcome-badge.tsx";
import { RequestActions } from "../request-actions.tsx";
import { FactsSection } from "./facts-section.tsx";
import { BodiesSection, useBodies } from "./bodies-section.tsx";
import type { ListNavigation } from "../list/use-list-navigation.ts";
import { DocsLink } from "../../../parts/docs-link.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { describeOutcome } from "../format-outcome.ts";
import { Balances } from "./balances.tsx";
import { count, duration } from "../../../parts/format/format.ts";
import { PanelSection } from "./panel-section.tsx";

interface RequestPanelProps extends FilterProps {
  readonly id: string;
  readonly navigation: ListNavigation;
}

/** The details of a request. The panel scrolls independently of the list. */
export function RequestPanel({ id, navigation, search, onSearch }: RequestPanelProps): ReactNode {
  const panel = useRef<HTMLElement>(null);
  const request = useApiQuery("showRequest", { path: { requestId: id } });
  // Moves the focus into the panel: screen readers announce the request, and Tab continues there.
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollTo({ top: 0 });
  }, [id]);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={`Request ${id}`}
      className="card min-w-0 outline-none xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:self-start xl:overflow-y-auto"
    >
      <PanelHead id={id} navigation={navigation} badge={request.data && <OutcomeBadge request={request.data} />} />
      <Fetched of={request} lines={8}>
        {(data) => <Details key={data.request_id} request={data} search={search} onSearch={onSearch} />}
      </Fetched>
    </section>
  );
}

function PanelHead({
  id,
  navigation,
  badge,
}: {
  readonly id: string;
  readonly navigation: ListNavigation;
  readonly badge: ReactNode;
}): ReactNode {
  return (
    <header className="sticky top-0 z-10 flex items-center gap-2 border-b border-line bg-surface py-2 pr-2 pl-4 max-lg:top-12">
      {badge}
      <h2 className="min-w-0 truncate font-mono text-sm" title={id}>
        {id}
      </h2>
      <CopyIcon text={id} label="Copy the request ID" />
      <div className="ml-auto flex">
        <IconButton small label="Previous request (K)" disabled={!navigation.canMove(-1)} onClick={() => navigation.move(-1)}>
          <ArrowUp size={16} aria-hidden />
        </IconButton>
        <IconButton small label="Next request (J)" disabled={!navigation.canMove(1)} onClick={() => navigation.move(1)}>
          <ArrowDown size={16} aria-hidden />
        </IconButton>
        <IconButton small label="Close (Esc)" onClick={navigation.close}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
    </header>
  );
}

function Details({ request, ...filters }: FilterProps & { readonly request: LoggedRequestInFull }): ReactNode {
  const bodies = useBodies(request.request_id);
  return (
    <div className="divide-y divide-line">
      <OutcomeSection request={request}>
        <RequestActions request={request} bodies={bodies} {...filters} />
      </OutcomeSection>
      <FactsSection request={request} />
      {request.all_attempts && request.all_attempts.length > 0 && <AttemptsSection request={request} attempts={request.all_attempts} />}
      {request.mirror && <MirrorSection compared={request.mirror} />}
      <CostSection request={request} />
      {request.bodies && <BodiesSection bodies={bodies} request={request} />}
    </div>
  );
}

/** The outcome of a request, with advice. */
function OutcomeSection({ request, children }: { readonly request: LoggedRequestInFull; readonly children: ReactNode }): ReactNode {
  const { title, description, advice } = describeOutcome(request);
  return (
    <section className="flex flex-col gap-3 px-4 py-3.5">
      <h3 className="sr-only">Outcome</h3>
      <Notice tone={OUTCOME_TONES[request.outcome]} title={title}>
        <p>{description}</p>
        {request.detail && <p className="mt-1.5">{quoteDetail(request)}</p>}
        {advice && <p className="mt-1.5">{advice}</p>}
        {request.code && (
          <p className="mt-1.5">
            <DocsLink to="errors#error-codes" className="font-mono text-sm underline underline-offset-2">
              {request.code}
            </DocsLink>
          </p>
        )}
      </Notice>
      {request.status === 402 && <Balances request={request} />}
      {children}
    </section>
  );
}

/**
 * For credit, spend caps, limits and models, the detail is the message that the client received. Other details are shown to operators only.
 */
function quoteDetail({ status, code, attempts, detail }: LoggedRequestInFull): string {
  const isClientMessage = status === 402 || (attempts === 0 && (status === 429 || code === "model_not_allowed"));
  return `${isClientMessage ? "Message to the client" : "Details"}: “${detail}”`;
}

type Row = readonly [label: string, show: (response: ComparedResponse) => string | null];

const ROWS: readonly Row[] = [
  ["Status", ({ status }) => String(status)],
  ["Finish reason", (response) => response.finish_reason],
  ["Prompt tokens", (response) => inCountOrNull(response.prompt_tokens)],
  ["Completion tokens", (response) => inCountOrNull(response.completion_tokens)],
  ["Time to first byte", (response) => (response.first_byte_ms === null ? null : duration(response.first_byte_ms))],
  ["Duration", (response) => duration(response.duration_ms)],
];

/** The mirror's result, compared with what the caller received. */
function MirrorSection({ compared }: { readonly compared: NonNullable<LoggedRequestInFull["mirror"]> }): ReactNode {
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
