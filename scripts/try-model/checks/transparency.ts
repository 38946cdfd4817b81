import { post, user } from "../calls.ts";
import { MODEL, type Check, type Trial } from "../trial.ts";

/**
 * With a seed and without randomness, the response is the same each time. The prompt cache is off, because its hits change the last digits.
 */
const REPEATABLE = { messages: user("Count to nine."), max_tokens: 8, temperature: 0, seed: 7, cache_prompt: false };

const TOOL = { type: "function", function: { name: "count", parameters: { type: "object", properties: { to: { type: "integer" } } } } };

const SCHEMA = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"], additionalProperties: false };

/** Fields that a client may add to the request. */
const ADDITIONS: Readonly<Record<string, object>> = {
  "nothing more": {},
  stop: { stop: ["count"] },
  logprobs: { logprobs: true, top_logprobs: 2 },
  tools: { tools: [TOOL], tool_choice: "auto" },
  "a forced tool": { tools: [TOOL], tool_choice: "required" },
  "a JSON schema": { response_format: { type: "json_schema", json_schema: { name: "sum", strict: true, schema: SCHEMA } } },
  grammar: { grammar: 'root ::= "yes" | "no"' },
  "a system message": { messages: [{ role: "system", content: "Be brief." }, ...REPEATABLE.messages] },
  "text parts": { messages: [{ role: "user", content: [{ type: "text", text: "Count to nine." }] }] },
  "an empty message": { messages: user("") },
};

function sameAsDirect([what, addition]: [string, object]): Check {
  return {
    name: `the same answer as without a gateway: ${what}`,
    async run(trial, expect) {
      const request = { ...REPEATABLE, ...addition };
      expect.equal("choices", await throughGateway(trial, request), await direct(trial, request));
    },
  };
}

async function throughGateway(trial: Trial, request: object): Promise<unknown> {
  return choicesIn(await post(trial, { model: MODEL, ...request }).then(({ text }) => text));
}

async function direct({ server }: Trial, request: object): Promise<unknown> {
  const response = await fetch(`${server.baseUrl}/chat/completions`, { method: "POST", body: JSON.stringify(request) });
  return choicesIn(await response.text());
}

function choicesIn(text: string): unknown {
  const body = JSON.parse(text) as { choices?: unknown };
  return body.choices ?? body;
}

export const TRANSPARENCY: readonly Check[] = Object.entries(ADDITIONS).map(sameAsDirect);
