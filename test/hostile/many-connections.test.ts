import { afterEach, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, startGateway, type RunningGateway } from "../start-gateway.ts";

const FILES = 500;

let gateway: RunningGateway;
let folder: string;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** The launcher of a process that may open so many files. */
function launcherWithFewFiles(): string {
  folder = mkdtempSync(join(tmpdir(), "tollgate-files-"));
  const launcher = join(folder, "tollgate");
  writeFileSync(launcher, `#!/bin/sh\nulimit -n ${FILES}\nexec "${join(ROOT, "bin/tollgate")}" "$@"\n`);
  chmodSync(launcher, 0o755);
  return launcher;
}

/** Opens connections, asks on each, and gives all that each has heard when all of them are open, cut or turned away. */
async function open(count: number, port: number): Promise<string[]> {
  const heard = Array.from({ length: count }, () => "");
  const opened = heard.map((_, at) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    sockets.push(socket);
    socket.on("data", (data) => (heard[at] += String(data)));
    return new Promise<void>((resolve) => socket.on("connect", () => socket.write("GET ", () => resolve())).on("error", () => resolve()));
  });
  await Promise.all(opened);
  await Bun.sleep(300);
  return heard;
}

const cpuTicks = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13).map(Number);
  return user! + system!;
};

test.skipIf(process.platform !== "linux")("more callers than there are files for are turned away, and the rest is as ever", async () => {
  gateway = await startGateway({ launcher: launcherWithFewFiles() });
  const url = new URL(gateway.baseUrl);
  const heard = await open(FILES * 2, Number(url.port));
  const turnedAway = heard.filter((text) => text.includes("overloaded"));
  expect(turnedAway.length).toBeGreaterThanOrEqual(15);
  expect(turnedAway[0]).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is);
  expect(readdirSync(`/proc/${gateway.pid}/fd`).length).toBeLessThan(FILES * 0.5);
  expect(gateway.logLines().filter(({ event }) => event === "connections_full")).toMatchObject([
    { level: "warn", message: `the gateway has 150 connections, and turns callers away: this process may open ${FILES} files` },
  ]);

  // One that has no files left would be busy all the time.
  const before = cpuTicks(gateway.pid);
  await Bun.sleep(1000);
  expect(cpuTicks(gateway.pid) - before).toBeLessThan(50);
  const { key } = await gateway.makeKey(["echo"]);
  const ask = async (): Promise<number | undefined> => {
    const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body }).catch(() => undefined);
    return reply?.status;
  };
  for (const socket of sockets) socket.destroy();
  while ((await ask()) !== 200) await Bun.sleep(20);
});
