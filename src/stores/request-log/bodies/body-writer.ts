import { BYTES_PER_CHAR, CapturedBodies, cutAtBytes, MAX_STORED_BYTES } from "../../../requests/captured-bodies.ts";
import type { ClientIdentities } from "../../../requests/client-identities.ts";
import type { LoggedBodies } from "../../../requests/logged-request.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import type { BodiesToRedact, RedactedBodies } from "./redaction-hook.ts";
import type { ReceivedBodies } from "../queued-request.ts";
import type { BodyDropReason } from "../request-log-store.ts";
import { messageOf } from "../../../lib/text/message-of.ts";

/** The memory limit of all bodies that wait to be written. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export interface BodyWriterOptions {
  /** Removes API keys and other secrets from a text. */
  readonly redactSecrets: (text: string) => string;
  /** The operator's redaction hook, if any. It may throw or be slow. */
  readonly redact: ((bodies: BodiesToRedact) => Promise<RedactedBodies>) | undefined;
  /** Called when the hook starts to fail, and with undefined when it works again. */
  readonly reportHook: (failure: string | undefined) => void;
}

/** Redacted bodies, ready to be written. */
export interface ReadyBodies extends ReceivedBodies {
  readonly heldBytes: number;
}

interface PendingBodies extends Omit<ReadyBodies, "bodies"> {
  /** Contains secrets if it was captured in this process. */
  readonly bodies: CapturedBodies | LoggedBodies;
}

/**
 * Prompt and response logging: bodies that wait for redaction and for the disk, within a memory limit. A request is written before its
 * bodies, and never waits for them.
 */
export class BodyWriter {
  readonly drops: Record<BodyDropReason, number> = { no_memory: 0, hook_failed: 0, no_disk_room: 0 };
  readonly #options: BodyWriterOptions;
  /** The size of these bodies and of the bodies whose request is still in the queue. */
  #heldBytes = 0;
  #waiting: PendingBodies[] = [];
  #ready: ReadyBodies[] = [];
  #done = 0;
  #hasHookFailed = false;

  constructor(options: BodyWriterOptions) {
    this.#options = options;
  }

  /** The number of bodies to be written. */
  get length(): number {
    return this.#waiting.length + this.#ready.length;
  }

  /** The number of bodies that were written or dropped. */
  get done(): number {
    return this.#done;
  }

  get readyBytes(): number {
    return this.#ready.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
  }

  get ready(): readonly ReadyBodies[] {
    return this.#ready;
  }

  /** Whether the bodies of a written request are still to be written. */
  has(requestId: string): boolean {
    const isIt = (each: { readonly requestId: string }): boolean => each.requestId === requestId;
    return this.#waiting.some(isIt) || this.#ready.some(isIt);
  }

  /** Reserves memory for the bodies of a request, or drops them if the limit is reached. On the path of requests. */
  reserve({ notes }: EndedRequest): void {
    // Sealed first, so that the size does not change: the same number of bytes is freed later.
    notes.bodies!.seal();
    if (!this.#take(notes.bodies!.heldBytes)) notes.bodies = undefined;
  }

  /** Queues the bodies of a request from another process, or drops them if the limit is reached. */
  receive(received: ReceivedBodies): void {
    const { request, reply } = received.bodies;
    const heldBytes = ((request?.length ?? 0) + (reply?.length ?? 0)) * BYTES_PER_CHAR;
    if (this.#take(heldBytes)) this.#waiting.push({ ...received, heldBytes });
  }

  /** Queues the bodies of a request that has been written. */
  enqueue({ requestId, notes }: EndedRequest): void {
    const { accountId, requestedModel, bodies } = notes;
    const { heldBytes } = bodies!;
    this.#waiting.push({ requestId, account: accountId ?? null, model: requestedModel ?? null, bodies: bodies!, heldBytes });
  }

  /** Drops the bodies of a request that was dropped. */
  discard({ notes }: EndedRequest, reason: BodyDropReason): void {
    this.#heldBytes -= notes.bodies!.heldBytes;
    this.drops[reason]++;
  }

  /** Redacts the next bodies, until `count` are ready. */
  async redactNext(count: number): Promise<void> {
    while (this.#ready.length < count && this.#waiting.length > 0) {
      const waiting = this.#waiting[0]!;
      const { account, model, heldBytes } = waiting;
      const bodies = await this.#redact(this.#withoutSecrets(waiting.bodies), account, model);
      this.#waiting.shift();
      if (bodies) this.#ready.push({ ...waiting, bodies });
      else this.#finish(1, heldBytes);
    }
  }

  /** Clears the ready bodies, which have been written. */
  clear(): void {
    this.#finish(this.#ready.length, this.readyBytes);
    this.#ready = [];
  }

  /** Drops the ready bodies, because the log is full. */
  drop(): void {
    this.drops.no_disk_room += this.#ready.length;
    this.clear();
  }

  /** Takes this number of bytes from the memory limit. Returns false if there is not enough left. */
  #take(bytes: number): boolean {
    if (this.#heldBytes + bytes > MAX_WAITING_BYTES) {
      this.drops.no_memory++;
      return false;
    }
    this.#heldBytes += bytes;
    return true;
  }

  #finish(count: number, heldBytes: number): void {
    this.#done += count;
    this.#heldBytes -= heldBytes;
  }

  #withoutSecrets(bodies: CapturedBodies | LoggedBodies): LoggedBodies {
    return bodies instanceof CapturedBodies ? this.#truncate(bodies.request, bodies.reply, bodies.isCut, bodies.identities) : bodies;
  }

  /** Truncates the texts. Secrets are hidden first: a client may name its end user like the beginning of a secret. */
  #truncate(request: string | null, reply: string | null, isCut: boolean, identities?: ClientIdentities): LoggedBodies {
    const withoutSecrets = [request, reply].map((text) => text && this.#options.redactSecrets(text));
    const hidden = identities ? withoutSecrets.map((text) => text && identities.redactInJson(text)) : withoutSecrets;
    const [cutRequest, cutReply] = hidden.map((text) => text && cutAtBytes(text, MAX_STORED_BYTES));
    return { request: cutRequest!, reply: cutReply!, isCut: isCut || cutRequest !== hidden[0] || cutReply !== hidden[1] };
  }

  async #redact(bodies: LoggedBodies, account: string | null, model: string | null): Promise<LoggedBodies | undefined> {
    const { redact } = this.#options;
    if (!redact) return bodies;
    try {
      const redacted = await redact({ request: bodies.request, reply: bodies.reply, account, model });
      this.#report(undefined);
      return redacted ? this.#truncate(redacted.request, redacted.reply, bodies.isCut) : undefined;
    } catch (error) {
      this.drops.hook_failed++;
      this.#report(messageOf(error));
      return undefined;
    }
  }

  #report(failure: string | undefined): void {
    const hasFailed = failure !== undefined;
    if (hasFailed !== this.#hasHookFailed) this.#options.reportHook(failure);
    this.#hasHookFailed = hasFailed;
  }
}
