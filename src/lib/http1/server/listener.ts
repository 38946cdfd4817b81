import type { ConnectionClosure } from "./connection-closures.ts";
import { isWithin, type AddressRange } from "../../net/ip-address.ts";
import { networkOf } from "../../net/network-of.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { Reply } from "./reply.ts";
import { Connection } from "./connection.ts";
import type { ListenerContext } from "./listener-context.ts";
import { OpenConnections, type ConnectionCounts } from "./open-connections.ts";
import type { ServerRequest } from "./server-request.ts";

/** So many on top, for each that there may be, hear why they are turned away. The rest are cut, however many come at once. */
const TURNED_AWAY = 0.1;
/** How full it is, at most, when it is told of again. */
const ROOM_AGAIN = 0.9;

/** The listener has all the connections it may have (`full`), or all that one address may have without a valid key (`address_limit`). */
export class TooManyConnections extends Error {
  readonly limit: "full" | "address_limit";

  constructor(limit: "full" | "address_limit") {
    super(limit === "full" ? "too many connections" : "too many connections from one address without a valid key");
    this.limit = limit;
  }
}

export interface ListenOptions {
  readonly hostname: string;
  readonly port: number;
  readonly maxConnections: number;
  /** Hears when callers begin to be turned away, because there are so many. */
  readonly reportFull: () => void;
  /** The memory that the bodies of requests may take. Listeners of one process share it. */
  readonly bodies: BodyMemory;
  /** How long the body of a request may take to be received. */
  readonly uploadSeconds: number;
  /** How long an authenticated connection may be idle. */
  readonly keepAliveSeconds: number;
  /** Where proxies of ours connect from. Each brings many callers, so its connections count as authenticated. */
  readonly trustedProxies: readonly AddressRange[];
  /** Has a request answered. Never rejects. */
  readonly answer: (request: ServerRequest) => Promise<Reply>;
  /** What is said to somebody whose request cannot be read or is not wanted, or whose reply cannot be written. */
  readonly refuse: (thrown: unknown) => Reply;
  /** Hears what went wrong on a connection, which is cut then. */
  readonly reportFailure: (thrown: unknown) => void;
}

