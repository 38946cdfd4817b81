import { nanosOf } from "../money/ledger-of.ts";
import { chatBody, chunksIn, postChat, type Reply } from "../money/post-chat.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** A reply that a client has received completely, and the charge that it states. */
export interface CompletedReply {
  readonly requestId: string;
  readonly nanos: bigint;
}

/** Calls a gateway repeatedly, alternating JSON and streams, until it is gone. Adds the completely received replies to the list. */
export async function callUntilGone(gateway: RunningGateway, key: string, model: string, completed: CompletedReply[]): Promise<void> {
  const bodies = [
    chatBody(model, { max_tokens: 10 }),
    chatBody(model, { max_tokens: 10, stream: true, stream_options: { include_usage: true } }),
  ];
  for (let calls = 0; ; calls++) {
    const reply = await postChat(gateway, key, bodies[calls % 2]!).catch(() => undefined);
    if (!reply) return;
    const charge = chargeIn(reply);
    if (charge !== undefined) completed.push({ requestId: reply.requestId, nanos: nanosOf(charge) });
    // For example on a machine that stalls: the gateway cannot verify credit.
    else if (reply.status !== 200) await Bun.sleep(100);
  }
}

/** The charge that a complete reply states; undefined if its end is missing. */
function chargeIn({ status, headers, text }: Reply): string | undefined {
  if (status !== 200) return undefined;
  if (!headers.get("content-type")?.startsWith("text/event-stream")) return headers.get("x-tollgate-cost") ?? undefined;
  if (!text.endsWith("data: [DONE]\n\n")) return undefined;
  const [receipt] = chunksIn(text).flatMap((chunk) => ("receipt" in chunk ? [chunk["receipt"] as { cost: string }] : []));
  return receipt?.cost;
}
