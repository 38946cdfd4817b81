import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { openHolds } from "../crash/read-ledger.ts";
import { chunk, configFor, manualStream, rawEvents, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { inFile, readLog } from "./read-log.ts";

const held = manualStream();
let upstream: MockUpstream;
let gateway: KillableGateway;

beforeAll(async () => {
  upstream = startMockUpstream({ "up-held": () => rawEvents(held.stream) });
  gateway = await KillableGateway.create({ yaml: configFor(upstream.baseUrl, ["held"]) });
  await gateway.start();
  await gateway.grant("1000");
});

afterAll(async () => {
  await gateway.remove();
  await upstream.stop();
});

test("logs a stream that a second SIGTERM cuts, and the next start closes its hold", async () => {
  const { key } = await gateway.makeKey();
  held.write(`data: ${chunk({ content: "a word" })}\n\n`);
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "held", messages: [{ role: "user", content: "hi" }], stream: true }),
  });
  const reader = response.body!.getReader();
  await reader.read();
  gateway.signal("SIGTERM");
  // Two pending signals of the same kind are merged into one.
  await eventually(
    () => gateway.output,
    (output) => output.includes("Send the signal again to stop now."),
  );
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(0);
  const id = inFile(response.headers.get("x-request-id")!);
  expect(readLog(join(gateway.folder, "data"))).toMatchObject([{ id, status: 200, outcome: "client_closed" }]);
  expect(openHolds(gateway.databasePath, Date.now())).toHaveLength(1);
});
