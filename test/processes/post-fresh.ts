import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { replyOf, type Reply } from "../money/post-chat.ts";

/** Posts a chat completion on a new connection: the kernel chooses the process that accepts it. */
export function postFresh(
  { baseUrl }: Pick<RunningGateway, "baseUrl">,
  key: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return postUntilVerified(async () => {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close", ...headers },
      body,
      keepalive: false,
    });
    return replyOf(response);
  });
}

/** Sends this many requests at once, and returns the replies. */
export function postMany(gateway: Pick<RunningGateway, "baseUrl">, count: number, key: string, body: string): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, () => postFresh(gateway, key, body)));
}
