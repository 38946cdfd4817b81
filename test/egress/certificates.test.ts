import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { completion, TEST_PRICE } from "../mock-upstream.ts";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { ask } from "../streams/ask.ts";
import { fakeNames } from "./fake-names.ts";

const FILES = join(import.meta.dir, "certificates");
const NAMES = ["upstream.test", "second.test", "stranger.test"];

interface Seen {
  readonly host: string | null;
  readonly url: string;
  readonly clientPort: number;
}

const seen: Seen[] = [];
/** It shows the certificate of the name that is asked for, and of the first where it has none. */
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

const yaml = `upstreams:
${NAMES.map((name) => `  - { id: ${name}, dialect: openai, base_url: "https://${name}:${server.port}/v1", allow_private: true }`).join("\n")}
models:
${NAMES.map((name) => `  - { id: ${name}, routes: [{ upstream: ${name}, model: m }], price: ${TEST_PRICE} }`).join("\n")}
`;

/** What a stray variable of a shell must not switch off. */
const CARELESS = { NODE_TLS_REJECT_UNAUTHORIZED: "0", HTTPS_PROXY: "http://127.0.0.1:1" };
const names = fakeNames(Object.fromEntries(NAMES.map((name) => [name, [["127.0.0.1"]]])));

let gateway: RunningGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ yaml, env: { ...names, ...CARELESS, NODE_EXTRA_CA_CERTS: join(FILES, "authority.pem") } });
  ({ key } = await gateway.makeKey());
});
afterAll(async () => {
  await gateway.stop();
  await server.stop(true);
});

describe("an upstream that is dialled by its checked address", () => {
  test("is known by the certificate of its name, is told its name, and keeps its connection", async () => {
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

  test("gets nothing where its certificate is for another name", async () => {
    seen.length = 0;
    const heard = await ask(gateway, key, "stranger.test", false);
    expect([heard.status, heard.errorCode]).toEqual([502, "upstream_error"]);
    expect(await heard.log()).toMatchObject({ detail: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID") });
    expect(seen).toEqual([]);
  });

  test("gets nothing where nobody we trust vouches for its certificate", async () => {
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
