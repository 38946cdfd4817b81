/** How long an idle connection to an upstream is kept. Bun closes it up to eight seconds later. */
export const KEPT_FOR_SECONDS = 30;

/** For so long after its last sign of life an upstream is taken to be there: until no connection can be left. */
const ALIVE_FOR_MS = (KEPT_FOR_SECONDS + 10) * 1000;

/** How long one address is tried alone before the next is tried beside it (RFC 8305). */
const HEAD_START_MS = 250;

/**
 * Which of an upstream's addresses takes connections. fetch cannot tell "still connecting" from "connected, and the model is
 * thinking", so a call that must open a connection is accompanied by a bare one: if that is not made, nor is the call's. One
 * serves all calls that wait. While a kept connection may carry the call, none is made: the upstream may be working on it
 * although its queue of new connections is full.
 */
export class Reachability {
  readonly #port: number;
  #aliveAtMs = Number.NEGATIVE_INFINITY;
  #aliveAddress: string | undefined;
  #trial: Promise<string | undefined> | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** The upstream has answered something at this address. */
  sawLife(address: string): void {
    this.#aliveAddress = address;
    this.#aliveAtMs = performance.now();
  }

  sawNoLife(): void {
    this.#aliveAtMs = Number.NEGATIVE_INFINITY;
  }

  isAlive(address: string): boolean {
    return address === this.#aliveAddress && performance.now() - this.#aliveAtMs < ALIVE_FOR_MS;
  }

  /** These addresses, the one that answered last before the others: it is where kept connections lead. */
  inOrder(addresses: readonly string[]): readonly string[] {
    const alive = this.#aliveAddress;
    if (alive === undefined || alive === addresses[0] || !addresses.includes(alive)) return addresses;
    return [alive, ...addresses.filter((address) => address !== alive)];
  }

  /**
   * The first of these addresses that takes a connection; undefined where none does in time. Where all refuse, a refusal
   * counts as taken: somebody is there to refuse.
   */
  async findOpen(addresses: readonly string[], withinMs: number): Promise<string | undefined> {
    this.#trial ??= this.#tryEach(addresses, withinMs).finally(() => (this.#trial = undefined));
    return this.#trial;
  }

  async #tryEach(addresses: readonly string[], withinMs: number): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const untried = addresses.values();
    let refusals = 0;
    let headStart: Timer | undefined;
    const tryNext = (): void => {
      clearTimeout(headStart);
      const { value: address } = untried.next();
      if (address === undefined) return;
      headStart = setTimeout(tryNext, HEAD_START_MS);
      tryToConnect(address, this.#port, (isOpen) => {
        if (isOpen) return resolve(address);
        refusals += 1;
        return refusals === addresses.length ? resolve(addresses[0]) : tryNext();
      });
    };
    tryNext();
    const timer = setTimeout(() => resolve(undefined), withinMs);
    const open = await promise;
    clearTimeout(timer);
    clearTimeout(headStart);
    if (open !== undefined) this.sawLife(open);
    return open;
  }
}

/** Opens a connection to an address and closes it again. */
function tryToConnect(address: string, port: number, report: (isOpen: boolean) => void): void {
  const open = (socket: Bun.Socket): void => {
    report(true);
    socket.end();
  };
  Bun.connect({ hostname: address, port, socket: { open, data: () => undefined } }).catch(() => report(false));
}
