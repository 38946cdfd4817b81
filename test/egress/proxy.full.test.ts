import { expect, test } from "bun:test";
import { TEST_PRICE, completion } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";
import { startConnectProxy } from "./connect-proxy.ts";
import { fakeNames } from "./fake-names.ts";

test("gateway processes call upstreams through the egress proxy of their owner", async () => {
  const upstream = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(completion()) });
  const proxy = await startConnectProxy((authority) => ({ port: Number(authority.split(":").at(-1)) }));
  const yaml = `upstreams:
  - { id: u, dialect: openai, base_url: "http://plain.test:${upstream.port}/v1", allow_private: true }
models:
  - { id: m, routes: [{ upstream: u, model: m }], price: ${TEST_PRICE} }
`;
  const env = {
    ...fakeNames({ "plain.test": [["127.0.0.1"]] }),
    TOLLGATE_PROCESSES: "2",
    HTTP_PROXY: `http://u:p@127.0.0.1:${proxy.port}`,
  };
  const gateway = await startGateway({ yaml, env });
  try {
    const { key } = await gateway.makeKey();
    expect((await ask(gateway, key, "m", false)).status).toBe(200);
    expect(proxy.tunnels).toEqual([{ authority: `127.0.0.1:${upstream.port}`, authorization: "Basic dTpw" }]);
  } finally {
    await gateway.stop();
    proxy.stop();
    await upstream.stop(true);
  }
});
