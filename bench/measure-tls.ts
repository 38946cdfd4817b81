/**
 * Measures the cost of TLS at the gateway's own listener, compared with plain HTTP: CPU time per request, per chunk of a stream, and per
 * connection. `npm run measure:tls`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type RunningGateway } from "../test/support/gateway/start-gateway.ts";
import { makeCertificate } from "../test/support/tls/certificates.ts";
import { processCpuUs } from "./machine/cpu-clock.ts";
import { shuffled } from "./protocol/shuffled.ts";
import { median } from "./protocol/statistics.ts";
import { mockConfig } from "./mock-config.ts";
import { run } from "./rounds.ts";

const ROUNDS = 11;
const CONCURRENCY = 16;
const WORDS = 300;
const KINDS = {
  json: { requests: 3000, per: 1, unit: "request" },
  stream: { requests: 120, per: WORDS + 3, unit: "chunk" },
  connection: { requests: 500, per: 1, unit: "connection with one request" },
} as const;

// The certificates are self-signed.
process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";

const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
const upstream = await run<{ url: string }>("relay/upstream.ts", String(WORDS));
const yaml = mockConfig(upstream.said.url);

interface Side {
  readonly gateway: RunningGateway;
  readonly key: string;
}

async function start(name: string, algorithm?: readonly string[]): Promise<Side> {
  const pair = algorithm && makeCertificate(folder, name, { algorithm });
  const gateway = await startGateway({ yaml, env: pair ? { TOLLGATE_TLS_CERT: pair.cert, TOLLGATE_TLS_KEY: pair.key } : {} });
  return { gateway, key: (await gateway.makeKey()).key };
}

/** CPU microseconds per unit. A measurement counts only if every response was correct. */
async function measure({ gateway, key }: Side, kind: keyof typeof KINDS): Promise<number> {
  const { requests, per } = KINDS[kind];
  const before = processCpuUs(gateway.pid)!;
  const callers =
    kind === "connection"
      ? await run<{ right: number }>("relay/connections.ts", gateway.baseUrl.replace("/v1", "/healthz"), String(requests))
      : await run<{ right: number }>("relay/callers.ts", gateway.baseUrl, key, kind, String(requests), String(CONCURRENCY), String(WORDS));
  await callers.stop();
  if (callers.said.right !== requests) throw new Error(`${requests - callers.said.right} answers were wrong`);
  return (processCpuUs(gateway.pid)! - before) / requests / per;
}

const sides = {
  plain: await start("plain"),
  "TLS, ECDSA P-256": await start("ecdsa", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
  "TLS, RSA 2048": await start("rsa", ["rsa:2048"]),
};
for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
  const values = new Map<string, number[]>(Object.keys(sides).map((name) => [name, []]));
  for (const side of Object.values(sides)) await measure(side, kind);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, side] of shuffled(Object.entries(sides))) values.get(name)!.push(await measure(side, kind));
  }
  const plain = median(values.get("plain")!);
  for (const [name, measured] of values) {
    const us = median(measured);
    process.stdout.write(`CPU per ${KINDS[kind].unit}, ${name}: ${us.toFixed(1)} µs (${(us - plain).toFixed(1)} µs more than plain)\n`);
  }
}
for (const { gateway } of Object.values(sides)) await gateway.stop();
await upstream.stop();
rmSync(folder, { recursive: true });
