import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../platform/interface.ts";
import { Notice } from "../../parts/notice.tsx";
import { OUTCOME_TONES } from "./outcome-badge.tsx";
import { explain } from "./format-outcome.ts";
import { Purses } from "./balances.tsx";

/** What became of it, and what to do about it. */
export function OutcomeSection({ request, children }: { readonly request: LoggedRequestInFull; readonly children: ReactNode }): ReactNode {
  const { title, what, advice } = explain(request);
  return (
    <section className="flex flex-col gap-3 px-4 py-3.5">
      <h3 className="sr-only">Outcome</h3>
      <Notice tone={OUTCOME_TONES[request.outcome]} title={title}>
        <p>{what}</p>
        {request.detail && <p className="mt-1.5">{inQuotes(request)}</p>}
        {advice && <p className="mt-1.5">{advice}</p>}
        {request.code && <p className="mt-1.5 font-mono text-sm">{request.code}</p>}
      </Notice>
      {request.status === 402 && <Purses request={request} />}
      {children}
    </section>
  );
}

/** Of credit, budgets, limits and models the caller was told this. Else it is what upstreams or the gateway said to operators. */
function inQuotes({ status, code, attempts, detail }: LoggedRequestInFull): string {
  const wasTold = status === 402 || (attempts === 0 && (status === 429 || code === "model_not_allowed"));
  return `${wasTold ? "The caller was told" : "What happened"}: “${detail}”`;
}
