/** A reply that has been read completely. */
interface RefusableReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Whether the gateway replies that it cannot verify credit and rate limits. */
function isUnverified({ status, text }: Pick<RefusableReply, "status" | "text">): boolean {
  // The Messages API has 529 for it.
  return (status === 503 || status === 529) && text.includes("cannot verify");
}

/**
 * Posts again, as SDKs do, while the gateway replies that it cannot verify credit and rate limits. On a machine that stalls, processes do
 * not reply to each other in time.
 */
export async function postUntilVerified<R extends RefusableReply>(post: () => Promise<R>): Promise<R> {
  for (;;) {
    const reply = await post();
    if (!isUnverified(reply)) return reply;
    await Bun.sleep(Number(reply.headers.get("retry-after")) * 1000);
  }
}
