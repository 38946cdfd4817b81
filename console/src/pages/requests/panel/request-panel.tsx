import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import type { LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import { IconButton } from "../../../parts/button.tsx";
import { CopyIcon } from "../../../parts/copy.tsx";
import { Fetched } from "../../../parts/states.tsx";
import { AttemptsSection } from "./attempts-section.tsx";
import { CostSection } from "./cost-section.tsx";
import type { FilterProps } from "../filters/request-search.ts";
import { MirrorSection } from "./mirror-section.tsx";
import { OutcomeBadge } from "../outcome-badge.tsx";
import { OutcomeSection } from "./outcome-section.tsx";
import { RequestActions } from "../request-actions.tsx";
import { FactsSection } from "./facts-section.tsx";
import { BodiesSection, useBodies } from "./bodies-section.tsx";
import type { ListNavigation } from "../list/use-list-navigation.ts";

interface RequestPanelProps extends FilterProps {
  readonly id: string;
  readonly navigation: ListNavigation;
}

/** The details of a request. The panel scrolls independently of the list. */
export function RequestPanel({ id, navigation, search, onSearch }: RequestPanelProps): ReactNode {
  const panel = useRef<HTMLElement>(null);
  const request = useApiQuery("showRequest", { path: { requestId: id } });
  // Moves the focus into the panel: screen readers announce the request, and Tab continues in it.
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
      {request.bodies && <BodiesSection bodies={bodies} isStream={request.stream} />}
    </div>
  );
}
