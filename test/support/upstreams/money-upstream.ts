import { chunk, completion, manualStream, rawEvents, startMockUpstream, TEST_PRICE, type MockUpstream } from "./mock-upstream.ts";
import type { RunningGateway } from "../gateway/start-gateway.ts";

/** Rates for every kind of tokens, some finer than a nano-dollar, and a tier. */
const FULL_PRICE = `{ input_per_million: 1, cached_input_per_million: 0.0375, cache_write_per_million: 1.25, output_per_million: 2,
      reasoning_per_million: 3, tiers: [{ above_input_tokens: 1000, input_per_million: 2, output_per_million: 4 }] }`;

/** A provider that bills the requested usage, and a config file that declares its models. */
export interface MoneyUpstream extends MockUpstream {
  readonly yaml: string;
  /** The rest of the response of the model `slow`, which has started with a word. */
  readonly slow: ReturnType<typeof manualStream>;
}

export function startMoneyUpstream(): MoneyUpstream {
  const slow = manualStream();
  const pair = Promise.withResolvers<void>();
  let waiting = 0;
  const mock = startMockUpstream({
    counted: ({ body }) => billed(body),
    // Answers after two requests have arrived, so that both have their hold by then.
    paired: async ({ body }) => {
      if (++waiting === 2) pair.resolve();
      await pair.promise;
      return billed(body);
    },
    gratis: ({ body }) => billed(body),
    broken: () => new Response("no", { status: 500 }),
    slow: ({ body }) => {
      slow.write(`data: ${chunk({ content: lastText(body) })}\n\n`);
      return rawEvents(slow.stream);
    },
  });
  const declared = [
    declare("counted", `price: ${FULL_PRICE}`),
    ...["paired", "broken", "slow"].map((id) => declare(id, `price: ${TEST_PRICE}`)),
    declare("gratis", "free: true"),
  ];
  const yaml = `upstreams: [{ id: mock, dialect: openai, base_url: "${mock.baseUrl}", allow_private: true, credential: c }]\nmodels:\n${declared.join("\n")}\n`;
  return { ...mock, yaml, slow };
}

function declare(id: string, price: string): string {
  return `  - { id: ${id}, routes: [{ upstream: mock, model: ${id} }], ${price} }`;
}

/** Reports the usage that the text of the message contains as JSON. */
function billed(body: Record<string, unknown>): Response {
  return Response.json(completion({}, { usage: JSON.parse(lastText(body)) as object }));
}

function lastText(body: Record<string, unknown>): string {
  const [{ content }] = body["messages"] as [{ content: string }];
  return content;
}

/** A message to `counted` that makes it report this many tokens. */
export function usageOf(promptTokens: number, completionTokens: number, more: object = {}): string {
  const total = promptTokens + completionTokens;
  return JSON.stringify({ prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total, ...more });
}

export function ask(
  gateway: RunningGateway,
  key: string,
  model: string,
  content: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content }], ...more }),
  });
}

export function requestIdOf(reply: Response): string {
  return reply.headers.get("x-request-id")!;
}

/** A key of a new account with credit. */
export async function fund(gateway: RunningGateway, id: string, amount = "100"): Promise<{ id: string; key: string }> {
  await gateway.platform("POST", "/api/accounts", { id, name: id });
  await gateway.platform("POST", `/api/accounts/${id}/grants`, { amount, reference: "first", reason: "for tests" });
  return gateway.platform("POST", "/api/keys", { name: id, models: ["*"], account: id });
}

export interface PlatformAnswer {
  readonly status: number;
  readonly body: Record<string, unknown> & {
    data: Record<string, unknown>[];
  };
}

/** Calls the platform API as the operator, and returns any response. */
export async function callPlatform(gateway: RunningGateway, method: string, path: string, body?: object): Promise<PlatformAnswer> {
  const headers = { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json" };
  const reply = await fetch(gateway.platformUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: reply.status, body: (await reply.json()) as PlatformAnswer["body"] };
}
