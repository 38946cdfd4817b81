import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { endsIn, ledgerOf, openIn } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";
import { spawnListening, type ListeningProcess } from "../support/spawn-listening.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { frameStream, RECORDED_RESPONSES, type RecordedDialect } from "./recorded-responses.ts";

/** Upstreams that end a stream anywhere, behind the endpoints of other formats. `disconnect-at-every-byte.test.ts` has the details. */

const CONCURRENCY = 50;
/** The distance in bytes between two cuts. */
const STEP = isLong ? 1 : 17;
const DIALECTS = Object.keys(RECORDED_RESPONSES) as RecordedDialect[];

let upstream: ListeningProcess;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = await spawnListening(join(import.meta.dir, "disconnecting-upstream.ts"));
  const upstreams = DIALECTS.map(
    (dialect) =>
      `  - { id: ${dialect}, dialect: ${dialect}, base_url: "http://127.0.0.1:${upstream.port}/${dialect}/parts/v1", allow_private: true }`,
  );
  const models = DIALECTS.map((id) => `  - { id: ${id}, routes: [{ upstream: ${id}, model: m }], price: ${TEST_PRICE} }`);
  const yaml = `endpoints: [messages, responses]\nupstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n`;
  gateway = await startGateway({ yaml });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

interface CutEndpoint {
  readonly path: string;
  readonly bodyFor: (prompt: string) => object;
  readonly complete: string;
  readonly failed: string;
}

const ENDPOINTS: readonly CutEndpoint[] = [
  {
    path: "/messages",
    bodyFor: (prompt) => ({ max_tokens: 100, messages: [{ role: "user", content: prompt }] }),
    complete: "message_stop",
    failed: "error",
  },
  {
    path: "/responses",
    bodyFor: (prompt) => ({ max_output_tokens: 100, input: prompt }),
    complete: "response.completed",
    failed: "response.failed",
  },
];

interface CutReply {
  readonly at: number;
  readonly status: number;
  readonly types: readonly string[];
  readonly requestId: string;
}

async function send({ path, bodyFor }: CutEndpoint, model: RecordedDialect, at: number): Promise<CutReply> {
  const prompt = `Disconnect at ${at} by ${at % 2 === 0 ? "FIN" : "RST"}.`;
  const reply = await fetch(`${gateway.baseUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, ...bodyFor(prompt) }),
  });
  const text = await reply.text();
  const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type!);
  return { at, status: reply.status, types, requestId: reply.headers.get("x-request-id")! };
}

async function sendAll(endpoint: CutEndpoint, dialect: RecordedDialect, cuts: readonly number[]): Promise<CutReply[]> {
  const waiting = [...cuts];
  const replies: CutReply[] = [];
  const worker = async (): Promise<void> => {
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) replies.push(await send(endpoint, dialect, at));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return replies;
}

for (const endpoint of ENDPOINTS) {
  for (const dialect of DIALECTS) {
    test(`${endpoint.path} on ${dialect}: a stream that is cut anywhere has one end, and it never looks complete`, async () => {
      const { bytes, places } = frameStream(RECORDED_RESPONSES[dialect], "parts");
      const events = RECORDED_RESPONSES[dialect].stream;
      const finished = places[events.findIndex(({ finishes }) => finishes)]!.end;
      const cuts = Array.from({ length: bytes.length + 1 }, (_, at) => at).filter((at) => at % STEP === 0 || at > bytes.length - 10);
      const replies = await sendAll(endpoint, dialect, cuts);
      for (const { at, status, types } of replies) {
        if (status !== 200) {
          expect([at < bytes.length, status]).toEqual([true, 502]);
          continue;
        }
        const ends = types.filter((type) => type === endpoint.complete || type === endpoint.failed);
        expect({ at, ends, last: types.at(-1) }).toEqual({ at, ends: [ends[0]!], last: ends[0]! });
        if (ends[0] === endpoint.complete) expect(at).toBeGreaterThanOrEqual(finished);
        // A reset may overtake the data that was sent just before it.
        if (at === bytes.length && at % 2 === 0) expect(ends).toEqual([endpoint.complete]);
      }
      expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(replies.length / 10);

      await eventually(
        () => openIn(ledgerOf(gateway)).length,
        (open) => open === 0,
      );
      const settled = endsIn(ledgerOf(gateway));
      for (const { at, status, requestId } of replies) {
        const { kind, amount_nanos: amount } = settled.get(requestId)!;
        if (status !== 200) expect({ at, kind, amount }).toEqual({ at, kind: "release", amount: 0n });
        else expect(amount).toBeGreaterThanOrEqual(0n);
      }
    });
  }
}
