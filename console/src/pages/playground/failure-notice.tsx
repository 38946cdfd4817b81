import { useEffect, useState, type ReactNode } from "react";
import { useLook } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { exactMoney } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { useMe } from "../../shell/me.ts";
import { Balances } from "../requests/balances.tsx";
import type { Failure, Progress } from "./chat-response.ts";
import { explainFailure } from "./format-failure.ts";

interface FailureNoticeProps {
  readonly failure: Failure;
  readonly progress: Progress;
  readonly keyId: string;
  /** Dollars, when it is known. */
  readonly charged: string | null;
  readonly onRetry: () => void;
}

/** What went wrong, what it means, and what to do about it. */
export function FailureNotice({ failure, progress, keyId, charged, onRetry }: FailureNoticeProps): ReactNode {
  const { isOperator } = useMe();
  const { title, advice } = explainFailure(failure, isOperator);
  const isBroken = progress.phase === "broken";
  const hasBegun = progress.firstTokenAtMs !== null;
  return (
    <>
      <Notice tone="bad" title={isBroken && hasBegun ? `The answer is incomplete: ${title.toLowerCase()}` : title}>
        <p>{failure.message}</p>
        {advice && <p className="mt-1.5">{advice}</p>}
        {isBroken && <p className="mt-1.5">{chargedInWords(charged, progress.requestId)}</p>}
        <p className="mt-1.5">
          <Mono>{failure.code}</Mono>
          {failure.param !== null && (
            <>
              {" at "}
              <Mono>{failure.param}</Mono>
            </>
          )}
        </p>
      </Notice>
      {failure.status === 402 && <WhoPays keyId={keyId} />}
      <div>
        <Retry afterSeconds={failure.retryAfterSeconds} onRetry={onRetry} />
      </div>
    </>
  );
}

function chargedInWords(charged: string | null, requestId: string | null): string {
  if (requestId === null) return "It is not known whether it was charged: the request log has it, if it has arrived.";
  if (charged === null) return "What was charged for it is in the request, in a moment.";
  return Number(charged) === 0 ? "Nothing was charged for it." : `${exactMoney(charged)} was charged, for what had come until then.`;
}

/** Whose credit, and which caps, as they stand. */
function WhoPays({ keyId }: { readonly keyId: string }): ReactNode {
  const { data: key } = useLook("showKey", { path: { id: keyId } });
  if (!key) return null;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-ink-2">
        The key {key.name} belongs to the account {key.account}. This is what pays for it:
      </p>
      <Balances request={{ account: key.account, key: keyId }} />
    </div>
  );
}

/** Counts down what the gateway says to wait. It only advises: one may try before. */
function Retry({ afterSeconds, onRetry }: { readonly afterSeconds: number | null; readonly onRetry: () => void }): ReactNode {
  const [left, setLeft] = useState(afterSeconds ?? 0);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <Button small onClick={onRetry}>
      {left > 0 ? <span className="figures">Try again (better in {left} s)</span> : "Try again"}
    </Button>
  );
}
