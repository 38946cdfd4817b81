import { expect } from "bun:test";
import { creditIn, dollarsOf, endsIn, type LedgerRow } from "../money/ledger-of.ts";
import { postChat, type Reply } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import type { Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import type { MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { bodyFor, createKey, holdOf } from "./billed-in-full.ts";
import { settledLedger } from "./cluster-ledger.ts";

const REQUESTS = 200;
const AFFORDABLE = 10;

/**
 * Sends 200 parallel requests to all gateways, with credit for 10 of them; `onLine` of these 10 are on the credit line. Exactly 10 must be
 * served and charged, and the ledger must add up.
 */
export async function spendAllCredit(cluster: Cluster, upstream: MockUpstream, model: string, onLine = 0): Promise<void> {
  const { gateways } = cluster;
  const [first] = gateways as [RunningGateway];
  const lineNanos = holdOf(model) * BigInt(onLine);
  const { key } = await createKey(first, "poor", holdOf(model) * BigInt(AFFORDABLE) - lineNanos);
  if (onLine > 0) await first.platform("PATCH", "/api/accounts/poor", { credit_line: dollarsOf(lineNanos) });
  const before = upstream.requests.length;
  const sending = Array.from({ length: REQUESTS }, (_, index) => postUntilDecided(gateways[index % gateways.length]!, key, bodyFor(model)));
  const outcomes = Map.groupBy(await Promise.all(sending), ({ status, code }) => `${status} ${code ?? ""}`.trim());
  expect(Object.fromEntries([...outcomes].map(([outcome, { length }]) => [outcome, length]))).toEqual({
    "200": AFFORDABLE,
    "402 insufficient_credits": REQUESTS - AFFORDABLE,
  });
  expect(upstream.requests.length - before).toBe(AFFORDABLE);
  const rows = await eventually(
    () => settledLedger(cluster),
    (all) => ofPoor(all).filter(({ kind }) => kind === "settle").length >= AFFORDABLE,
  );
  endsIn(rows);
  expect(creditIn(ofPoor(rows))).toBe(-lineNanos);
  expect(await first.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
}

function ofPoor(rows: readonly LedgerRow[]): LedgerRow[] {
  return rows.filter(({ account_id: account }) => account === "poor");
}

/** Sends a request again while requests in flight hold the credit. */
async function postUntilDecided(gateway: RunningGateway, key: string, body: string): Promise<Reply> {
  for (;;) {
    const reply = await postUntilVerified(() => postChat(gateway, key, body));
    if (reply.code !== "credits_in_flight") return reply;
    await Bun.sleep(Number(reply.headers.get("retry-after")) * 1000);
  }
}
