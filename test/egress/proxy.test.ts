import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { completion, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";
import { startConnectProxy, type ConnectProxy } from "./connect-proxy.ts";
import { fakeNames } from "./fake-names.ts";

const FILES = join(import.meta.dir, "certificates");

interface SeenConnection {
  readonly host: string | null;
  readonly clientPort: number;
  readonly bytes: number;
}

const LONG = "long ".repeat(600_000);

const seen: SeenConnection[] = [];
async function answer(request: Request, bun: Bun.Server<undefined>): Promise<Response> {
  const { length: bytes } = await request.text();
  seen.push({ host: request.headers.get("host"), clientPort: bun.requestIP(request)!.port, bytes });
  return Response.json(completion(bytes > LONG.length ? { content: LONG } : {}));
}

/** Returns the certificate of the name in the handshake. */
const encrypted = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: ["upstream.test", "second.test"].map((serverName) => ({
    serverName,
    key: Bun.file(join(FILES, `${serverName}.key`)),
    cert: Bun.file(join(FILES, `${serverName}.pem`)),
  })),
  fetch: answer,
});
const plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
const ranged = Bun.serve({ hostname: "127.0.0.2", port: 0, fetch: answer });

/** Ports for which the proxy has special replies; nothing listens on them. */
const REFUSALS = {
  6403: { status: 403 },
  6407: { status: 407 },
  6502: { status: 502 },
  6000: { text: "SSH-2.0-none\r\n" },
  6001: { text: "" },
} as const;

const MODELS: Record<string, string> = {
  encrypted: `https://second.test:${encrypted.port}/v1`,
  stranger: `https://stranger.test:${encrypted.port}/v1`,
  plain: `http://plain.test:${plain.port}/v1`,
  ranged: `http://ranged.test:${ranged.port}/v1`,
  exempt: `http://below.exempt.test:${plain.port}/v1`,
  ...Object.fromEntries(Object.keys(REFUSALS).map((port) => [`port-${port}`, `http://plain.test:${port}/v1`])),
};
const yaml = (models: Record<string, string>): string => `upstreams:
${Object.entries(models)
  .map(([id, url]) => `  - { id: ${id}, dialect: openai, base_url: "${url}", allow_private: true }`)
  .join("\n")}
  - { id: inside, dialect: openai, base_url: "https://inside.test/v1" }
models:
${[...Object.keys(models), "inside"].map((id) => `  - { id: ${id}, routes: [{ upstream: ${id}, model: m }], price: ${TEST_PRICE} }`).join("\n")}
`;

const LOCAL = [["127.0.0.1"]];
const names = fakeNames({
  "second.test": LOCAL,
  "stranger.test": LOCAL,
  "plain.test": LOCAL,
  "below.exempt.test": LOCAL,
  "ranged.test": [["127.0.0.2"]],
  "inside.test": [["10.0.0.1"]],
});

let proxy: ConnectProxy;
beforeEach(() => {
  seen.length = 0;
  if (proxy) proxy.tunnels.length = 0;
});
afterAll(() => Promise.all([encrypted.stop(true), plain.stop(true), ranged.stop(true)]));

