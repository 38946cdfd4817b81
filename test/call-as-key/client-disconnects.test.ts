import { afterAll, expect, test } from "bun:test";
import { ByHandUpstream } from "../clients/by-hand-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { configFor, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";

const endless = new ByHandUpstream();
const waiting: AbortSignal[] = [];
const upstream = startMockUpstream({
  "up-endless": endless.script,
  "up-silent"({ signal }) {
    waiting.push(signal);
    return new Promise(() => {});
  },
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["endless", "silent"]), env: CANCELS });
const { id } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

function begin({ platformUrl, operatorToken }: RunningGateway, keyId: string, body: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${platformUrl}/api/keys/${keyId}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body,
    signal: signal ?? null,
  });
}

test("a disconnect mid-stream cancels the upstream call, and the received part is charged", async () => {
  const leaving = new AbortController();
  const response = await begin(gateway, id, chatBody("endless", { stream: true }), leaving.signal);
  await response.body!.getReader().read();
  leaving.abort();
  await endless.cancelled;
  const path = `/api/receipts/${response.headers.get("x-request-id")!}`;
  const receipt = await eventually(
    () => gateway.platform<{ state: string; reason: string }>("GET", path),
    ({ state }) => state === "settled",
  );
  expect(receipt).toMatchObject({ reason: "the client disconnected", usage: { completion_tokens: 2 } });
  const lines = await eventually(
    () => gateway.logLines().filter((line) => line["request_id"] === response.headers.get("x-request-id")),
    ({ length }) => length === 2,
  );
  expect(lines.map((line) => line["end"])).toEqual(["caller_gone", "caller_gone"]);
});

test("a disconnect before the response cancels the upstream call too", async () => {
  const leaving = new AbortController();
  const response = begin(gateway, id, chatBody("silent"), leaving.signal).catch(() => "left");
  const signal = await waitFor(() => waiting[0]);
  leaving.abort();
  expect(await response).toBe("left");
  await waitFor(() => signal.aborted);
  const lines = await eventually(
    () => gateway.logLines().filter((line) => line["status"] === 499),
    ({ length }) => length === 2,
  );
  expect(lines).toMatchObject([{ listener: "gateway", key: id }, { listener: "platform" }]);
});

test("on SIGTERM a response in flight is completed", async () => {
  const draining = await startGateway({ yaml: configFor(upstream.baseUrl, ["endless"]), env: CANCELS });
  const key = await draining.makeKey();
  const response = await begin(draining, key.id, chatBody("endless", { stream: true }));
  process.kill(draining.pid, "SIGTERM");
  await waitFor(() => draining.output().includes("Finishing 1 request"));
  endless.write([...GOOD_CHUNKS.slice(2), "[DONE]"].map((event) => `data: ${event}\n\n`).join(""));
  endless.end();
  expect(await response.text()).toEndWith("data: [DONE]\n\n");
  await draining.stop();
}, 300_000);
