import { ERROR_CODES } from "../requests/error-codes.ts";
import type { Failure } from "./chat-response.ts";

interface FailureWords {
  readonly title: string;
  readonly advice: string | undefined;
}

/** Where it differs for whoever asks here. The rest is told as in the request log. */
const OWN: Readonly<Record<string, { readonly title: string; readonly operators: string; readonly members: string }>> = {
  insufficient_credits: {
    title: "The account has not enough credit",
    operators: "Grant credit to the account, or set a lower max tokens: the most that an answer can cost is set aside before it begins.",
    members: "Ask an operator for credit, or set a lower max tokens: the most that an answer can cost is set aside before it begins.",
  },
  credits_in_flight: {
    title: "The credit is held by other requests",
    operators: "Wait until they have ended, or grant more credit.",
    members: "Wait until they have ended.",
  },
  budget_exceeded: {
    title: "A cap is used up",
    operators: "Raise the cap, wait until it begins anew, or set a lower max tokens.",
    members: "Wait until it begins anew, set a lower max tokens, or ask an operator to raise it.",
  },
  connection_lost: {
    title: "The connection was lost",
    operators: "What had come until then may be charged: the request log knows.",
    members: "What had come until then may be charged: the request log knows.",
  },
  unknown_key: {
    title: "The key is not there",
    operators: "Choose another key.",
    members: "Choose another key.",
  },
};

/** What a failure means, and what to do about it. The code may be one that this page does not know. */
export function explainFailure({ code }: Pick<Failure, "code">, isOperator: boolean): FailureWords {
  if (Object.hasOwn(OWN, code)) {
    const { title, operators, members } = OWN[code]!;
    return { title, advice: isOperator ? operators : members };
  }
  if (Object.hasOwn(ERROR_CODES, code)) return ERROR_CODES[code]!;
  return { title: "It did not work", advice: undefined };
}
