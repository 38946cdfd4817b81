import { definedIn, literal, pythonQuoted, stacked, type Notation } from "./literals.ts";
import type { SnippetCall } from "./snippet-call.ts";

const NOTATION: Notation = {
  nothing: "None",
  yes: "True",
  no: "False",
  text: pythonQuoted,
  key: pythonQuoted,
  lastComma: ",",
  padding: "",
  step: "    ",
};

/** The keyword arguments of `create` in the openai package. It rejects any other, so other parameters go into `extra_body`. */
const NAMED = new Set(
  (
    "model messages audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata " +
    "modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort response_format safety_identifier " +
    "seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity"
  ).split(" "),
);

export function pythonSnippet({ baseUrl, key, body }: SnippetCall): string {
  const client = [`base_url=${pythonQuoted(baseUrl)}`, ...(key === null ? [] : [`api_key=${pythonQuoted(key)}`])];
  return `from openai import OpenAI

client = OpenAI(${client.length > 1 ? stacked(client, NOTATION) : client[0]!})

${body["stream"] === true ? streamed(body) : whole(body)}`;
}

function whole(body: SnippetCall["body"]): string {
  return `completion = client.chat.completions.create(${argumentsOf(body)})
print(completion.choices[0].message.content)`;
}

function streamed(body: SnippetCall["body"]): string {
  return `stream = client.chat.completions.create(${argumentsOf(body)})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
print()`;
}

function argumentsOf(body: SnippetCall["body"]): string {
  const given = definedIn(body);
  const others = given.filter(([name]) => !NAMED.has(name));
  const named = given.filter(([name]) => NAMED.has(name)).map(([name, value]) => `${name}=${literal(value, NOTATION, "    ")}`);
  const all = others.length === 0 ? named : [...named, `extra_body=${literal(Object.fromEntries(others), NOTATION, "    ")}`];
  return stacked(all, NOTATION);
}
