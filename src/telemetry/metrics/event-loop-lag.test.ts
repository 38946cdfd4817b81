import { expect, test } from "bun:test";
import { WAIT_LIMIT_MS } from "../../../test/support/wait-limit.ts";

test("does not keep the process alive", async () => {
  const look = `import { EventLoopLag } from ${JSON.stringify(import.meta.resolve("./metrics.ts"))}; new EventLoopLag();`;
  const child = Bun.spawn([process.execPath, "--eval", look], { stdout: "ignore", stderr: "ignore", timeout: WAIT_LIMIT_MS });
  expect(await child.exited).toBe(0);
});
