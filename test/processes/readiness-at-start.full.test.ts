import { expect, test } from "bun:test";
import { createServer, type AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../src/lib/http1/server/free-port.ts";
import { eventually } from "../support/eventually.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";

/** Sends requests to a port until `isOver`, and returns the statuses. */
async function statusesOf(port: number, isOver: () => boolean): Promise<Set<number>> {
  const seen = new Set<number>();
  while (!isOver()) {
    const status = await fetch(`http://127.0.0.1:${port}/readyz`, { keepalive: false }).then(
      (reply) => reply.status,
      () => 0,
    );
    seen.add(status);
  }
  return seen;
}

test("gateway processes are not ready before the platform of their owner listens", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  const occupant = createServer();
  await new Promise<void>((listening) => void occupant.listen(0, "127.0.0.1", listening));
  const port = findFreePort("127.0.0.1", 0);
  const env = {
    PATH: process.env["PATH"]!,
    TOLLGATE_PROCESSES: "2",
    TOLLGATE_PORT: String(port),
    TOLLGATE_PLATFORM_PORT: String((occupant.address() as AddressInfo).port),
  };
  const child = Bun.spawn([launcher(), "start"], { cwd: folder, env, stdout: "ignore", stderr: "ignore" });
  try {
    const seen = await statusesOf(port, () => child.exitCode !== null);
    expect(await child.exited).toBe(1);
    expect([...seen].filter((status) => status === 200)).toEqual([]);
  } finally {
    child.kill("SIGKILL");
    occupant.close();
    rmSync(folder, { recursive: true });
  }
});

test("they are ready when the start is complete, each of them, and also a process that replaces one later", async () => {
  const gateway = await startGateway({ env: { TOLLGATE_PROCESSES: "2" } });
  try {
    const ready = (): Promise<number> => fetch(new URL("/readyz", gateway.baseUrl), { keepalive: false }).then(({ status }) => status);
    for (let at = 0; at < 20; at++) expect(await ready()).toBe(200);
    const list = (): Promise<{ id: string; role: string; pid: number; state: string }[]> =>
      gateway
        .platform<{ data: { id: string; role: string; pid: number; state: string }[] }>("GET", "/api/instances")
        .then(({ data }) => data);
    const before = (await list()).filter(({ role }) => role === "gateway");
    process.kill(before[0]!.pid, "SIGKILL");
    await eventually(
      list,
      (all) =>
        all.filter(({ id, role, state }) => role === "gateway" && state === "live" && !before.some((each) => each.id === id)).length === 1,
    );
    await eventually(
      async () => Promise.all(Array.from({ length: 10 }, () => ready().catch(() => 0))),
      (statuses) => statuses.every((status) => status === 200),
    );
  } finally {
    await gateway.stop();
  }
});