describe("an egress proxy of the setting, with credentials", () => {
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    proxy = await startConnectProxy((authority) => {
      const port = Number(authority.split(":").at(-1));
      return REFUSALS[port as keyof typeof REFUSALS] ?? { port };
    });
    const TOLLGATE_EGRESS_PROXY = `http://tollgate:s%40cret@127.0.0.1:${proxy.port}`;
    const env = {
      ...names,
      TOLLGATE_EGRESS_PROXY,
      NO_PROXY: "other.test, .exempt.test,127.0.0.2/31",
      NODE_EXTRA_CA_CERTS: join(FILES, "authority.pem"),
    };
    gateway = await startGateway({ yaml: yaml(MODELS), env });
    ({ key } = await gateway.makeKey());
  });
  afterAll(async () => {
    await gateway.stop();
    proxy.stop();
  });

  for (const [model, server] of [
    ["encrypted", encrypted],
    ["plain", plain],
  ] as const) {
    test(`is asked once for a tunnel to the checked address, for five requests (${model})`, async () => {
      for (let at = 0; at < 5; at++) expect((await ask(gateway, key, model, false)).status).toBe(200);
      const authorization = `Basic ${Buffer.from("tollgate:s@cret").toString("base64")}`;
      expect(proxy.tunnels).toEqual([{ authority: `127.0.0.1:${server.port}`, authorization }]);
      const host = new URL(MODELS[model]!).host;
      expect(new Set(seen.map((each) => each.host))).toEqual(new Set([host]));
      expect(seen.length).toBe(5);
      expect(new Set(seen.map((each) => each.clientPort)).size).toBe(1);
    });
  }

  test("carries large prompts and responses", async () => {
    const body = JSON.stringify({ model: "encrypted", messages: [{ role: "user", content: LONG }] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
    const { choices } = (await reply.json()) as { choices: { message: { content: string } }[] };
    expect([reply.status, choices[0]!.message.content.length, seen[0]!.bytes > LONG.length]).toEqual([200, LONG.length, true]);
  });

  test("sees the certificate verified for the name of the upstream, and no byte of a request where it is for another", async () => {
    const reply = await ask(gateway, key, "stranger", false);
    expect([reply.status, reply.errorCode]).toEqual([502, "upstream_error"]);
    expect(await reply.log()).toMatchObject({ detail: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID") });
    expect([proxy.tunnels.length, seen]).toEqual([1, []]);
  });

  test.each(["exempt", "ranged"])("is not asked for a host or an address of NO_PROXY (%s)", async (model) => {
    expect((await ask(gateway, key, model, false)).status).toBe(200);
    expect([proxy.tunnels, seen.length]).toEqual([[], 1]);
  });

  test("is not asked for an address that the SSRF protection rejects", async () => {
    const reply = await ask(gateway, key, "inside", false);
    expect([reply.status, reply.errorCode]).toEqual([503, "no_upstream_available"]);
    expect(await reply.log()).toMatchObject({
      detail: expect.stringContaining("inside.test is not called: 10.0.0.1 is a private address"),
    });
    expect(proxy.tunnels).toEqual([]);
  });

  test.each([
    [
      6403,
      "proxy",
      "refused to connect to 127.0.0.1:6403: it returned status 403: a proxy that permits names alone needs TOLLGATE_EGRESS_PROXY_TARGET=name",
    ],
    [
      6407,
      "proxy",
      "refused to connect to 127.0.0.1:6407: it returned status 407: it requires credentials, or rejects the credentials of its URL",
    ],
    [6502, "unreachable", "could not connect to 127.0.0.1:6502: it returned status 502"],
    [6000, "proxy", "failed: the response is not HTTP (InvalidHTTPResponse)"],
    [6001, "proxy", "failed: the connection was closed (ECONNRESET)"],
  ])("is named in the log and in metrics when it fails to open a tunnel (port %i)", async (port, outcome, text) => {
    const reply = await ask(gateway, key, `port-${port}`, false);
    expect([reply.status, reply.errorCode]).toEqual([503, "no_upstream_available"]);
    expect(await reply.log()).toMatchObject({ detail: `the egress proxy 127.0.0.1:${proxy.port} ${text}` });
    const metrics = await fetch(`${gateway.platformUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.operatorToken}` } });
    expect(await metrics.text()).toContain(`upstream="port-${port}",outcome="${outcome}"`);
  });

  test("is in the log of the start, without its credentials", () => {
    const message = `upstreams are called through the proxy 127.0.0.1:${proxy.port} (TOLLGATE_EGRESS_PROXY)`;
    expect(gateway.logLines()).toContainEqual(expect.objectContaining({ event: "egress_proxy", message }));
    for (const secret of ["s@cret", "s%40cret", Buffer.from("tollgate:s@cret").toString("base64")])
      expect(gateway.output()).not.toContain(secret);
  });
});

test("a proxy of the environment resolves names where the setting leaves them to it", async () => {
  proxy = await startConnectProxy((authority) => (authority.startsWith("second.test:") ? { port: encrypted.port! } : { status: 404 }));
  const models = { encrypted: MODELS["encrypted"]!, here: `http://localhost:${plain.port}/v1` };
  const variables = {
    HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    TOLLGATE_EGRESS_PROXY_TARGET: "name",
  };
  // No name except `localhost` can be resolved.
  const env = { ...variables, ...fakeNames({ localhost: LOCAL }), NODE_EXTRA_CA_CERTS: join(FILES, "authority.pem") };
  const gateway = await startGateway({ yaml: yaml(models), env });
  try {
    const { key } = await gateway.makeKey();
    for (let at = 0; at < 3; at++) expect((await ask(gateway, key, "encrypted", false)).status).toBe(200);
    expect(proxy.tunnels).toEqual([{ authority: `second.test:${encrypted.port}`, authorization: undefined }]);
    expect((await ask(gateway, key, "here", false)).status).toBe(200);
    expect(proxy.tunnels.length).toBe(1);
    expect(gateway.output()).toContain("so their addresses are not checked");
  } finally {
    await gateway.stop();
    proxy.stop();
  }
});
