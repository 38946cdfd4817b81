import type { ConnectedProcess, OwnerService } from "../../lib/ipc/ipc-service.ts";
import type { ClaimMessage, ClaimReply, ClaimStatement, FindMessage, FindReply, ReleaseMessage } from "./claim-messages.ts";
import type { Claim, ClaimedRequest, ClaimStore } from "./claim-store.ts";

/** A claim of a gateway process. */
interface HeldClaim {
  readonly processId: string;
  readonly requestId: string;
  readonly claim: Claim;
}

/**
 * The idempotency claims of all gateway processes, in the store that the owner's own requests use. The claims of a disconnected process
 * stay until the process has ended: its request may be in flight, or the reply may be in a journal that is not applied yet.
 */
export class ClaimService implements OwnerService {
  readonly name = "claims";
  readonly calls = {
    claim: (from: ConnectedProcess, body: unknown): Promise<ClaimReply> => this.#claim(from, body as ClaimMessage),
    find: (from: ConnectedProcess, body: unknown): Promise<FindReply> => this.#find(from, body as FindMessage),
    release: ({ id }: ConnectedProcess, body: unknown): Promise<void> => this.#release(id, body as ReleaseMessage),
  };
  readonly notices = { release: ({ id }: ConnectedProcess, body: unknown): void => void this.#release(id, body as ReleaseMessage) };
  readonly #store: ClaimStore;
  /** Claims by scope. */
  readonly #held = new Map<string, HeldClaim>();
  readonly #connected = new Set<string>();

  constructor(store: ClaimStore) {
    this.#store = store;
  }

  /** The process states all of its claims. Any other claim of this process is released. */
  connected({ id }: ConnectedProcess, statement: unknown): void {
    this.#connected.add(id);
    const stated = new Map((statement as ClaimStatement).map((each) => [each[0], each]));
    for (const [scope, { processId, requestId }] of this.#held) {
      if (processId === id && stated.get(scope)?.[2] !== requestId) void this.#release(id, [scope, requestId]);
    }
    for (const [scope, digest, requestId] of stated.values()) {
      if (!this.#held.has(scope)) void this.#claimFor(id, scope, digest, requestId);
    }
  }

  disconnected(processId: string): void {
    this.#connected.delete(processId);
  }

  ended(id: string): void {
    for (const [scope, { processId, requestId }] of this.#held) if (processId === id) void this.#release(id, [scope, requestId]);
  }

  async #claim(from: ConnectedProcess, [watch, scope, digest, requestId]: ClaimMessage): Promise<ClaimReply> {
    const inFlight = await this.#claimFor(from.id, scope, digest, requestId);
    if (!inFlight) return ["claimed"];
    const holder = this.#held.get(scope);
    if (holder && !this.#connected.has(holder.processId)) return ["away"];
    notifyWhenReleased(inFlight, from, watch);
    return ["in_flight", inFlight.digest, inFlight.requestId];
  }

  /** Returns the request in flight that has claimed the scope, if any. */
  async #claimFor(processId: string, scope: string, digest: string, requestId: string): Promise<ClaimedRequest | undefined> {
    const claimed = await this.#store.claim(scope, digest, requestId);
    if (!("release" in claimed)) return claimed;
    this.#held.set(scope, { processId, requestId, claim: claimed });
    return undefined;
  }

  async #find(from: ConnectedProcess, [watch, scope]: FindMessage): Promise<FindReply> {
    const inFlight = await this.#store.find(scope);
    if (!inFlight) return null;
    notifyWhenReleased(inFlight, from, watch);
    return [inFlight.digest, inFlight.requestId];
  }

  async #release(processId: string, [scope, requestId]: ReleaseMessage): Promise<void> {
    const held = this.#held.get(scope);
    if (held?.processId !== processId || held.requestId !== requestId) return;
    this.#held.delete(scope);
    await held.claim.release();
  }
}

function notifyWhenReleased({ released }: ClaimedRequest, process: ConnectedProcess, watch: number): void {
  void released.then(() => process.notify("claims.released", watch));
}
