import type { Receipt } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import type { Progress } from "./chat-response.ts";

const WHILE_OPEN_MS = 300;

/** What the gateway refuses by itself holds no credit, so that the ledger does not know it. A proxy's own reply says nothing of that. */
export function isWithoutReceipt({ phase, failure }: Progress): boolean {
  return phase === "refused" && failure !== null && failure.status < 500 && failure.code !== "unreadable";
}

/** What an answer cost, when it is known: of one that was stopped, a moment later. */
export function useReceipt(progress: Progress): Receipt | undefined {
  const { requestId, endedAtMs } = progress;
  const enabled = requestId !== null && endedAtMs !== null && !isWithoutReceipt(progress);
  const asked = { path: { requestId: requestId ?? "" } };
  const { data } = useLook("showReceipt", asked, { enabled });
  useLook("showReceipt", asked, { enabled: enabled && data?.state === "open", every: WHILE_OPEN_MS });
  return data?.state === "open" ? undefined : data;
}
