import { USAGE } from "../mock/answer.ts";
import type { RunningTollgate } from "../systems/tollgate.ts";

/** A check that a run stands and falls with. */
export class GateFailure extends Error {}

export interface Billed {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

interface UsageReport {
  readonly total: { readonly requests: number; readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** What the ledger has charged so far. */
export async function billedBy(gateway: RunningTollgate): Promise<Billed> {
  const { total } = await gateway.platform<UsageReport>("GET", "/api/usage");
  return { requests: total.requests, promptTokens: total.prompt_tokens, completionTokens: total.completion_tokens };
}

/** Throws unless exactly so many answers were charged, each with the tokens that the upstream told. */
export function mustBeBilled(before: Billed, after: Billed, answers: number): void {
  const expected = { requests: answers, promptTokens: answers * USAGE.prompt_tokens, completionTokens: answers * USAGE.completion_tokens };
  const found = difference(before, after);
  if (!Bun.deepEquals(found, expected)) throw new GateFailure(`billed ${JSON.stringify(found)}, issued ${JSON.stringify(expected)}`);
}

/**
 * Load that ends by the clock leaves requests under way, at most one for each connection. So what is charged is at least what the
 * callers have seen, and at most what the upstream was asked for.
 */
export function mustBeBilledBetween(before: Billed, after: Billed, seen: number, asked: number): void {
  const { completionTokens } = difference(before, after);
  const [least, most] = [seen * USAGE.completion_tokens, asked * USAGE.completion_tokens];
  if (completionTokens < least || completionTokens > most)
    throw new GateFailure(`billed ${completionTokens} tokens of answers; callers have seen ${least}, and the upstream has issued ${most}`);
}

function difference(before: Billed, after: Billed): Billed {
  return {
    requests: after.requests - before.requests,
    promptTokens: after.promptTokens - before.promptTokens,
    completionTokens: after.completionTokens - before.completionTokens,
  };
}
