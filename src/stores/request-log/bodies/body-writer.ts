import { cutAtBytes, MAX_KEPT_BYTES, type CapturedBodies } from "../../../requests/captured-bodies.ts";
import type { LoggedBodies } from "../../../requests/logged-request.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import { messageOf } from "../days/day-errors.ts";
import type { BodiesToRedact, RedactedBodies } from "./redaction-hook.ts";
import type { BodyDropReason } from "../request-log-store.ts";

/** What all bodies that wait may have in memory. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export interface BodyWriterOptions {
  /** A text without the secrets that callers put where they do not belong. */
  readonly hideSecrets: (text: string) => string;
  /** The operator's hook, if there is one. It may throw, and take its time. */
  readonly redact: ((bodies: BodiesToRedact) => Promise<RedactedBodies>) | undefined;
  /** Hears when the hook fails, and, with undefined, when it works again. */
  readonly reportHook: (failure: string | undefined) => void;
}

/** Bodies as they are to be written. */
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

/** The bodies that are still to be written, so much of them and no more. A request is written before its bodies, and never waits for them. */
export class BodyWriter {
  readonly drops: Record<BodyDropReason, number> = { no_memory: 0, hook_failed: 0, no_disk_room: 0 };
  readonly #options: BodyWriterOptions;
  /** Of these, and of those whose request is still in the queue. */
  #heldBytes = 0;
  #waiting: Waiting[] = [];
  #ready: ReadyBodies[] = [];
  #done = 0;
  #hasHookFailed = false;

  constructor(options: BodyWriterOptions) {
    this.#options = options;
  }

  /** How many are to be written. */
  get length(): number {
    return this.#waiting.length + this.#ready.length;
  }

  /** How many have been done with. */
  get done(): number {
    return this.#done;
  }

  get readyBytes(): number {
    return this.#ready.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
  }

  get ready(): readonly ReadyBodies[] {
    return this.#ready;
  }

  /** Whether those of a request that has been written are still to be. */
  has(requestId: string): boolean {
    const isIt = (each: { readonly requestId: string }): boolean => each.requestId === requestId;
    return this.#waiting.some(isIt) || this.#ready.some(isIt);
  }

  /** On the path of a request: holds its bodies, or lets go of them where there is no more room. */
  hold({ notes }: EndedRequest): void {
    // First: what is let go of later must be as much as what is held now.
    notes.bodies!.seal();
    const bytes = notes.bodies!.heldBytes;
    if (this.#heldBytes + bytes > MAX_WAITING_BYTES) {
      notes.bodies = undefined;
      this.drops.no_memory++;
      return;
    }
    this.#heldBytes += bytes;
  }

  /** The request has been written: its bodies are next. */
  follow({ requestId, notes }: EndedRequest): void {
    this.#waiting.push({ requestId, account: notes.accountId ?? null, model: notes.askedFor ?? null, captured: notes.bodies! });
  }

  /** The request is not kept, for want of room on the disk, and its bodies are not either. */
  letGo({ notes }: EndedRequest): void {
    this.#heldBytes -= notes.bodies!.heldBytes;
    this.drops.no_disk_room++;
  }

  /** Takes secrets and what the hook takes out of the next ones, until so many are ready. */
  async prepare(count: number): Promise<void> {
    while (this.#ready.length < count && this.#waiting.length > 0) {
      const { requestId, account, model, captured } = this.#waiting[0]!;
      const { heldBytes } = captured;
      const bodies = await this.#redact(this.#truncate(captured.request, captured.reply, captured.isCut), account, model);
      this.#waiting.shift();
      if (bodies) this.#ready.push({ requestId, bodies, heldBytes });
      else this.#finish(1, heldBytes);
    }
  }

  /** Those that were ready have been written. */
  clear(): void {
    this.#finish(this.#ready.length, this.readyBytes);
    this.#ready = [];
  }

  /** Those that were ready cannot be, for want of room on the disk. */
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
    const [keptRequest, keptReply] = hidden.map((text) => text && cutAtBytes(text, MAX_STORED_BYTES));
    return { request: keptRequest!, reply: keptReply!, isCut: isCut || keptRequest !== hidden[0] || keptReply !== hidden[1] };
  }

  async #redact(bodies: LoggedBodies, account: string | null, model: string | null): Promise<LoggedBodies | undefined> {
    const { redact } = this.#options;
    if (!redact) return bodies;
    try {
      const redacted = await redact({ request: bodies.request, reply: bodies.reply, account, model });
      this.#tell(undefined);
      return redacted ? this.#truncate(redacted.request, redacted.reply, bodies.isCut) : undefined;
    } catch (error) {
      this.drops.hook_failed++;
      this.#tell(messageOf(error));
      return undefined;
    }
  }

  #tell(failure: string | undefined): void {
    const hasFailed = failure !== undefined;
    if (hasFailed !== this.#hasHookFailed) this.#options.reportHook(failure);
    this.#hasHookFailed = hasFailed;
  }
}
