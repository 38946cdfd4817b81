import { dollarsOf, priceOf } from "../money/ledger-of.ts";
import { chatBody } from "../money/post-chat.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";

const MAX_TOKENS = 100;

/** A request whose charge is equal to its hold, if `billInFull` answers it. */
export function bodyFor(model: string): string {
  return chatBody(model, { max_tokens: MAX_TOKENS });
}

/** The hold of `bodyFor`, and its charge. */
export function holdOf(model: string): bigint {
  return priceOf(Buffer.byteLength(bodyFor(model)), MAX_TOKENS);
}

/** The response of an upstream to `bodyFor`. */
export function billInFull({ body }: RecordedRequest): Response {
  const prompt = Buffer.byteLength(bodyFor(String(body["model"]).slice("up-".length)));
  const usage = { prompt_tokens: prompt, completion_tokens: MAX_TOKENS, total_tokens: prompt + MAX_TOKENS };
  return Response.json(completion({}, { usage }));
}

/** Creates a key of a new account with this much credit. */
export async function createKey(gateway: RunningGateway, account: string, nanos: bigint, more: object = {}): Promise<CreatedKey> {
  await gateway.platform("POST", "/api/accounts", { id: account, name: account });
  await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: dollarsOf(nanos), reference: "grant", reason: "for tests" });
  return gateway.platform("POST", "/api/keys", { name: account, models: ["*"], account, ...more });
}

export interface CreatedKey {
  readonly id: string;
  readonly key: string;
}
