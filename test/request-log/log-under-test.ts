import type { QueuedRequestLogStore } from "../../src/stores/request-log/queued-request-log-store.ts";
import { endedRequest, type EndedSketch } from "./ended-requests.ts";

/** A request log with clocks that are controlled by the test, and its reports. */
export abstract class LogUnderTest<Store extends QueuedRequestLogStore> {
  /** Failures when they start and, as undefined, when they end. */
  readonly reports: (string | undefined)[] = [];
  nowMs = Date.parse("2027-01-31T12:00:00Z");
  /** The monotonic clock, which is never set. */
  monotonicMs = 0;
  abstract store: Store;

  /** Records requests, and returns their IDs. */
  note(...sketches: readonly EndedSketch[]): string[] {
    return sketches.map((sketch) => {
      const ended = endedRequest({ endedAtMs: this.nowMs, ...sketch });
      this.store.note(ended);
      return ended.requestId;
    });
  }

  noteMany(count: number, sketch: EndedSketch = {}): string[] {
    return this.note(...Array.from({ length: count }, () => sketch));
  }

  /** Advances both clocks. */
  pass(ms: number): void {
    this.nowMs += ms;
    this.monotonicMs += ms;
  }

  /** The IDs of all logged requests, in order. */
  async ids(): Promise<string[]> {
    return (await this.store.list({}, undefined, "newer", 100_000)).map(({ request }) => request.requestId);
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = this.open();
  }

  /** Opens the log again, like the next start. */
  protected abstract open(): Store;
}
