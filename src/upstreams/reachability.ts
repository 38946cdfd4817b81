/** How long an idle connection to an upstream is kept. Bun closes it up to eight seconds later. */
export const KEPT_FOR_SECONDS = 30;

/** For so long after its last sign of life an upstream is taken to be there: until no connection can be left. */
const ALIVE_FOR_MS = (KEPT_FOR_SECONDS + 10) * 1000;

/**
 * Whether an upstream's address takes connections. fetch cannot tell "still connecting" from "connected, and the model is
 * thinking", so a call that must open a connection is accompanied by a bare one: if that is not made, nor is the call's. One
 * serves all calls that wait. While a kept connection may carry the call, none is made: the upstream may be working on it
 * although its queue of new connections is full.
 */
export class Reachability {
  readonly #hostname: string;
  readonly #port: number;
  #aliveAtMs = Number.NEGATIVE_INFINITY;
  #trial: Promise<boolean> | undefined;

  constructor(address: string) {
    const { hostname, port, protocol } = new URL(address);
    this.#hostname = hostname.replaceAll(/[[\]]/g, "");
    this.#port = Number(port || (protocol === "https:" ? 443 : 80));
  }

  /** The upstream has answered something. */
  sawLife(): void {
    this.#aliveAtMs = performance.now();
  }

  /** False where nobody takes a connection in time. A refusal counts as taken: somebody is there to refuse. */
  async isReached(withinMs: number): Promise<boolean> {
    if (performance.now() - this.#aliveAtMs < ALIVE_FOR_MS) return true;
    this.#trial ??= this.#tryToConnect(withinMs);
    return this.#trial;
  }

  async #tryToConnect(withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    const connecting = Bun.connect({
      hostname: this.#hostname,
      port: this.#port,
      socket: { open: () => resolve(true), data: () => undefined, connectError: () => resolve(true) },
    });
    connecting.then(
      (socket) => socket.end(),
      () => resolve(true),
    );
    const isReached = await promise;
    clearTimeout(timer);
    this.#trial = undefined;
    if (isReached) this.sawLife();
    return isReached;
  }
}
