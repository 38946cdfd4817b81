import { useEffect, useState, type ReactNode } from "react";
import { useApiQuery } from "../../../platform/use-api.ts";
import { Button } from "../../../parts/button.tsx";
import { Mono } from "../../../parts/code.tsx";
import { exactMoney } from "../../../parts/format/format.ts";
import { Notice } from "../../../parts/notice.tsx";
import { useMe } from "../../../shell/me.ts";
import { Balances } from "../../requests/panel/balances.tsx";
import type { Failure, Progress } from "./chat-response.ts";
import { ERROR_CODES } from "../../requests/error-codes.ts";

interface FailureNoticeProps {
  readonly failure: Failure;
  readonly progress: Progress;
  readonly keyId: string;
  /** US dollars, once it is known. */
  readonly charged: string | null;
  readonly onRetry: () => void;
}

/** The error, its explanation and advice. */
export function FailureNotice({ failure, progress, keyId, charged, onRetry }: FailureNoticeProps): ReactNode {
  const { isOperator } = useMe();
  const { title, advice } = describeFailure(failure, isOperator);
  const isInterrupted = progress.phase === "interrupted";
  const hasStarted = progress.firstTokenAtMs !== null;
  return (
    <>
      <Notice tone="bad" title={isInterrupted && hasStarted ? `Incomplete response: ${title.toLowerCase()}` : title}>
        <p>{failure.message}</p>
        {advice && <p className="mt-1.5">{advice}</p>}
        {isInterrupted && <p className="mt-1.5">{formatCharge(charged, progress.requestId)}</p>}
        <p className="mt-1.5">
          <Mono>{failure.code}</Mono>
          {failure.param !== null && (
            <>
              {" in "}
              <Mono>{failure.param}</Mono>
            </>
          )}
        </p>
      </Notice>
      {failure.status === 402 && <KeyBalances keyId={keyId} />}
      <div>
        <Retry afterSeconds={failure.retryAfterSeconds} onRetry={onRetry} />
      </div>
    </>
  );
}

function formatCharge(charged: string | null, requestId: string | null): string {
  if (requestId === null) return "It is unknown whether the request was charged. Check the request log.";
  if (charged === null) return "The charge appears in the request log shortly.";
  return Number(charged) === 0 ? "Nothing was charged." : `${exactMoney(charged)} was charged for the partial response.`;
}

/** The current credit and spend caps of the key. */
function KeyBalances({ keyId }: { readonly keyId: string }): ReactNode {
  const { data: key } = useApiQuery("showKey", { path: { id: keyId } });
  if (!key) return null;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-ink-2">
        The key {key.name} belongs to the account {key.account}.
      </p>
      <Balances request={{ account: key.account, key: keyId }} />
    </div>
  );
}

/** Counts down the gateway's Retry-After. The user may retry earlier. */
function Retry({ afterSeconds, onRetry }: { readonly afterSeconds: number | null; readonly onRetry: () => void }): ReactNode {
  const [seconds, setSeconds] = useState(afterSeconds ?? 0);
  useEffect(() => {
    if (seconds <= 0) return;
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  return (
    <Button small onClick={onRetry}>
      {seconds > 0 ? <span className="figures">Retry (recommended in {seconds} s)</span> : "Retry"}
    </Button>
  );
}

interface FailureDescription {
  readonly title: string;
  readonly advice: string | undefined;
}

/** Descriptions that differ between operators and members. All other descriptions are shared with the request log. */
const OWN: Readonly<Record<string, { readonly title: string; readonly operators: string; readonly members: string }>> = {
  insufficient_credits: {
    title: "Insufficient credit",
    operators: "Grant credit to the account, or set a lower max tokens. The maximum cost of a response is reserved in advance.",
    members: "Ask an operator for credit, or set a lower max tokens. The maximum cost of a response is reserved in advance.",
  },
  credits_in_flight: {
    title: "Credit reserved by other requests",
    operators: "Wait until they complete, or grant more credit.",
    members: "Wait until they complete.",
  },
  budget_exceeded: {
    title: "Spend cap exceeded",
    operators: "Raise the spend cap, wait until it resets, or set a lower max tokens.",
    members: "Wait until the spend cap resets, set a lower max tokens, or ask an operator to raise it.",
  },
  connection_lost: {
    title: "Connection lost",
    operators: "The partial response may be charged. Check the request log.",
    members: "The partial response may be charged. Check the request log.",
  },
  unknown_key: {
    title: "Key not found",
    operators: "Select another key.",
    members: "Select another key.",
  },
};

/** The title and advice for an error. The code may be unknown to this page. */
function describeFailure({ code }: Pick<Failure, "code">, isOperator: boolean): FailureDescription {
  if (Object.hasOwn(OWN, code)) {
    const { title, operators, members } = OWN[code]!;
    return { title, advice: isOperator ? operators : members };
  }
  if (Object.hasOwn(ERROR_CODES, code)) return ERROR_CODES[code]!;
  return { title: "Request failed", advice: undefined };
}
