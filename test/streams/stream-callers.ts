/**
 * Many concurrent clients in a separate process, because `bun test` allows no more than 256 concurrent requests. Reads its order as JSON
 * from its first argument and prints one line of JSON with the results.
 */
import { expectedAtCaller, seededRandom } from "./seeded-stream.ts";

export interface CallersOrder {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly seeds: readonly string[];
  /** Whether to read each stream to its end, or to disconnect mid-stream. */
  readonly manner: "read" | "cut";
}

export interface CallersReport {
  /** Streams that were as expected: complete and identical in every byte, or identical up to the cut. */
  readonly right: number;
  /** A few of the other streams, as received and as expected. */
  readonly wrong: readonly { readonly arrived: string; readonly expected: string }[];
}

interface Outcome {
  readonly arrived: Buffer;
  readonly expected: Buffer;
}

async function readWhole(seed: string, order: CallersOrder): Promise<Outcome> {
  const includeUsage = seededRandom(`usage ${seed}`)() < 0.5;
  const response = await call(seed, includeUsage, order);
  const text = withoutKeepAlive(await response.text());
  const arrived = includeUsage ? withoutReceipt(text) : text;
  return { arrived: Buffer.from(arrived), expected: expectedAtCaller(seed, order.model, includeUsage) };
}

/** The gateway sends a comment after 15 s of silence, which a stalled machine may cause. */
function withoutKeepAlive(text: string): string {
  return text.replaceAll(": keep-alive\n\n", "");
}

/** The gateway adds the receipt in the last chunk; every other byte is the upstream's. */
function withoutReceipt(text: string): string {
  return text.replace(/"receipt":\{"request_id":"req_[-0-9a-f]+","cost":"[.0-9]+",[^}]+\},/, "");
}

/** Disconnects after a number of bytes determined by the seed: anywhere from the first to well before the last. */
async function readAndCut(seed: string, order: CallersOrder): Promise<Outcome> {
  const leaving = new AbortController();
  const response = await call(seed, false, order, leaving.signal);
  const expected = expectedAtCaller(seed, order.model, false);
  const enough = Math.ceil(seededRandom(`leave ${seed}`)() * 0.5 * expected.length);
  let arrived = Buffer.alloc(0);
  const reader = response.body!.getReader();
  while (arrived.length < enough) {
    const { value } = await reader.read();
    if (!value) break;
    arrived = Buffer.from(withoutKeepAlive(Buffer.concat([arrived, value]).toString("latin1")), "latin1");
  }
  leaving.abort();
  return { arrived, expected: expected.subarray(0, Math.max(enough, arrived.length)) };
}

/** Each call has a new connection that ends with it. */
function call(seed: string, includeUsage: boolean, order: CallersOrder, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${order.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${order.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: order.model,
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      ...(includeUsage ? { stream_options: { include_usage: true } } : {}),
      seed_text: seed,
    }),
    keepalive: false,
    signal,
  });
}

function report(outcomes: readonly Outcome[]): CallersReport {
  const wrong = outcomes.filter(({ arrived, expected }) => !arrived.equals(expected));
  return {
    right: outcomes.length - wrong.length,
    wrong: wrong.slice(0, 3).map(({ arrived, expected }) => ({ arrived: arrived.toString(), expected: expected.toString() })),
  };
}

if (import.meta.main) {
  const order = JSON.parse(process.argv[2]!) as CallersOrder;
  const one = order.manner === "read" ? readWhole : readAndCut;
  const outcomes = await Promise.all(order.seeds.map((seed) => one(seed, order)));
  process.stdout.write(`${JSON.stringify(report(outcomes))}\n`);
}
