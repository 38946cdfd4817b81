import { ERROR_CODES } from "../../requests/error-codes.ts";
import type { Failure } from "./chat-response.ts";

interface FailureDescription {
  readonly title: string;
  readonly advice: string | undefined;
}

/** Descriptions that differ between operators and members. The others are those of the request log. */
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
export function describeFailure({ code }: Pick<Failure, "code">, isOperator: boolean): FailureDescription {
  if (Object.hasOwn(OWN, code)) {
    const { title, operators, members } = OWN[code]!;
    return { title, advice: isOperator ? operators : members };
  }
  if (Object.hasOwn(ERROR_CODES, code)) return ERROR_CODES[code]!;
  return { title: "Request failed", advice: undefined };
}
