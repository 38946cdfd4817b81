import { setTimeout as sleep } from "node:timers/promises";
import type { BackgroundTask } from "../../../lib/async/background-task.ts";
import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import { MirrorQueue } from "../mirrors/mirror-queue.ts";
import { BodyWriter } from "../bodies/body-writer.ts";
import { recordOf, withBodies, type ReceivedBodies } from "../queued-request.ts";
import type { RequestLogger, RequestLogState } from "../request-log-store.ts";
import { RequestQueue } from "../request-queue.ts";
import { REQUESTS_SERVICE, toSent, type SentRequest } from "./sent-request.ts";

const SEND_EVERY_MS = 100;
/**
 * Requests sent at once: if no background slice has built their records yet, building and sending them blocks the event loop for about a
 * millisecond.
 */
const REQUESTS_AT_ONCE = 200;
/** Bodies sent at once, of at most 128 KiB each. */
const BODIES_AT_ONCE = 8;
/** Longer than any pause of an owner that comes back without losing its connections. */
const SEND_TIMEOUT_MS = 60_000;
const CLOSING_TIMEOUT_MS = 2000;

interface RequestForwarderOptions {
  readonly owner: IpcPeer;
  /** Whether the request log is on. */
  readonly isOn: boolean;
  readonly redactSecrets: (text: string) => string;
}

/**
 * The request log in a gateway process: builds records in the background and sends them to the owner, one batch at a time. While the owner
 * is away or slow, requests wait in a bounded queue. A batch whose reply is lost counts as dropped: if it were sent again, it might be
 * logged twice.
 */
export class RequestForwarder implements RequestLogger, BackgroundTask, ProcessService {
  readonly name = REQUESTS_SERVICE;
  readonly calls = { collect: () => this.#flush() };
  readonly #options: RequestForwarderOptions;
  readonly #queue = new RequestQueue();
  readonly #bodies: BodyWriter;
  readonly #mirrors: MirrorQueue;
  /** The records of the oldest requests of the queue. */
  #built: SentRequest[] = [];
  #isConnected = false;
  #requests: Promise<void> | undefined;
  #sentBodies: Promise<boolean> | undefined;
  readonly #timer: Timer;

  constructor(options: RequestForwarderOptions) {
    this.#options = options;
    this.#bodies = new BodyWriter({ redactSecrets: options.redactSecrets, redact: undefined, reportHook: () => undefined });
    // Results whose reply is lost are sent again: they are written only once, too.
    const sendMirrors = async (results: readonly MirrorResult[]): Promise<boolean> =>
      this.#isConnected && this.#send("addMirrors", results);
    this.#mirrors = new MirrorQueue(sendMirrors, options.redactSecrets);
    this.#timer = setInterval(() => this.#tick(), SEND_EVERY_MS).unref();
  }

  note(ended: EndedRequest): void {
    if (!this.#options.isOn) return;
    const queued = this.#queue.add(ended);
    if (queued?.notes.bodies) this.#bodies.reserve(queued);
  }

  noteMirror(result: MirrorResult): void {
    if (this.#options.isOn) this.#mirrors.add(result);
  }

  /** The owner counts written requests. */
  state(): RequestLogState {
    const { length, drops } = this.#queue;
    const dropped = Object.values(drops).reduce((sum, count) => sum + count, 0);
    return { queued: length, written: 0, dropped, drops: { ...drops }, bodyDrops: { ...this.#bodies.drops }, failure: undefined };
  }

  get waiting(): number {
    const isBlocked = !this.#isConnected || this.#requests !== undefined;
    return isBlocked ? 0 : Math.min(this.#queue.length, REQUESTS_AT_ONCE) - this.#built.length;
  }

  runSlice(requests: number): void {
    if (this.waiting === 0) return;
    this.#build(this.#built.length + requests);
    if (this.#built.length === REQUESTS_AT_ONCE) void this.#sendRequests();
  }

  connected(): void {
    this.#isConnected = true;
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  /** Sends pending requests and bodies, if the owner is connected, and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([this.#flush().then(() => this.#mirrors.close()), sleep(CLOSING_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #tick(): void {
    if (!this.#isConnected) return;
    if (this.#queue.length > 0) void this.#sendRequests();
    if (this.#bodies.length > 0) void this.#sendBodies();
  }

  /** Sends only the requests that are pending now: under load, including new requests would never end. */
  async #flush(): Promise<void> {
    await this.#mirrors.flush();
    for (const until = this.#queue.done + this.#queue.length; this.#isConnected && this.#queue.done < until;) await this.#sendRequests();
    for (const until = this.#bodies.done + this.#bodies.length; this.#isConnected && this.#bodies.done < until;) {
      if (!(await this.#sendBodies())) return;
    }
  }

  #sendRequests(): Promise<void> {
    this.#requests ??= this.#sendOldest().finally(() => {
      this.#requests = undefined;
      if (this.#isConnected && this.#queue.length >= REQUESTS_AT_ONCE) void this.#sendRequests();
    });
    return this.#requests;
  }

  #sendBodies(): Promise<boolean> {
    this.#sentBodies ??= this.#sendReadyBodies().finally(() => (this.#sentBodies = undefined));
    return this.#sentBodies;
  }

  async #sendOldest(): Promise<void> {
    this.#build(REQUESTS_AT_ONCE);
    const batch = this.#queue.first(this.#built.length);
    const isSent = await this.#send("add", this.#built);
    if (!isSent) this.#queue.drops.queue_full += batch.length;
    for (const ended of withBodies(batch)) {
      if (isSent) this.#bodies.enqueue(ended);
      else this.#bodies.discard(ended, "no_memory");
    }
    this.#built = [];
    this.#queue.remove(batch.length);
  }

  /** Sends ready bodies. Bodies whose reply is lost are sent again: they are written only once. Returns whether they were received. */
  async #sendReadyBodies(): Promise<boolean> {
    await this.#bodies.redactNext(BODIES_AT_ONCE);
    const batch = this.#bodies.ready.map(({ requestId, account, model, bodies }): ReceivedBodies => ({
      requestId,
      account,
      model,
      bodies,
    }));
    const isSent = await this.#send("addBodies", batch);
    if (isSent) this.#bodies.clear();
    return isSent;
  }

  /** Calls the owner. Returns whether it has replied. */
  async #send(call: "add" | "addBodies" | "addMirrors", batch: readonly unknown[]): Promise<boolean> {
    try {
      await this.#options.owner.call(`${this.name}.${call}`, batch, SEND_TIMEOUT_MS);
      return true;
    } catch {
      return false;
    }
  }

  #build(upTo: number): void {
    const oldest = this.#queue.first(Math.min(upTo, REQUESTS_AT_ONCE));
    for (const queued of oldest.slice(this.#built.length)) this.#built.push(toSent(recordOf(queued, this.#options.redactSecrets)));
  }
}
