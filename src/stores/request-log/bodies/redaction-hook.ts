import { Worker } from "node:worker_threads";

/** The input of the operator's redaction hook. */
export interface BodiesToRedact {
  readonly request: string | null;
  readonly reply: string | null;
  readonly account: string | null;
  readonly model: string | null;
}

/** The hook's output: the bodies to log, or null to log none. */
export type RedactedBodies = Pick<BodiesToRedact, "request" | "reply"> | null;

/** The timeout for one request. */
const TIMEOUT_MS = 1000;
const LOADING_TIMEOUT_MS = 10_000;

/** A message of the worker: it is ready, the result for a request, or a failure. */
export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * The operator's redaction hook, a module that runs in a separate thread: otherwise a regular expression that takes very long on some
 * prompt would block the event loop. A hook that takes too long is terminated, and started again for the next request.
 */
export class RedactionHook {
  readonly #path: string;
  #worker: Worker | undefined;

  /** Loads the module. Throws if that fails, or if its default export is not a function. */
  static async load(path: string): Promise<RedactionHook> {
    const hook = new RedactionHook(path);
    await hook.#begin();
    return hook;
  }

  private constructor(path: string) {
    this.#path = path;
  }

  /** Redacts the bodies of one request; one call at a time. Throws if the hook throws, times out or returns an invalid result. */
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

  /** The next message of the worker. A worker that times out, crashes or exits is terminated. */
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

/** A failure that the worker reported itself. */
class HookFailed extends Error {}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function readRedacted(value: unknown): RedactedBodies {
  if (value === null) return null;
  if (typeof value === "object" && "request" in value && "reply" in value && isText(value.request) && isText(value.reply)) {
    return { request: value.request, reply: value.reply };
  }
  throw new Error("it returned neither null nor an object with request and reply, each a string or null");
}
