import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { runClient } from "./run-client.ts";

test("a client that does not end is killed with the programs that it started", async () => {
  // The second program has the output open: without its end, this output would not end.
  const [outcome] = await Promise.allSettled([runClient(["sh", "-c", "sleep 1000 & wait"], tmpdir(), { PATH: process.env["PATH"]! }, 500)]);
  expect(String((outcome as PromiseRejectedResult).reason)).toContain("ended with SIGKILL");
});