/** A port on which HTTP/1.1 is spoken. */
export class Http1Listener implements ListenerContext<Connection> {
  readonly port: number;
  // `Keep-Alive` is about this connection alone, which `Connection` has to say (RFC 9110 §7.6.1).
  readonly keepAliveLines: string;
  readonly #options: ListenOptions;
  readonly #socket: Bun.TCPSocketListener<Connection>;
  readonly #connections: OpenConnections;
  /** Those that came on top. However long they stay, they take nobody's place. */
  readonly #turnedAway = new Set<Connection>();
  readonly #clock: Timer;
  #seconds = 0;
  #date = new Date().toUTCString();
  #drained: PromiseWithResolvers<void> | undefined;
  /** No more requests are read. */
  #isFinishing = false;
  /** Whether somebody was turned away, and there has not been much more room since. */
  #isFull = false;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.keepAliveLines = `connection: keep-alive\r\nkeep-alive: timeout=${options.keepAliveSeconds}\r\n`;
    this.#connections = new OpenConnections(options.maxConnections);
    this.#socket = this.#listen(options);
    this.port = this.#socket.port;
    this.#clock = setInterval(() => this.#tick(), 1000);
  }

  #listen({ hostname, port }: ListenOptions): Bun.TCPSocketListener<Connection> {
    try {
      return Bun.listen<Connection>({
        hostname,
        port,
        // Otherwise a second process could take every other connection of this port.
        exclusive: true,
        socket: {
          open: (socket) => this.#opened(socket),
          data: (socket, bytes) => socket.data.received(bytes),
          drain: (socket) => socket.data.drained(),
          close: (socket) => this.#closed(socket.data),
          // What is thrown above, and that alone: a connection that breaks is closed, and that is all there is to it.
          error: (socket, thrown) => this.#failed(socket, thrown),
        },
      });
    } catch (error) {
      throw notListening(error, hostname, port);
    }
  }

  get seconds(): number {
    return this.#seconds;
  }

  get date(): string {
    return this.#date;
  }

  get isDraining(): boolean {
    return this.#drained !== undefined;
  }

  get bodies(): BodyMemory {
    return this.#options.bodies;
  }

  get uploadSeconds(): number {
    return this.#options.uploadSeconds;
  }

  get keepAliveSeconds(): number {
    return this.#options.keepAliveSeconds;
  }

  get counts(): ConnectionCounts {
    return this.#connections.counts;
  }

  /** How many requests are being answered. */
  get pending(): number {
    let pending = 0;
    for (const connection of this.#connections) if (connection.isBusy) pending++;
    return pending;
  }

  answer(request: ServerRequest): Promise<Reply> {
    return this.#options.answer(request);
  }

  refuse(thrown: unknown): Reply {
    return this.#options.refuse(thrown);
  }

  /**
   * Accepts no more connections, and resolves when no request is under way. Until then idle connections stay open: a client may be about to
   * send a request on one, and a load balancer would not send it again. Each reply says that it is the last of its connection.
   */
  async drain(): Promise<void> {
    this.#socket.stop();
    this.#drained ??= Promise.withResolvers();
    for (const connection of this.#connections) if (connection.isBusy) connection.finish();
    this.rested();
    await this.#drained.promise;
  }

  /** Accepts no more connections, closes idle ones, and reads no more requests from the others. */
  finish(): void {
    this.#socket.stop();
    this.#drained ??= Promise.withResolvers();
    // First: each connection that ends would have all the others asked.
    this.#isFinishing = true;
    for (const connection of this.#connections) connection.finish();
  }

  /** Closes every connection now. Resolves after the handlers of requests in flight have seen it, so that they are logged. */
  async close(): Promise<void> {
    clearInterval(this.#clock);
    this.#socket.stop();
    for (const connection of [...this.#connections, ...this.#turnedAway]) {
      // A reset tells the client of a request in flight that its reply is incomplete; an idle connection needs none.
      if (connection.isBusy) connection.cut();
      else connection.close();
      this.#closed(connection);
    }
    this.#socket.stop(true);
    this.#drained?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }

  rested(): void {
    if (!this.#drained || this.#isFinishing || this.pending > 0) return;
    this.finish();
    this.#drained.resolve();
  }

  authenticated(connection: Connection): void {
    this.#connections.authenticated(connection);
  }

  noteClosure(reason: ConnectionClosure): void {
    this.#connections.noteClosure(reason);
  }

  #opened(socket: Bun.Socket<Connection>): void {
    const connection = new Connection(socket, this);
    socket.data = connection;
    const network = this.#networkOf(socket.remoteAddress);
    const limit = this.#connections.makeRoom(network);
    if (limit) return this.#rejectOverload(connection, limit);
    this.#connections.add(connection, network);
    if (this.#connections.size < this.#options.maxConnections * ROOM_AGAIN) this.#isFull = false;
  }

  /** Undefined for a trusted proxy, whose connections count against no limit but that of all. */
  #networkOf(address: string): string | undefined {
    const { trustedProxies } = this.#options;
    return trustedProxies.length > 0 && isWithin(address, trustedProxies) ? undefined : networkOf(address);
  }

  #rejectOverload(connection: Connection, limit: "full" | "address_limit"): void {
    if (limit === "full") this.#reportFull();
    if (this.#turnedAway.size >= this.#options.maxConnections * TURNED_AWAY) return connection.cut();
    this.#turnedAway.add(connection);
    connection.rejectOverload(new TooManyConnections(limit));
  }

  #reportFull(): void {
    if (!this.#isFull) this.#options.reportFull();
    this.#isFull = true;
  }

  #closed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#turnedAway.delete(connection);
    if (connection.isBusy) this.rested();
    connection.closed();
  }

  #failed(socket: Bun.Socket<Connection>, thrown: unknown): void {
    this.#options.reportFailure(thrown);
    socket.terminate();
  }

  #tick(): void {
    this.#seconds++;
    this.#date = new Date().toUTCString();
    for (const connections of [this.#connections, this.#turnedAway]) {
      for (const connection of connections) connection.checkDeadlines();
    }
  }
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "address not available",
  EACCES: "permission denied",
  ENOTFOUND: "there is no such name",
};

/** Bun says where, and not why. */
function notListening(thrown: unknown, hostname: string, port: number): Error {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "ENOTFOUND";
  return Object.assign(new Error(`Failed to listen at ${hostname}, port ${port}: ${WHY[code] ?? code}`), { code, syscall: "listen" });
}
