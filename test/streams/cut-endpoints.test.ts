import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { endsIn, ledgerOf, openIn } from "../money/ledger-of.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";
import { spawnListening, type ListeningProcess } from "../support/spawn-listening.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { frameStream, RECORDED_RESPONSES } from "./recorded-responses.ts";

/** Upstreams that end a stream anywhere, behind the endpoints of other formats. `disconnect-at-every-byte.test.ts` has the details. */

const CONCURRENCY = 50;
/** The distance in bytes between two cuts. */
const STEP = isLong ? 1 : 17;

let upstream: ListeningProcess;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = await spawnListening(join(import.meta.dir, "disconnecting-upstream.ts"));
  const upstreams = Object.keys(RECORDED_RESPONSES).map((id) => {
    return `  - { id: ${id}, dialect: ${id}, base_url: "http://127.0.0.1:${upstream.port}/${id}/parts/v1", allow_private: true }`;
  });
  const models = Object.keys(RECORDED_RESPONSES).map(
    (id) => `  - { id: ${id}, routes: [{ upstream: ${id}, model: m }], price: ${TEST_PRICE} }`,
  );
  const yaml = `endpoints: [messages, responses]\nupstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n`;
  gateway = await startGateway({ yaml });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

interface CutReply {
  readonly at: number;
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
}

async function send({ path, bodyFor }: ModelEndpoint, model: string, at: number): Promise<CutReply> {
  const prompt = `Disconnect at ${at} by ${at % 2 === 0 ? "FIN" : "RST"}.`;
  const reply = await fetch(`${gateway.baseUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(bodyFor({ model, prompt, maxTokens: 100, stream: true })),
  });
  return { at, status: reply.status, text: await reply.text(), requestId: reply.headers.get("x-request-id")! };
}

async function sendAll(endpoint: ModelEndpoint, model: string, cuts: readonly number[]): Promise<CutReply[]> {
  const waiting = [...cuts];
  const replies: CutReply[] = [];
  const worker = async (): Promise<void> => {
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) replies.push(await send(endpoint, model, at));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return replies;
}

// `disconnect-at-every-byte.test.ts` has chat completions.
for (const endpoint of ENDPOINTS.slice(1)) {
  for (const [id, recorded] of Object.entries(RECORDED_RESPONSES)) {
    test(`${endpoint.path} on ${id}: a stream that is cut anywhere has one end, and it never looks complete`, async () => {
      const { bytes, places } = frameStream(recorded, "parts");
      const finished = places[recorded.stream.findIndex(({ finishes }) => finishes)]!.end;
      const cuts = Array.from({ length: bytes.length + 1 }, (_, at) => at).filter((at) => at % STEP === 0 || at > bytes.length - 10);
      const replies = await sendAll(endpoint, id, cuts);
      for (const { at, status, text } of replies) {
        if (status !== 200) {
          expect([at < bytes.length, status]).toEqual([true, 502]);
          continue;
        }
        // Throws unless there is one end.
        const { isWhole } = endpoint.readStream(text);
        if (isWhole) expect(at).toBeGreaterThanOrEqual(finished);
        // A reset may overtake the data that was sent just before it.
        if (at === bytes.length && at % 2 === 0) expect(isWhole).toBe(true);
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
