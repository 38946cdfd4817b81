import { join } from "node:path";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { spawnListening } from "../support/spawn-listening.ts";
import type { CutHeard, CutOrder } from "./cut-callers.ts";
import { cutBody, planOf, type Counting, type Truth } from "./cut-plan.ts";
import type { TruthLog } from "./cut-upstream.ts";
import { endsIn, ledgerOf, openIn, priceOf, type LedgerRow } from "./ledger-of.ts";

/** A gateway between clients that disconnect and an upstream that fails, in separate processes. */
export interface Cuts {
  readonly gateway: RunningGateway;
  /** Starts clients and waits until all of them have ended. */
  run(order: Order): Promise<CutHeard[]>;
  /** The upstream's records of the streams with these seeds, after all of them have ended. */
  truths(seeds: readonly string[]): Promise<Map<string, Truth>>;
  /** How the requests for a model ended, after all of them have ended. */
  endsOf(model: string): Promise<LedgerRow[]>;
  stop(): Promise<void>;
}

export type Order = Omit<CutOrder, "baseUrl" | "key">;

export async function startCuts(models: readonly string[]): Promise<Cuts> {
  const upstream = await spawnListening(join(import.meta.dir, "cut-upstream.ts"));
  const readTruth = async (): Promise<TruthLog> => (await (await fetch(`http://127.0.0.1:${upstream.port}/truth`)).json()) as TruthLog;
  const { baseUrl } = await readTruth();
  const gateway = await startGateway({ yaml: yamlFor(baseUrl, models), env: CANCELS });
  const { key } = await gateway.makeKey();
  return {
    gateway,
    async run(order) {
      const child = Bun.spawn([process.execPath, join(import.meta.dir, "cut-callers.ts")], {
        env: { PATH: process.env["PATH"]! },
        stdin: Buffer.from(JSON.stringify({ ...order, baseUrl: gateway.baseUrl, key } satisfies CutOrder)),
        stdout: "pipe",
        stderr: "inherit",
      });
      return (await child.stdout.json()) as CutHeard[];
    },
    async truths(seeds) {
      const look = async (): Promise<[string, Truth][]> => {
        const { truths } = await readTruth();
        return seeds.flatMap((seed) => (truths[seed] ? [[seed, truths[seed]]] : []));
      };
      return new Map(await eventually(look, (truths) => truths.every(([, { end }]) => end !== "open")));
    },
    async endsOf(model) {
      let rows: LedgerRow[] = [];
      await eventually(
        () => {
          rows = ledgerOf(gateway).filter((row) => row.model === model);
          return openIn(rows).length;
        },
        (open) => open === 0,
      );
      return [...endsIn(rows).values()];
    },
    async stop() {
      await gateway.stop();
      await upstream.stop();
    },
  };
}

/** Seeds of the same length, so that all bodies have the same length. */
export function seedsOf(round: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${round} ${String(at).padStart(5, "0")}`);
}

/** The expected charge of a stream that was cut after this many chunks, computed independently. */
export interface FairCharge {
  readonly provenance: string;
  readonly prompt_tokens: bigint;
  readonly completion_tokens: bigint;
  readonly amount_nanos: bigint;
  readonly uncharged_nanos: bigint;
}

/** Computed from the upstream's running usage if it sends any; otherwise a quarter of the bytes of the request and of the text. */
export function fairCharge(seed: string, chunks: number, order: Order): FairCharge {
  const { model, stream, manner, counting } = order;
  const plan = planOf(seed, counting);
  const { tokens, textBytes } = chunks === 0 ? { tokens: 0, textBytes: 0 } : plan.chunks[chunks - 1]!;
  const body = cutBody({ model, stream, seed_text: seed, manner, counting });
  if (counting === "every" && chunks > 0) return charge("partial", plan.promptTokens, tokens);
  // If the upstream fails, an estimated prompt is not charged.
  const promptTokens = manner === "broken" ? 0 : Math.ceil(Buffer.byteLength(body) / 4);
  return charge("estimated", promptTokens, Math.ceil(textBytes / 4));
}

function charge(provenance: string, promptTokens: number, completionTokens: number): FairCharge {
  return {
    provenance,
    prompt_tokens: BigInt(promptTokens),
    completion_tokens: BigInt(completionTokens),
    amount_nanos: priceOf(promptTokens, completionTokens),
    uncharged_nanos: 0n,
  };
}

export const COUNTINGS: readonly Counting[] = ["every", "end"];

function yamlFor(baseUrl: string, models: readonly string[]): string {
  return `upstreams:
  - { id: cut, dialect: openai, base_url: "${baseUrl}", allow_private: true }
models:
${models.map((model) => `  - { id: ${model}, routes: [{ upstream: cut, model: up }], price: ${TEST_PRICE} }`).join("\n")}
`;
}
