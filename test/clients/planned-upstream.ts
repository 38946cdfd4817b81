import { chunk, completion, events, GOOD_CHUNKS, usageChunk, USAGE, type Script } from "../support/upstreams/mock-upstream.ts";
import { priceOf } from "../money/ledger-of.ts";

/** The upstream's next step: a tool call, or text. */
export type Plan = { readonly tool: string; readonly arguments: object } | { readonly text: string };

/** An upstream that follows a plan, one step per request, and then says "Hello world". */
export class PlannedUpstream {
  #plans: Plan[] = [];

  plan(...plans: readonly Plan[]): void {
    this.#plans = [...plans];
  }

  readonly script: Script = ({ body }) => {
    const plan = this.#takeFor(body);
    if (body["stream"] !== true) return Response.json(plan ? plannedCompletion(plan) : completion());
    return events(plan ? plannedChunks(plan) : GOOD_CHUNKS);
  };

  /** The tool call is sent only to a request that offers the tool: agents send other requests too, for example for a title. */
  #takeFor(body: Record<string, unknown>): Plan | undefined {
    const [next] = this.#plans;
    const tools = (body["tools"] ?? []) as { function: { name: string } }[];
    if (next && "tool" in next && !tools.some((tool) => tool.function.name === next.tool)) return undefined;
    return this.#plans.shift();
  }
}

/** The charge for each request, in nano-dollars: every reply has the same usage. */
export const CHARGE = priceOf(USAGE.prompt_tokens, USAGE.completion_tokens, USAGE.prompt_tokens_details.cached_tokens);

function callOf(plan: { tool: string; arguments: object }): object {
  return { id: "call_planned", type: "function", function: { name: plan.tool, arguments: JSON.stringify(plan.arguments) } };
}

function plannedCompletion(plan: Plan): object {
  const message = "tool" in plan ? { content: null, tool_calls: [callOf(plan)] } : { content: plan.text };
  const choice = { index: 0, message: { role: "assistant", refusal: null, ...message }, logprobs: null };
  return completion({}, { choices: [{ ...choice, finish_reason: "tool" in plan ? "tool_calls" : "stop" }] });
}

function plannedChunks(plan: Plan): string[] {
  if ("text" in plan) return [chunk({ role: "assistant", content: "" }), chunk({ content: plan.text }), chunk({}, "stop"), usageChunk()];
  return [
    chunk({ role: "assistant", content: null }),
    chunk({ tool_calls: [{ index: 0, ...callOf(plan) }] }),
    chunk({}, "tool_calls"),
    usageChunk(),
  ];
}
