import type { IpcPeer, ProcessService } from "../../lib/ipc/ipc-service.ts";
import type { ApiError } from "../../requests/api-error.ts";
import { authorityAway } from "../../requests/authority-away.ts";
import type { ClaimMessage, ClaimReply, ClaimStatement, FindMessage, FindReply, ReleaseMessage } from "./claim-messages.ts";
import type { Claim, ClaimedRequest, ClaimStore } from "./claim-store.ts";

type HeldClaim = ClaimStatement[number];

/**
 * Idempotency claims of a gateway process, granted by the owner. A request that waits for another request to end is woken by a notice. It
 * is also woken when the owner reconnects, because the notice may have been lost. After waking it claims again.
 */
export class SharedClaimStore implements ClaimStore, ProcessService {
  readonly name = "claims";
  readonly notices = { released: (watch: unknown): void => this.#wake(watch as number) };
  readonly #owner: IpcPeer;
  /** The claims of this process's requests in flight, by scope. */
  readonly #held = new Map<string, HeldClaim>();
  #stated: ClaimStatement = [];
  readonly #watches = new Map<number, () => void>();
  #lastWatch = 0;
  #isConnected = false;

  constructor(owner: IpcPeer) {
    this.#owner = owner;
  }

  async claim(scope: string, digest: string, requestId: string): Promise<Claim | ClaimedRequest> {
    const { watch, released } = this.#watch();
    const reply = await this.#claim([watch, scope, digest, requestId]);
    if (reply[0] === "in_flight") return { digest: reply[1], requestId: reply[2], released };
    this.#wake(watch);
    if (reply[0] === "away") throw claimsUnknown("the request with this idempotency key is in a process that is not connected");
    const held: HeldClaim = [scope, digest, requestId];
    this.#held.set(scope, held);
    return { release: () => this.#release(held) };
  }

  async find(scope: string): Promise<ClaimedRequest | undefined> {
    const { watch, released } = this.#watch();
    const message: FindMessage = [watch, scope];
    const found = (await this.#call("claims.find", message, watch)) as FindReply;
    if (found) return { digest: found[0], requestId: found[1], released };
    this.#wake(watch);
    return undefined;
  }

  statement(): ClaimStatement {
    this.#stated = [...this.#held.values()];
    return this.#stated;
  }

  connected(): void {
    this.#isConnected = true;
    for (const stated of this.#stated) if (this.#held.get(stated[0]) !== stated) this.#notifyRelease(stated[0], stated[2]);
    for (const watch of this.#watches.keys()) this.#wake(watch);
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  async #claim(message: ClaimMessage): Promise<ClaimReply> {
    const [watch, scope, , requestId] = message;
    try {
      return (await this.#call("claims.claim", message, watch)) as ClaimReply;
    } catch (error) {
      // Whether the owner has granted the claim is unknown.
      this.#notifyRelease(scope, requestId);
      throw error;
    }
  }

  async #call(method: string, message: unknown, watch: number): Promise<unknown> {
    try {
      if (!this.#isConnected) throw new Error("the owner process is not connected");
      return await this.#owner.call(method, message);
    } catch (error) {
      this.#wake(watch);
      throw claimsUnknown((error as Error).message);
    }
  }

  /** If the owner is away, it learns of the release from the next statement, which lacks the claim. */
  async #release(held: HeldClaim): Promise<void> {
    const [scope, , requestId] = held;
    if (this.#held.get(scope) !== held) return;
    this.#held.delete(scope);
    const message: ReleaseMessage = [scope, requestId];
    await this.#owner.call("claims.release", message).catch(() => undefined);
  }

  #notifyRelease(scope: string, requestId: string): void {
    const message: ReleaseMessage = [scope, requestId];
    this.#owner.notify("claims.release", message);
  }

  /** Registers a wait. Call this before asking the owner, because its notice may arrive before its reply. */
  #watch(): { readonly watch: number; readonly released: Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#watches.set(++this.#lastWatch, resolve);
    return { watch: this.#lastWatch, released: promise };
  }

  #wake(watch: number): void {
    this.#watches.get(watch)?.();
    this.#watches.delete(watch);
  }
}

function claimsUnknown(detail: string): ApiError {
  return authorityAway(`an idempotency key cannot be claimed: ${detail}`);
}
