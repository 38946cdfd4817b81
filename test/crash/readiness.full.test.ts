import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { startGatedUpstream, type GatedUpstream } from "./gated-upstream.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { FULL_DISK, LOCK } from "./ledger-failures.ts";

let gated: GatedUpstream;
let gateway: KillableGateway;
let key: string;
/** Ends the simulated failure of a test, even if the test itself fails. */
let end: () => void = () => {};

beforeAll(async () => {
  gated = startGatedUpstream();
  gateway = await KillableGateway.create({ yaml: configFor(gated.upstream.baseUrl, ["whole", "stream"]) });
  await gateway.start();
  await gateway.grant("1000");
  ({ key } = await gateway.makeKey());
});

afterEach(() => {
  end();
  end = () => {};
});

afterAll(async () => {
  await gateway.remove();
  await gated.upstream.stop();
});

const untilReady = (): Promise<unknown> =>
  eventually(
    () => look("/readyz"),
    ([status, body]) => status === 200 && JSON.stringify(body) === '{"status":"ready"}',
  );

for (const [failure, detail] of [
  [LOCK, "database is locked"],
  [FULL_DISK, expect.stringMatching(/disk/)],
] as const) {
  test.skipIf(!failure.isPossible)(
    `an idle gateway is unready while its ledger is ${failure.name}, and ready again afterwards`,
    async () => {
      await untilReady();
      end = failure.begin(gateway);
      const seen = await eventually(
        () => look("/readyz"),
        ([status]) => status !== 200,
      );
      expect(seen).toEqual([503, { status: "unready", reason: "ledger_unavailable", detail }]);
      expect(await look("/healthz")).toEqual([200, { status: "ok" }]);
      end();
      await untilReady();
    },
  );
}

test("is unready while a ledger with unwritten entries is locked, and recovers by itself", async () => {
  const linesBefore = gateway.output.length;
  end = LOCK.begin(gateway);
  const answer = ask("whole");
  await eventually(
    () => gateway.output.slice(linesBefore),
    (lines) => lines.includes("ledger_unavailable"),
  );
  expect(await look("/readyz")).toMatchObject([503, { reason: "ledger_unavailable" }]);
  end();
  gated.open();
  expect((await answer).status).toBe(200);
  await untilReady();
});

test("while draining, reports unready on open connections, and accepts no new ones", async () => {
  gated.shut();
  const answer = await ask("stream");
  const client = await openConnection();
  expect(await client.ask("/v1/models")).toContain("\r\nkeep-alive: timeout=75\r\n");
  gateway.signal("SIGTERM");
  await eventually(
    () => gateway.output,
    (lines) => lines.includes("Finishing 1 request"),
  );
  const reply = await client.ask("/readyz");
  expect(reply).toStartWith("HTTP/1.1 503 Service Unavailable\r\n");
  expect(reply).toContain("\r\nconnection: close\r\n");
  expect(reply).toEndWith('{"status":"unready","reason":"draining"}');
  expect(await client.ended).toBe("FIN");
  expect(await gateway.isReady()).toBe(false);
  gated.open();
  expect(await answer.text()).toEndWith("data: [DONE]\n\n");
  expect(await gateway.exited).toBe(0);
});

async function look(path: string): Promise<[status: number, body: unknown]> {
  const response = await fetch(new URL(path, gateway.baseUrl), { keepalive: false });
  return [response.status, await response.json()];
}

function ask(model: "whole" | "stream"): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], stream: model === "stream" }),
    keepalive: false,
  });
}

/** A connection of a client with a valid key, for one request after the other. */
async function openConnection(): Promise<{ ask(path: string): Promise<string>; ended: Promise<"FIN" | "RST"> }> {
  const { port } = new URL(gateway.baseUrl);
  const socket = connect({ port: Number(port), host: "127.0.0.1" });
  const ended = new Promise<"FIN" | "RST">((resolve) => socket.once("end", () => resolve("FIN")).once("error", () => resolve("RST")));
  await new Promise((resolve) => socket.once("connect", resolve));
  return {
    ended,
    ask(path) {
      const reply = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      return reply;
    },
  };
}
