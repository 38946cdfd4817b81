import { MODEL } from "../mock/answer.ts";
import { startJsonMock } from "../mock/json-mock.ts";
import { QUESTION } from "../question.ts";
import { jsonUpstream } from "../scenarios/json-load.ts";
import { tollgate, type RunningTollgate } from "../systems/tollgate.ts";
import { must } from "./must.ts";

/** Keys, credit and rate limits are on: without them a gateway has less work. */
export async function refusalsStillWork(): Promise<string> {
  const mock = await startJsonMock();
  const gateway = await tollgate.start(jsonUpstream(mock));
  try {
    await gateway.platform("POST", "/api/accounts", { id: "poor", name: "Poor" });
    const poor = await gateway.makeKey({ account: "poor" });
    const slow = await gateway.makeKey({ limits: { requests_per_minute: 1 } });
    await mustAnswer(gateway, "tg-no-such-key", 401);
    await mustAnswer(gateway, poor.key, 402);
    await mustAnswer(gateway, slow.key, 200);
    await mustAnswer(gateway, slow.key, 429);
    must((await mock.requests()) === 1, "a request that was refused has reached the upstream");
  } finally {
    await gateway.stop();
    await mock.stop();
  }
  return "a wrong key got 401, an account without credit 402, a key beyond its limit 429, and none of them reached the upstream";
}

async function mustAnswer(gateway: RunningTollgate, key: string, status: number): Promise<void> {
  const response = await ask(gateway, key);
  must(response.status === status, `${response.status} where ${status} was due: ${await response.text()}`);
}

export function ask({ target }: RunningTollgate, key: string, model = MODEL): Promise<Response> {
  return fetch(`http://127.0.0.1:${target.port}${target.path}`, {
    method: "POST",
    headers: { ...target.headers, authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: QUESTION, max_tokens: 100 }),
  });
}
