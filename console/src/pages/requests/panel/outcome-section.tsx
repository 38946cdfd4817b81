import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { DocsLink } from "../../../parts/docs-link.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { OUTCOME_TONES } from "../outcome-badge.tsx";
import { describeOutcome } from "../format-outcome.ts";
import { Balances } from "./balances.tsx";

/** The outcome of a request, with advice. */
export function OutcomeSection({ request, children }: { readonly request: LoggedRequestInFull; readonly children: ReactNode }): ReactNode {
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

/** For credit, spend caps, limits and models, the detail is the message that the client received. Otherwise it is for operators. */
function quoteDetail({ status, code, attempts, detail }: LoggedRequestInFull): string {
  const isClientMessage = status === 402 || (attempts === 0 && (status === 429 || code === "model_not_allowed"));
  return `${isClientMessage ? "Message to the client" : "Details"}: “${detail}”`;
}
