import { MODEL } from "../mock/answer.ts";
import { startJsonMock } from "../mock/json-mock.ts";
import { QUESTION } from "../question.ts";
import { jsonUpstream, warmUp } from "../scenarios/json-load.ts";
import { withSystems } from "../systems/system.ts";
import { tollgate } from "../systems/tollgate.ts";

const ANSWERS = 2000;

/** The upstream's bytes, but for the model's public name; and each billed once, with the tokens that the upstream told. */
export async function answersAreTheUpstreams(): Promise<string> {
  const mock = await startJsonMock();
  const body = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });
  try {
    await withSystems([tollgate], jsonUpstream(mock), ([entrant]) =>
      warmUp(entrant!, mock, { name: "gate", body, connections: 16, warmUp: 0 }, ANSWERS),
    );
  } finally {
    await mock.stop();
  }
  return `${ANSWERS} answers had the upstream's bytes but for the model's public name, and each was billed once`;
}
