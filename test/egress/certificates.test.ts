import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { completion, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";
import { fakeNames } from "./fake-names.ts";

const FILES = join(import.meta.dir, "certificates");
const NAMES = ["upstream.test", "second.test", "stranger.test"];

interface SeenRequest {
  readonly host: string | null;
  readonly url: string;
  readonly clientPort: number;
}

const seen: SeenRequest[] = [];
/** Returns the certificate of the requested name, and the first certificate for an unknown name. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: ["upstream.test", "second.test"].map((serverName) => ({
    serverName,
    key: Bun.file(join(FILES, `${serverName}.key`)),
    cert: Bun.file(join(FILES, `${serverName}.pem`)),
  })),
  fetch(request, bun) {
    seen.push({ host: request.headers.get("host"), url: request.url, clientPort: bun.requestIP(request)!.port });
    return Response.json(completion());
  },
});

/** A server whose certificate has its address and no name. */
const addressed = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: { key: Bun.file(join(FILES, "address.key")), cert: Bun.file(join(FILES, "address.pem")) },
  fetch: () => Response.json(completion()),
});

/** Impostors: the certificate that each presents, and the error that the gateway reports. */
const IMPOSTORS: Record<string, { certificate: string; code: string }> = {
  "expired.test": { certificate: "expired.test", code: "CERT_HAS_EXPIRED" },
  "self-signed.test": { certificate: "self-signed.test", code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
  "wrong-name.test": { certificate: "upstream.test", code: "ERR_TLS_CERT_ALTNAME_INVALID" },
};

let bytesHeard = 0;
/** They record every byte that is sent after the connection is encrypted. */
const impostors = Object.entries(IMPOSTORS).map(([name, { certificate }]) => ({
  name,
  listener: Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    tls: { key: Bun.file(join(FILES, `${certificate}.key`)), cert: Bun.file(join(FILES, `${certificate}.pem`)) },
    socket: { data: (_socket, bytes) => void (bytesHeard += bytes.length) },
  }),
}));

const places: { readonly name: string; readonly host?: string; readonly port: number | undefined }[] = [
  ...NAMES.map((name) => ({ name, port: server.port })),
  // Called by its address, which no certificate here contains.
  { name: "unnamed", host: "127.0.0.1", port: server.port },
  { name: "addressed", host: "127.0.0.1", port: addressed.port },
  ...impostors.map(({ name, listener }) => ({ name, port: listener.port })),
];

const yaml = `upstreams:
${places.map(({ name, host = name, port }) => `  - { id: ${name}, dialect: openai, base_url: "https://${host}:${port}/v1", allow_private: true }`).join("\n")}
models:
${places.map(({ name }) => `  - { id: ${name}, routes: [{ upstream: ${name}, model: m }], price: ${TEST_PRICE} }`).join("\n")}
`;

/** A variable that may be left in a shell. It must not disable the verification. */
const CARELESS = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
const names = fakeNames(Object.fromEntries([...NAMES, ...Object.keys(IMPOSTORS)].map((name) => [name, [["127.0.0.1"]]])));

let gateway: RunningGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ yaml, env: { ...names, ...CARELESS, NODE_EXTRA_CA_CERTS: join(FILES, "authority.pem") } });
  ({ key } = await gateway.makeKey());
});
afterAll(async () => {
  await gateway.stop();
  for (const { listener } of impostors) listener.stop(true);
  await Promise.all([server.stop(true), addressed.stop(true)]);
});

describe("an upstream that is dialled by its checked address", () => {
  test("is verified by the certificate of its name, receives its name by SNI, and reuses its connection", async () => {
    for (const name of ["upstream.test", "second.test"]) {
      seen.length = 0;
      for (let at = 0; at < 5; at++) expect([name, (await ask(gateway, key, name, false)).status]).toEqual([name, 200]);
      const host = `${name}:${server.port}`;
      expect(seen.map((each) => [each.host, each.url])).toEqual(
        Array.from({ length: 5 }, () => [host, `https://${host}/v1/chat/completions`]),
      );
      expect(new Set(seen.map((each) => each.clientPort)).size).toBe(1);
    }
  });

  test("receives nothing where its certificate is for another name", async () => {
    seen.length = 0;
    const heard = await ask(gateway, key, "stranger.test", false);
    expect([heard.status, heard.errorCode]).toEqual([502, "upstream_error"]);
    expect(await heard.log()).toMatchObject({ detail: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID") });
    expect(seen).toEqual([]);
  });

  for (const [name, { code }] of Object.entries(IMPOSTORS)) {
    test(`receives no byte of a request where it is ${name.replace(".test", "")}`, async () => {
      const heard = await ask(gateway, key, name, false);
      expect([heard.status, heard.errorCode]).toEqual([502, "upstream_error"]);
      expect(await heard.log()).toMatchObject({ detail: expect.stringContaining(code) });
      expect(bytesHeard).toBe(0);
    });
  }

  test("receives nothing where its certificate does not have the address of its base URL", async () => {
    seen.length = 0;
    const heard = await ask(gateway, key, "unnamed", false);
    expect([heard.status, heard.errorCode]).toEqual([502, "upstream_error"]);
    expect(await heard.log()).toMatchObject({ detail: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID") });
    expect(seen).toEqual([]);
  });

  test("is verified by the address in its certificate where its base URL has no name", async () => {
    expect((await ask(gateway, key, "addressed", false)).status).toBe(200);
  });

  test("receives nothing where no trusted authority signed its certificate", async () => {
    seen.length = 0;
    const distrustful = await startGateway({ yaml, env: { ...names, ...CARELESS } });
    try {
      const heard = await ask(distrustful, (await distrustful.makeKey()).key, "upstream.test", false);
      expect([heard.status, heard.errorCode]).toEqual([502, "upstream_error"]);
      expect(seen).toEqual([]);
    } finally {
      await distrustful.stop();
    }
  });
});
