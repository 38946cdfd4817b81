import { nanosOf } from "../../parts/format/dollars.ts";
import { exactMoney } from "../../parts/format/format.ts";
import type { Entry } from "../../../../platform-client/types.ts";

export const ENTRY_KINDS: Record<Entry["kind"], string> = {
  grant: "Grant",
  adjustment: "Adjustment",
  settle: "Charge",
  release: "Release",
};

/** The entry's effect on the credit, with its sign. The API sends charges unsigned. */
export function signedAmount({ kind, amount }: Pick<Entry, "kind" | "amount">): string {
  if (kind === "release") return exactMoney("0");
  const isMinus = kind === "settle" ? nanosOf(amount) !== 0n : amount.startsWith("-");
  const text = exactMoney(amount.replace(/^-/, ""));
  return isMinus ? `−${text}` : kind === "settle" ? text : `+${text}`;
}
