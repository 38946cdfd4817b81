import { afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { launcherWithFewFiles } from "./launcher-with-few-files.ts";

const FILES = 500;

let gateway: RunningGateway;
let launcher: string;
let folder: string;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** Opens connections and sends a request on each. After all of them are open, closed or rejected, returns what each has received. */
async function open(count: number, port: number, key: string): Promise<string[]> {
  const head = `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const heard = Array.from({ length: count }, () => "");
  const opened = heard.map((_, at) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    sockets.push(socket);
    socket.on("data", (data) => (heard[at] += String(data)));
    return new Promise<void>((resolve) => socket.on("connect", () => socket.write(head, () => resolve())).on("error", () => resolve()));
  });
  await Promise.all(opened);
  return heard;
}

const cpuTicks = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13).map(Number);
  return user! + system!;
};

test.skipIf(process.platform !== "linux")("more callers than there are files for are turned away, and the rest is as ever", async () => {
  // Like the connections of a load balancer. With a valid key they are not closed to make space for others.
  ({ launcher, folder } = launcherWithFewFiles(FILES));
  gateway = await startGateway({ launcher, env: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" } });
  const { key } = await gateway.makeKey(["echo"]);
  const url = new URL(gateway.baseUrl);
  const heard = await open(FILES * 2, Number(url.port), key);
  const turnedAway = await eventually(
    () => heard.filter((text) => text.includes("overloaded")),
    (refusals) => refusals.length >= 15,
  );
  expect(turnedAway[0]).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is);
  await eventually(
    () => readdirSync(`/proc/${gateway.pid}/fd`).length,
    (files) => files < FILES * 0.5,
  );
  const full = (): object[] => gateway.logLines().filter(({ event }) => event === "connections_full");
  expect(await eventually(full, (lines) => lines.length > 0)).toMatchObject([
    { level: "warn", message: `the gateway has 150 connections and rejects new ones: this process may open ${FILES} files` },
  ]);

  // A process without free files would be busy all the time.
  await eventually(
    async () => {
      const before = cpuTicks(gateway.pid);
      await Bun.sleep(1000);
      return cpuTicks(gateway.pid) - before;
    },
    (ticks) => ticks < 50,
  );
  const ask = async (): Promise<number | undefined> => {
    const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body }).catch(() => undefined);
    return reply?.status;
  };
  for (const socket of sockets) socket.destroy();
  while ((await ask()) !== 200) await Bun.sleep(20);
});
