/** The thread that the operator's hook runs in. */
import { parentPort, workerData } from "node:worker_threads";
import type { BodiesToRedact, WorkerMessage } from "./redaction-hook.ts";
import { messageOf } from "../../../lib/text/message-of.ts";

type Hook = (bodies: BodiesToRedact) => unknown;

function send(message: WorkerMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(message);
}

async function load(path: string): Promise<Hook> {
  const { default: hook } = (await import(path)) as { default?: unknown };
  if (typeof hook !== "function") throw new Error("its default export is not a function");
  return hook as Hook;
}

async function answer(hook: Hook, bodies: BodiesToRedact): Promise<void> {
  try {
    send({ kind: "done", value: await hook(bodies) });
  } catch (error) {
    // The error's message is omitted: it may quote the prompt, which would then reach the log.
    send({ kind: "failed", reason: `it threw ${error instanceof Error ? error.name : typeof error}` });
  }
}

try {
  const hook = await load(workerData as string);
  parentPort!.on("message", (bodies: BodiesToRedact) => void answer(hook, bodies));
  send({ kind: "ready" });
} catch (error) {
  send({ kind: "failed", reason: messageOf(error) });
}
