import type { Receipt } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import type { Progress } from "./answer.ts";

const WHILE_OPEN_MS = 300;

/** What an answer cost, when it is known: of one that was stopped, a moment later. A refused request has none. */
export function useReceipt({ requestId, endedAtMs, phase, failure }: Progress): Receipt | undefined {
  // What the gateway refuses by itself holds no credit, so that the ledger does not know it.
  const isWithout = phase === "refused" && (failure?.status ?? 0) < 500;
  const enabled = requestId !== null && endedAtMs !== null && !isWithout;
  const asked = { path: { requestId: requestId ?? "" } };
  const { data } = useLook("showReceipt", asked, { enabled });
  useLook("showReceipt", asked, { enabled: enabled && data?.state === "open", every: WHILE_OPEN_MS });
  return data?.state === "open" ? undefined : data;
}
