import { MODEL } from "../mock/answer.ts";
import { startJsonMock } from "../mock/json-mock.ts";
import { QUESTION } from "../question.ts";
import { jsonUpstream, warmUp } from "../scenarios/json-load.ts";
import { withSystems } from "../systems/system.ts";
import { tollgate, type RunningTollgate } from "../systems/tollgate.ts";
import { must } from "./must.ts";

const ANSWERS = 2000;

/** Responses have the bytes of the upstream, except the model name, and each is charged once by the usage of the upstream. */
export async function answersAreTheUpstreams(): Promise<string> {
  const mock = await startJsonMock();
  const body = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });
  try {
    await withSystems([tollgate], jsonUpstream(mock), async ([entrant]) => {
      await warmUp(entrant!, mock, { name: "gate", body, connections: 16, warmUp: 0 }, ANSWERS);
      await mustBeNoted(entrant!.running as RunningTollgate);
    });
  } finally {
    await mock.stop();
  }
  return `${ANSWERS} answers had the upstream's bytes except for the model's public name, and each was billed once, counted in the metrics and noted in the request log`;
}

/** The request log and the metrics are on and complete. */
async function mustBeNoted(gateway: RunningTollgate): Promise<void> {
  const counted = [...(await gateway.metrics()).matchAll(/^tollgate_requests_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
  must(counted === ANSWERS, `${counted} of ${ANSWERS} answers are in the metrics`);
  const { total } = await gateway.platform<{ total: { requests: number } }>("GET", "/api/requests/statistics");
  must(total.requests === ANSWERS, `${total.requests} of ${ANSWERS} answers are in the request log`);
}
