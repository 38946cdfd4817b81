import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { CommandFailed } from "../../command.ts";
import { reportStatus } from "../../output.ts";
import type { Fields } from "../../platform-command.ts";

export interface RequestPage {
  readonly data: readonly LoggedRequest[];
  readonly next: string | null;
  readonly newer: string | null;
}

/** Reads a page of the requests that match the filter of the command. */
export type ReadPage = (fields: Fields) => Promise<RequestPage>;

/** Prints requests. Resolves to false once stdout is closed. */
export type Print = (requests: readonly LoggedRequest[]) => Promise<boolean>;

const POLL_MS = 1000;
const MAX_PAGE = 1000;

/** Errors that are transient while a gateway restarts. Any other error ends the command. */
const TRANSIENT = new Set(["no_gateway", "overloaded", "internal_error"]);

/**
 * Prints new requests until Ctrl-C or until stdout is closed. It follows a cursor into the log, which survives a restart of the gateway: no
 * request is missed or printed twice.
 */
export async function follow(read: ReadPage, start: string | null, print: Print, json: boolean): Promise<void> {
  process.on("SIGINT", () => process.exit(0));
  let cursor = start;
  for (;;) {
    const fields = { order: "oldest", limit: MAX_PAGE, ...(cursor !== null && { cursor }) };
    const { data, next, newer } = await retryWhileUnavailable(() => read(fields), json);
    if (data.length > 0 && !(await print(data))) return;
    cursor = newer ?? cursor;
    if (next === null) await Bun.sleep(POLL_MS);
  }
}

/** How long after a request its mirror may end: four times the default limit of a call. */
const MIRROR_MS = 60 * 60 * 1000;
/** A pass over many requests is followed by a pause of this many times its duration: they must not keep a gateway busy. */
const PAUSE_FACTOR = 4;

/**
 * Follows a filter by mirrors. A request matches only after its mirror has ended, when the cursor may already have passed the position of
 * the request in the log. Every pass therefore reads the matching requests of the last hour, and prints those that no earlier pass has
 * seen.
 */
export class MirrorFollower {
  readonly #read: ReadPage;
  /** The times of the requests that were seen, by id. */
  readonly #seen = new Map<string, number>();
  /** The next pass reads requests that ended since this time. */
  #fromMs: number;

  /** Requests that already match are not new. Call it before reading the first requests to print, so that none is missed in between. */
  static async start(read: ReadPage, since: string | undefined): Promise<MirrorFollower> {
    const followed = new MirrorFollower(read, since === undefined ? 0 : Date.parse(since));
    await followed.#pass(
      async () => true,
      (page) => page(),
    );
    return followed;
  }

  private constructor(read: ReadPage, sinceMs: number) {
    this.#read = read;
    this.#fromMs = Math.max(sinceMs, Date.now() - MIRROR_MS);
  }

  /** `shown` are the requests that are already printed. */
  async follow(shown: readonly LoggedRequest[], print: Print, json: boolean): Promise<void> {
    process.on("SIGINT", () => process.exit(0));
    this.#unseen(shown);
    for (;;) {
      const startedAt = performance.now();
      const isOpen = await this.#pass(print, (page) => retryWhileUnavailable(page, json));
      if (!isOpen) return;
      await Bun.sleep(Math.max(POLL_MS, PAUSE_FACTOR * (performance.now() - startedAt)));
    }
  }

  /** Resolves to false once stdout is closed. */
  async #pass(print: Print, attempt: (page: () => Promise<RequestPage>) => Promise<RequestPage>): Promise<boolean> {
    const startedAtMs = Date.now();
    const filter = { order: "oldest", limit: MAX_PAGE, from: new Date(this.#fromMs).toISOString() };
    for (let cursor: string | null | undefined; cursor !== null;) {
      const fields = { ...filter, ...(cursor !== undefined && { cursor }) };
      const { data, next } = await attempt(() => this.#read(fields));
      const found = this.#unseen(data);
      if (found.length > 0 && !(await print(found))) return false;
      cursor = next;
    }
    this.#fromMs = Math.max(this.#fromMs, startedAtMs - MIRROR_MS);
    for (const [id, endedAtMs] of this.#seen) if (endedAtMs < this.#fromMs) this.#seen.delete(id);
    return true;
  }

  #unseen(requests: readonly LoggedRequest[]): LoggedRequest[] {
    const found = requests.filter(({ request_id: id }) => !this.#seen.has(id));
    for (const { request_id: id, ended_at: endedAt } of found) this.#seen.set(id, Date.parse(endedAt));
    return found;
  }
}

/** Retries while the gateway is unavailable, and reports that once. */
async function retryWhileUnavailable<T>(call: () => Promise<T>, json: boolean): Promise<T> {
  for (let isReported = false; ;) {
    try {
      const answer = await call();
      if (isReported) reportStatus("gateway_back", "the gateway is available again", json);
      return answer;
    } catch (error) {
      if (!(error instanceof CommandFailed) || !TRANSIENT.has(error.problem.code ?? "")) throw error;
      if (!isReported) reportStatus("waiting", "the gateway is unavailable; waiting for it", json);
      isReported = true;
      await Bun.sleep(POLL_MS);
    }
  }
}
