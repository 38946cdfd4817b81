/** For so long after its last sign of life an upstream is taken to be there. */
const ALIVE_FOR_MS = 10_000;

/**
 * Whether an upstream's address takes connections. fetch cannot tell "still connecting" from "connected, and the model is
 * thinking", so an address that has not been heard of lately is tried with a bare connection beside the call. One try serves
 * all calls that wait, and none is made while the upstream answers: its queue of connections may be full of our own.
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
