import { Worker } from "node:worker_threads";

/** What the operator's hook is given. */
export interface BodiesToRedact {
  readonly request: string | null;
  readonly reply: string | null;
  readonly account: string | null;
  readonly model: string | null;
}

/** What it gives back to be kept, or null for nothing. */
export type RedactedBodies = Pick<BodiesToRedact, "request" | "reply"> | null;

/** How long it may take for one request. */
const TIMEOUT_MS = 1000;
const LOADING_TIMEOUT_MS = 10_000;

/** What the worker says: that it is ready, what came of a request, or what went wrong. */
export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * The operator's hook, a module of their own, in a thread of its own: a pattern that runs away on what some caller has said would
 * otherwise stop every answer. One that takes too long is ended, and begins anew with the next request.
 */
export class RedactionHook {
  readonly #path: string;
  #worker: Worker | undefined;

  /** Loads the module. Throws where that cannot be done, or where it has no function to call. */
  static async load(path: string): Promise<RedactionHook> {
    const hook = new RedactionHook(path);
    await hook.#begin();
    return hook;
  }

  private constructor(path: string) {
    this.#path = path;
  }

  /** Throws where the hook does, where it takes too long, and where what it gives is not bodies. One at a time. */
  async redact(bodies: BodiesToRedact): Promise<RedactedBodies> {
    const worker = this.#worker ?? (await this.#begin());
    const message = this.#nextMessage(worker, TIMEOUT_MS);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(bodies);
    return readRedacted(await message);
  }

  close(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #begin(): Promise<Worker> {
    const worker = new Worker(new URL("./redaction-worker.ts", import.meta.url), { workerData: this.#path });
    worker.unref();
    this.#worker = worker;
    await this.#nextMessage(worker, LOADING_TIMEOUT_MS);
    return worker;
  }

  /** What the worker says next. One that fails in any other way than by saying so is of no more use. */
  async #nextMessage(worker: Worker, timeoutMs: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerMessage>();
    const timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
    const onExit = (): void => reject(new Error("it ended its thread"));
    worker.once("message", resolve).once("error", reject).once("exit", onExit);
    try {
      const message = await promise;
      if (message.kind === "failed") throw new HookFailed(message.reason);
      return message.kind === "done" ? message.value : undefined;
    } catch (error) {
      if (!(error instanceof HookFailed)) this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.off("message", resolve).off("error", reject).off("exit", onExit);
    }
  }
}

/** It has failed, and said so. */
class HookFailed extends Error {}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function readRedacted(value: unknown): RedactedBodies {
  if (value === null) return null;
  if (typeof value === "object" && "request" in value && "reply" in value && isText(value.request) && isText(value.reply)) {
    return { request: value.request, reply: value.reply };
  }
  throw new Error("it gave neither null nor an object with request and reply, each a text or null");
}
