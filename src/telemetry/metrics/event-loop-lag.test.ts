import { expect, test } from "bun:test";

test("looking at the time keeps no process from its end", async () => {
  const look = `import { EventLoopLag } from ${JSON.stringify(import.meta.resolve("./event-loop-lag.ts"))}; new EventLoopLag();`;
  const child = Bun.spawn([process.execPath, "--eval", look], { stdout: "ignore", stderr: "ignore", timeout: 20_000 });
  expect(await child.exited).toBe(0);
});
