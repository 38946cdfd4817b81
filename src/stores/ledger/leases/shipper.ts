import type { Progress } from "../ledger-store.ts";
import type { AdmissionDeadline } from "./admission-deadline.ts";
import { AuthorityUnavailable, type Authority, type ShipmentReply } from "./authority.ts";
import { FencedError, SequenceGapError } from "./instance.ts";
import type { CreditSlices } from "./credit-slices.ts";

/**
 * How long changes wait for more changes, to be shipped together. Under load, 25 ms take a tenth less CPU time, over all processes, than 10
 * ms.
 */
const SHIP_AFTER_MS = 25;
const HEARTBEAT_MS = 1000;
/** The maximum number of changes in one shipment. If there are more, the next shipment follows at once. */
export const MAX_CHANGES = 500;
const FIRST_RETRY_MS = 20;
const MAX_RETRY_MS = 500;

interface ShipperOptions {
  readonly instanceId: string;
  readonly authority: Authority;
  readonly slices: CreditSlices;
  readonly deadline: AdmissionDeadline;
  readonly monotonicMs: () => number;
  /** The progress of the responses in flight. */
  readonly progress: () => ReadonlyMap<string, Progress>;
  readonly shipped: (shipped: ShipmentReply) => void;
  /**
   * The time until which keys, prices and limits are known to be current. No answer of the authority extends the right to admit requests
   * beyond it.
   */
  readonly currentUntilMs: () => number;
  /** Called when the authority cannot be reached, and with undefined when it can be reached again. */
  readonly report: (failure: string | undefined) => void;
  /** Called when the authority accepts no more changes of this process, which then has to end. */
  readonly fenced: (error: Error) => void;
}

/**
 * Ships the changes of a gateway process to the authority, one shipment at a time: soon after they were made, at once if a request waits
 * for the reply, and once a second as a heartbeat. After a failure it connects again and ships the changes that the authority does not
 * have.
 */
export class Shipper {
  readonly #options: ShipperOptions;
  #epoch: number | undefined;
  /** The number of connections that have ended: a late reply over an earlier connection must not mark the current one as connected. */
  #connections = 0;
  #timer: Timer | undefined;
  /** Whether the timer fires before the next heartbeat. */
  #isDue = false;
  #inFlight: Promise<void> | undefined;
  #retryMs = 0;
  #isStopped = false;
  #isWrittenOff = false;
  #failure: string | undefined;

  constructor(options: ShipperOptions) {
    this.#options = options;
  }

  /**
   * Connects, and ships from now on. Throws if the authority cannot be reached; connecting is then retried in the background until `stop`.
   */
  start(): Promise<void> {
    return this.#shipNow();
  }

  /** Ships soon. */
  schedule(): void {
    if (this.#inFlight || this.#isDue) return;
    this.#setTimer(SHIP_AFTER_MS);
  }

  /**
   * Ships everything recorded until now. Resolves when the authority has applied it. Throws `AuthorityUnavailable` if the attempt fails; it
   * is retried in the background.
   */
  async flush(): Promise<void> {
    const { slices } = this.#options;
    const { lastSeq } = slices;
    // The shipment in flight may lack the last changes.
    await this.#inFlight?.catch(() => undefined);
    do await (this.#inFlight ?? this.#shipNow());
    while (slices.appliedSeq < lastSeq);
  }

  /** Resolves when the authority has applied the change with this number, however many attempts that takes. */
  async untilApplied(seq: number): Promise<void> {
    while (this.#options.slices.appliedSeq < seq) {
      if (this.#isStopped) throw processEnds();
      await this.flush().catch(() => Bun.sleep(Math.max(FIRST_RETRY_MS, this.#retryMs)));
    }
  }

  /** The connection has ended: the next shipment connects again. */
  disconnected(): void {
    this.#epoch = undefined;
    this.#connections++;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #setTimer(ms: number): void {
    clearTimeout(this.#timer);
    this.#isDue = ms < HEARTBEAT_MS;
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#shipNow().catch(() => undefined), ms);
  }

  #shipNow(): Promise<void> {
    // This flush waited for a shipment that was then fenced: a second call of `fenced` would end the requests in flight.
    if (this.#isStopped) return Promise.reject(processEnds());
    this.#inFlight ??= this.#ship().then(
      () => this.#ended(undefined),
      (error: unknown) => {
        this.#ended(error);
        throw error;
      },
    );
    return this.#inFlight;
  }

  #ended(error: unknown): void {
    this.#inFlight = undefined;
    if (error instanceof FencedError || error instanceof SequenceGapError) {
      this.stop();
      return this.#options.fenced(error);
    }
    this.#retryMs = error ? Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS) : 0;
    if (error) this.disconnected();
    this.#reportFailure(error instanceof Error ? error.message : undefined);
    this.#scheduleNext();
  }

  #scheduleNext(): void {
    const isMore = this.#options.slices.unappliedCount > 0;
    this.#setTimer(this.#retryMs || (isMore ? SHIP_AFTER_MS : HEARTBEAT_MS));
  }

  #reportFailure(failure: string | undefined): void {
    if ((failure === undefined) !== (this.#failure === undefined)) this.#options.report(failure);
    this.#failure = failure;
  }

  async #ship(): Promise<void> {
    const { authority, instanceId, slices, monotonicMs, progress } = this.#options;
    const epoch = this.#epoch ?? (await this.#join());
    const sentAtMs = monotonicMs();
    this.#acknowledge(
      await authority.ship({ instanceId, epoch, changes: slices.unapplied.slice(0, MAX_CHANGES), progress: progress() }),
      sentAtMs,
    );
  }

  async #join(): Promise<number> {
    const { authority, instanceId, slices } = this.#options;
    const connections = this.#connections;
    const { epoch, appliedSeq, purses } = await authority.join(instanceId);
    if (connections !== this.#connections) throw new AuthorityUnavailable("the connection has ended");
    this.#epoch = epoch;
    slices.connected(appliedSeq, purses);
    return epoch;
  }

  #acknowledge(shipped: ShipmentReply, sentAtMs: number): void {
    const { slices, deadline, fenced } = this.#options;
    slices.acknowledge(shipped.appliedSeq, shipped.purses);
    this.#options.shipped(shipped);
    if (shipped.state === "written_off") {
      deadline.expire();
      // Called once: a second call would end the requests in flight, which are finished and booked as adjustments.
      if (!this.#isWrittenOff) fenced(new FencedError("this process was written off"));
      this.#isWrittenOff = true;
    } else deadline.answered(Math.min(sentAtMs, this.#options.currentUntilMs()));
  }
}

function processEnds(): AuthorityUnavailable {
  return new AuthorityUnavailable("the process is ending");
}
