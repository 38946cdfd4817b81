import { expect, test } from "bun:test";
import { sendSignal } from "./send-signal.ts";

test("signals a process, and none whose pid is not known or that has ended", async () => {
  const child = Bun.spawn(["sleep", "1000"]);
  // These would signal the process group of this test, and end it.
  for (const pid of [undefined, 0, -child.pid]) sendSignal(pid, "SIGKILL");
  expect(child.exitCode).toBeNull();
  sendSignal(child.pid, "SIGTERM");
  await child.exited;
  expect(child.signalCode).toBe("SIGTERM");
  sendSignal(child.pid, "SIGKILL");
});
