import type { Receipt } from "../../../../../platform-client/types.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import type { Progress } from "./chat-response.ts";

const POLL_MS = 300;

/**
 * A request that the gateway itself rejects reserves no credit, so it has no receipt. The error page of a proxy does not show whether there
 * is a receipt.
 */
export function isWithoutReceipt({ phase, failure }: Progress): boolean {
  return phase === "rejected" && failure !== null && failure.status < 500 && failure.code !== "unreadable";
}

/** The receipt of a response, once the request is settled. After a stop, this takes a moment. */
export function useReceipt(progress: Progress): Receipt | undefined {
  const { requestId, endedAtMs } = progress;
  const enabled = requestId !== null && endedAtMs !== null && !isWithoutReceipt(progress);
  const input = { path: { requestId: requestId ?? "" } };
  const { data } = useApiQuery("showReceipt", input, { enabled });
  useApiQuery("showReceipt", input, { enabled: enabled && data?.state === "open", every: POLL_MS });
  return data?.state === "open" ? undefined : data;
}
