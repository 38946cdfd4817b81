import { post, user, type ErrorBody, type Usage } from "../calls.ts";
import { MODEL, PLAIN_MODEL, type Check } from "../trial.ts";

/**
 * llama.cpp has additional names that override OpenAI's: `n_predict` for `max_tokens`, `n_cmpl` for `n`. A gateway that does not know them
 * would reserve the price of the lower limit, but send the higher limit to the server.
 */
const LOW = 3;
const HIGH = 60;

/** Each override is inserted into a body that begins with `"max_tokens": 3`. It is text, so that a name can occur twice or escaped. */
const OVERRIDES: readonly string[] = [
  `"n_predict":${HIGH}`,
  `"n_cmpl":3`,
  `"n":1,"n_cmpl":3`,
  `"max_completion_tokens":${LOW},"n_predict":${HIGH}`,
  `"n_predict":-1`,
  `"N_Predict":${HIGH}`,
  `"Max_Tokens":${HIGH}`,
  `"MAX_COMPLETION_TOKENS":${HIGH}`,
  `"N":3`,
  String.raw`"n\u005fpredict":${HIGH}`,
  String.raw`"max\u005ftokens":${HIGH}`,
  `"max_tokens":${HIGH}`,
];

/** `invalid_value` if a name occurs twice. */
const REJECTED_WITH = new Set<string | undefined>(["unsupported_parameter", "invalid_value"]);

function override(model: string, parameters: string): Check {
  return {
    name: `limits: "max_tokens": ${LOW} cannot be overridden by ${parameters}, ${model}`,
    async run(trial, expect) {
      const body = `{"model":"${model}","messages":${JSON.stringify(user("Tell a long story."))},"max_tokens":${LOW},${parameters}}`;
      expectRejectedOrLimited(await post(trial, body), LOW, expect);
    },
  };
}

const maxCost: Check = {
  name: "limits: x-max-cost cannot be exceeded by n_predict",
  async run(trial, expect) {
    const body = { model: MODEL, messages: user("Tell a long story."), n_predict: HIGH };
    // An output token costs 0.000002. After the price of the prompt, the remaining amount pays for fewer than HIGH tokens.
    expectRejectedOrLimited(await post(trial, body, { "x-max-cost": "0.00015" }), 30, expect);
  },
};

function expectRejectedOrLimited(reply: Awaited<ReturnType<typeof post>>, limit: number, expect: Parameters<Check["run"]>[1]): void {
  const body = JSON.parse(reply.text) as ErrorBody & { usage?: Usage; choices?: unknown[] };
  const isRejected = reply.status === 400 && REJECTED_WITH.has(body.error?.code);
  const isLimited = reply.status === 200 && body.usage!.completion_tokens <= limit && body.choices!.length === 1;
  const received = body.usage ? { choices: body.choices!.length, usage: body.usage } : { status: reply.status, ...body };
  expect.that(
    "reply",
    isRejected || isLimited,
    `400 unsupported_parameter or invalid_value, or one choice of ${limit} tokens at most`,
    received,
  );
}

export const LIMITS: readonly Check[] = [
  ...[MODEL, PLAIN_MODEL].flatMap((model) => OVERRIDES.map((parameters) => override(model, parameters))),
  maxCost,
];
