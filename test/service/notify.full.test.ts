import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { PROCESSES } from "../support/gateway/gateway-processes.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

describe.skipIf(process.platform !== "linux")("the service manager is notified", () => {
  let gateway: RunningGateway | undefined;
  afterEach(() => gateway?.stop());

  for (const [name, count] of [
    ["at a path", 1],
    ["at an abstract name, by the owner of several processes", PROCESSES],
  ] as const) {
    test(`${name}: when it is ready, when it reloads, and when it stops`, async () => {
      const { DatagramReceiver } = await import("./datagram-receiver.ts");
      const folder = mkdtempSync(join(tmpdir(), "tollgate-notify-"));
      const address = count === 1 ? join(folder, "notify") : `@tollgate-${crypto.randomUUID()}`;
      using manager = new DatagramReceiver(address);
      const received = (messages: readonly string[]): Promise<unknown> =>
        eventually(
          () => manager.receive(),
          (seen) => Bun.deepEquals(seen, messages),
        );
      gateway = await startGateway({
        env: { NOTIFY_SOCKET: address, TOLLGATE_PROCESSES: String(count), TOLLGATE_DRAIN_SECONDS: "7" },
      });
      await received(["READY=1"]);
      process.kill(gateway.pid, "SIGHUP");
      await received(["READY=1", "RELOADING=1", "READY=1"]);
      await gateway.end();
      await received(["READY=1", "RELOADING=1", "READY=1", "STOPPING=1\nEXTEND_TIMEOUT_USEC=22000000"]);
      rmSync(folder, { recursive: true });
    });
  }

  test("and a manager that is away is logged", async () => {
    gateway = await startGateway({ env: { NOTIFY_SOCKET: "/nowhere/notify" } });
    await eventually(
      () => gateway!.logLines(),
      (lines) => lines.some(({ event, level }) => event === "service_unnotified" && level === "warn"),
    );
    expect(gateway.output()).toContain("systemd has not received READY=1: sendto failed: ENOENT");
  });
});
