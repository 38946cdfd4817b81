import { cutAtBytes, MAX_STORED_BYTES, type CapturedBodies } from "../../../requests/captured-bodies.ts";
import type { LoggedBodies } from "../../../requests/logged-request.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import { messageOf } from "../days/day-errors.ts";
import type { BodiesToRedact, RedactedBodies } from "./redaction-hook.ts";
import type { BodyDropReason } from "../request-log-store.ts";

/** The memory limit of all bodies that wait to be written. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export interface BodyWriterOptions {
  /** Removes API keys and other secrets from a text. */
  readonly hideSecrets: (text: string) => string;
  /** The operator's redaction hook, if any. It may throw or be slow. */
  readonly redact: ((bodies: BodiesToRedact) => Promise<RedactedBodies>) | undefined;
  /** Called when the hook starts to fail, and with undefined when it works again. */
  readonly reportHook: (failure: string | undefined) => void;
}

/** Redacted bodies, ready to be written. */
export interface ReadyBodies {
  readonly requestId: string;
  readonly bodies: LoggedBodies;
  readonly heldBytes: number;
}

interface Waiting {
  readonly requestId: string;
  readonly account: string | null;
  readonly model: string | null;
  readonly captured: CapturedBodies;
}

/** Prompt and response logging: bodies that wait for redaction and for the disk, within a memory limit. A request is written before its bodies, and never waits for them. */
export class BodyWriter {
  readonly drops: Record<BodyDropReason, number> = { no_memory: 0, hook_failed: 0, no_disk_room: 0 };
  readonly #options: BodyWriterOptions;
  /** Of these bodies, and of those whose request is still in the queue. */
  #heldBytes = 0;
  #waiting: Waiting[] = [];
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

  /** On the path of a request: reserves memory for its bodies, or drops them where the limit is reached. */
  reserve({ notes }: EndedRequest): void {
    // First, so that the size does not change: the same number of bytes is freed later.
    notes.bodies!.seal();
    const bytes = notes.bodies!.heldBytes;
    if (this.#heldBytes + bytes > MAX_WAITING_BYTES) {
      notes.bodies = undefined;
      this.drops.no_memory++;
      return;
    }
    this.#heldBytes += bytes;
  }

  /** Queues the bodies of a request that has been written. */
  enqueue({ requestId, notes }: EndedRequest): void {
    this.#waiting.push({ requestId, account: notes.accountId ?? null, model: notes.askedFor ?? null, captured: notes.bodies! });
  }

  /** Drops the bodies of a request that was dropped because the log is full. */
  discard({ notes }: EndedRequest): void {
    this.#heldBytes -= notes.bodies!.heldBytes;
    this.drops.no_disk_room++;
  }

  /** Redacts the next bodies, until `count` are ready. */
  async redactNext(count: number): Promise<void> {
    while (this.#ready.length < count && this.#waiting.length > 0) {
      const { requestId, account, model, captured } = this.#waiting[0]!;
      const { heldBytes } = captured;
      const bodies = await this.#redact(this.#truncate(captured.request, captured.reply, captured.isCut), account, model);
      this.#waiting.shift();
      if (bodies) this.#ready.push({ requestId, bodies, heldBytes });
      else this.#finish(1, heldBytes);
    }
  }

  /** The ready bodies have been written. */
  clear(): void {
    this.#finish(this.#ready.length, this.readyBytes);
    this.#ready = [];
  }

  /** Drops the ready bodies, because the log is full. */
  drop(): void {
    this.drops.no_disk_room += this.#ready.length;
    this.clear();
  }

  #finish(count: number, heldBytes: number): void {
    this.#done += count;
    this.#heldBytes -= heldBytes;
  }

  #truncate(request: string | null, reply: string | null, isCut: boolean): LoggedBodies {
    const hidden = [request, reply].map((text) => text && this.#options.hideSecrets(text));
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
