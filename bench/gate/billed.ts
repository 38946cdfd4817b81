import { USAGE } from "../mock/answer.ts";
import type { RunningTollgate } from "../systems/tollgate.ts";
import { must } from "./must.ts";

export interface BilledUsage {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

interface UsageReport {
  readonly total: { readonly requests: number; readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** The charges in the ledger so far. */
export async function billedBy(gateway: RunningTollgate): Promise<BilledUsage> {
  const { total } = await gateway.platform<UsageReport>("GET", "/api/usage");
  return { requests: total.requests, promptTokens: total.prompt_tokens, completionTokens: total.completion_tokens };
}

/** Charges of gateway processes reach the ledger in batches: while a batch is in flight, more charges will arrive. */
const BATCHES_MS = 5000;

/**
 * The charges in the ledger, once there are at least this many more requests than before. Requests that are missing after some seconds are
 * lost.
 */
export async function billedOnceThere(gateway: RunningTollgate, before: BilledUsage, requests: number): Promise<BilledUsage> {
  for (const deadline = Date.now() + BATCHES_MS; ; await Bun.sleep(20)) {
    const after = await billedBy(gateway);
    if (after.requests - before.requests >= requests || Date.now() > deadline) return after;
  }
}

/** Throws unless exactly this many responses were charged, each by the usage of the upstream. */
export function mustBeBilled(before: BilledUsage, after: BilledUsage, answers: number): void {
  mustBeTokens(before, after, answers, answers * USAGE.prompt_tokens, answers * USAGE.completion_tokens);
}

export function mustBeTokens(
  before: BilledUsage,
  after: BilledUsage,
  requests: number,
  promptTokens: number,
  completionTokens: number,
): void {
  const [expected, found] = [{ requests, promptTokens, completionTokens }, difference(before, after)];
  must(Bun.deepEquals(found, expected), `billed ${JSON.stringify(found)}, issued ${JSON.stringify(expected)}`);
}

/**
 * Load that ends after a time leaves requests in flight, at most one per connection. So the number of charged requests is between the number
 * that the clients have seen and the number that the upstream has received.
 */
export function mustBeBilledBetween(before: BilledUsage, after: BilledUsage, seen: number, asked: number): void {
  const { completionTokens } = difference(before, after);
  const [least, most] = [seen * USAGE.completion_tokens, asked * USAGE.completion_tokens];
  must(
    completionTokens >= least && completionTokens <= most,
    `billed ${completionTokens} tokens of answers; callers have seen ${least}, and the upstream has issued ${most}`,
  );
}

function difference(before: BilledUsage, after: BilledUsage): BilledUsage {
  return {
    requests: after.requests - before.requests,
    promptTokens: after.promptTokens - before.promptTokens,
    completionTokens: after.completionTokens - before.completionTokens,
  };
}
