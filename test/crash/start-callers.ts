import { join } from "node:path";
import type { Attempt } from "./call-attempt.ts";
import type { CallersOrder } from "./callers.ts";

/** The running clients of `callers.ts`. */
export interface Callers {
  /** Sends no new requests, waits for the requests in flight, and returns the log of all attempts. */
  stop(): Promise<Attempt[]>;
  /** Kills the clients at once. */
  kill(): Promise<void>;
}

export function startCallers(order: CallersOrder): Callers {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "callers.ts"), JSON.stringify(order)], {
    env: { PATH: process.env["PATH"]!, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  return {
    async stop() {
      await child.stdin.end();
      return (await child.stdout.json()) as Attempt[];
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
