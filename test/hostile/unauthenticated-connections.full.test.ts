import { afterEach, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { launcherWithFewFiles } from "./launcher-with-few-files.ts";
import { RawUpload } from "./raw-upload.ts";

/** Connections without a valid key: they must not displace clients with a valid key. */

const FILES = 1024;
const ATTACKERS = 345;

let gateway: RunningGateway;
let launcher: string;
let folder: string;
let drip: Timer;
let attackers: RawUpload[] = [];
afterEach(async () => {
  clearInterval(drip);
  for (const each of attackers) each.close();
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** The number of connections that the gateway has closed or rejected for this reason. */
async function closed(reason: "full" | "address_limit"): Promise<number> {
  const reply = await fetch(`${gateway.platformUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.operatorToken}` } });
  const metric = `tollgate_connections_closed_total{listener="gateway",reason="${reason}"} `;
  const line = (await reply.text()).split("\n").find((each) => each.startsWith(metric));
  return Number(line?.slice(metric.length));
}

test.skipIf(process.platform !== "linux")(
  "sockets that received a 401 and send a byte now and then do not keep a valid caller out",
  async () => {
    ({ launcher, folder } = launcherWithFewFiles(FILES));
    gateway = await startGateway({ launcher });
    const { key } = await gateway.makeKey(["echo"]);
    attackers = Array.from({ length: ATTACKERS }, () => new RawUpload(gateway.baseUrl, { key: "sk-service-wrong", length: 1_000_000 }));
    await eventually(
      () => attackers.filter(({ status, isClosed }) => status === 0 && !isClosed).length,
      (waiting) => waiting === 0,
    );
    expect(attackers.some(({ status }) => status === 401)).toBe(true);
    // More connections than the gateway may have, all from one address: the limit per address applies before the gateway is full.
    expect([await closed("full"), (await closed("address_limit")) > 0]).toEqual([0, true]);
    drip = setInterval(() => attackers.forEach((each) => each.send("x")), 200);

    // Each call has a new connection.
    for (let call = 0; call < 20; call++) {
      const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
        body: chatBody("echo"),
      });
      expect(reply.status).toBe(200);
      await reply.text();
    }
    await eventually(
      () => attackers.filter(({ isClosed }) => !isClosed).length,
      (open) => open === 0,
    );
    expect(readdirSync(`/proc/${gateway.pid}/fd`).length).toBeLessThan(ATTACKERS / 2);
    expect((await postChat(gateway, key, chatBody("echo"))).status).toBe(200);
  },
  120_000,
);
