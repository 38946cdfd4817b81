import { dollarsOf, nanosOf } from "../../parts/dollars.ts";
import { exactMoney } from "../../parts/format.ts";
import type { Tone } from "../../parts/notice.tsx";

interface After {
  readonly words: string;
  readonly tone: Tone;
  /** Whether credit is taken away, and how much it is that is given or taken. */
  readonly takes: boolean;
  readonly amount: string;
}

/** What an amount that is being typed would make of what is available; undefined while it is none. */
export function balanceAfter(available: string, typed: string): After | undefined {
  const change = nanosOf(typed);
  if (change === undefined || change === 0n) return undefined;
  const after = nanosOf(available)! + change;
  const takes = change < 0n;
  const words = `${exactMoney(available)} is available now. It will be ${exactMoney(dollarsOf(after))}.`;
  const amount = exactMoney(dollarsOf(takes ? -change : change));
  if (after <= 0n) return { words: `${words} Requests are refused then.`, tone: "warn", takes, amount };
  return { words, tone: takes ? "warn" : "plain", takes, amount };
}
