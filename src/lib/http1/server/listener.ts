import type { ConnectionClosure } from "./connection-closures.ts";
import { isWithin, type AddressRange } from "../../net/ip-address.ts";
import { networkOf } from "../../net/network-of.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { Reply } from "./reply.ts";
import { Connection } from "./connection.ts";
import type { ListenerContext } from "./listener-context.ts";
import { OpenConnections, type ConnectionCounts } from "./open-connections.ts";
import { ReservedConnections } from "./reserved-connections.ts";
import { openSocket, type ListenAddress, type OpenSocket } from "./open-socket.ts";
import type { ServerRequest } from "./server-request.ts";

/** Extra connections beyond the maximum, for health checks, operators and accounts below their share, as a fraction of the maximum. */
const RESERVED_SHARE = 0.1;
/**
 * Connections of addresses at their limit that are rejected with a reply, as a fraction of the maximum. Further connections are closed
 * immediately.
 */
const REJECTED_SHARE = 0.05;
/**
 * The fraction of the maximum below which a full listener counts as available again. When it is full the next time, that is reported again.
 */
const AVAILABLE_SHARE = 0.9;

/** How long a drain waits for the last request of idle connections. Only used if other processes accept the clients' next connections. */
const LINGER_MS = 1000;
const LINGER_CHECK_MS = 10;

/**
 * The limit that was reached: the maximum of the listener (`full`), or the maximum of one address without a valid key (`address_limit`).
 */
export class TooManyConnections extends Error {
  readonly limit: "full" | "address_limit";

  constructor(limit: "full" | "address_limit") {
    super(limit === "full" ? "too many connections" : "too many connections from one address without a valid key");
    this.limit = limit;
  }
}

export interface ListenOptions extends ListenAddress {
  /** Whether other processes accept the clients' next connections: on the same port, or behind the same load balancer. */
  readonly hasPeers?: boolean;
  readonly maxConnections: number;
  /** Called when the listener is full and starts to reject connections. */
  readonly reportFull: () => void;
  /** The memory for request bodies, which the listeners of one process share. */
  readonly bodies: BodyMemory;
  /** How long receiving the body of a request may take. */
  readonly uploadSeconds: number;
  /** How long an authenticated connection may be idle. */
  readonly keepAliveSeconds: number;
  /** The addresses of trusted proxies. Each proxy carries many clients, so its connections count as authenticated. */
  readonly trustedProxies: readonly AddressRange[];
  /**
   * Whether a credential is still valid: connections with a revoked credential are closed. Undefined if credentials are valid until a
   * request with them is rejected.
   */
  readonly isCredentialValid?: (credential: string) => boolean;
  /** Handles a request. Never rejects. */
  readonly handle: (request: ServerRequest) => Promise<Reply>;
  /** The reply to a request that cannot be read or is not accepted, or whose reply cannot be written. */
  readonly refuse: (thrown: unknown) => Reply;
  /** Called with an internal error on a connection, which is then closed. */
  readonly reportFailure: (thrown: unknown) => void;
}

/** An HTTP/1.1 server on a port. */
export class Http1Listener implements ListenerContext<Connection> {
  readonly port: number;
  // `Keep-Alive` is a hop-by-hop header, which `Connection` has to name (RFC 9110 §7.6.1).
  readonly keepAliveLines: string;
  readonly #options: ListenOptions;
  readonly #socket: OpenSocket;
  readonly #connections: OpenConnections;
  /** Connections beyond the maximum, and connections of addresses at their limit. They do not count against the maximum. */
  readonly #reserved: ReservedConnections;
  readonly #rejected = new Set<Connection>();
  readonly #clock: Timer;
  #seconds = 0;
  #date = new Date().toUTCString();
  #drained: PromiseWithResolvers<void> | undefined;
  /** Whether the listener reads no more requests. */
  #isFinishing = false;
  #isLingering = false;
  /** Whether connections were rejected, and the listener has not been available since then. */
  #isFull = false;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.keepAliveLines = `connection: keep-alive\r\nkeep-alive: timeout=${options.keepAliveSeconds}\r\n`;
    this.#connections = new OpenConnections(options.maxConnections);
    this.#reserved = new ReservedConnections(options.maxConnections * RESERVED_SHARE);
    this.#socket = this.#listen(options);
    this.port = this.#socket.port;
    this.#clock = setInterval(() => this.#tick(), 1000);
  }

  #listen(options: ListenOptions): OpenSocket {
    return openSocket<Connection>(options, {
      open: (socket) => this.#opened(socket),
      data: (socket, bytes) => socket.data.received(bytes),
      drain: (socket) => socket.data.drained(),
      close: (socket) => this.#closed(socket.data),
      // Called only for exceptions in the handlers above; a broken connection is just closed.
      error: (socket, thrown) => this.#failed(socket, thrown),
    });
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

  /** Requests in flight. */
  get pending(): number {
    let pending = 0;
    for (const connection of this.#served()) if (connection.isBusy) pending++;
    return pending;
  }

  *#served(): Iterable<Connection> {
    yield* this.#connections;
    yield* this.#reserved;
  }

  handle(request: ServerRequest): Promise<Reply> {
    return this.#options.handle(request);
  }

  refuse(thrown: unknown): Reply {
    return this.#options.refuse(thrown);
  }

  /**
   * Accepts no more connections, and resolves when no request is in flight. Until then, idle connections stay open: a client may be about
   * to send a request on an idle connection, and a load balancer would not retry it. Each reply closes its connection.
   */
  async drain(): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    if (this.#options.hasPeers) await this.#leaveToPeers();
    else this.#stopAccepting();
    this.connectionDrained();
    await this.#drained.promise;
  }

  /** Drains a listener while other processes accept the next connections of all clients, so that no client sees a failure. */
  async #leaveToPeers(): Promise<void> {
    this.#isLingering = true;
    // Connections that wait to be accepted are reset when the socket closes. Right after a turn of the event loop that has accepted all of
    // them, no connection is waiting.
    await new Promise((resolve) => setImmediate(resolve));
    this.#stopAccepting();
    // Connections that were just accepted stay open: closing them would reset them while their first request is on its way.
    const untilMs = performance.now() + LINGER_MS;
    while (this.#connections.size > 0 && performance.now() < untilMs && !this.#isFinishing) await Bun.sleep(LINGER_CHECK_MS);
    this.#isLingering = false;
  }

  #stopAccepting(): void {
    this.#socket.stop();
    for (const connection of this.#served()) if (connection.isBusy) connection.finish();
  }

  /** Accepts no more connections, closes idle ones, and reads no more requests from the others. */
  finish(): void {
    this.#socket.stop();
    this.#drained ??= Promise.withResolvers();
    // Set first: otherwise, each connection that ends would recount the requests in flight on all others.
    this.#isFinishing = true;
    for (const connection of this.#served()) connection.finish();
  }

  /** Closes every connection now. Resolves after the handlers of requests in flight have seen it, so that they are logged. */
  async close(): Promise<void> {
    clearInterval(this.#clock);
    this.#socket.stop();
    for (const connection of [...this.#served(), ...this.#rejected]) {
      // A reset tells the client of a request in flight that its reply is incomplete; an idle connection does not need a reset.
      if (connection.isBusy) connection.cut();
      else connection.close();
      this.#closed(connection);
    }
    this.#socket.stop(true);
    this.#drained?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }

  connectionDrained(): void {
    if (!this.#drained || this.#isLingering || this.#isFinishing || this.pending > 0) return;
    this.finish();
    this.#drained.resolve();
  }

  authenticated(connection: Connection, account: string, isOperator: boolean): void {
    if (!connection.standing.isReserved) return this.#connections.authenticated(connection, account);
    if (!isOperator && !this.#mayUseReserve(connection, account)) throw this.#tooMany("full");
    this.#reserved.admit(connection);
  }

  unauthenticated(connection: Connection): void {
    if (!connection.standing.isReserved) this.#connections.unauthenticated(connection);
  }

  /** Behind a trusted proxy, the shares of accounts are unknown. */
  #mayUseReserve(connection: Connection, account: string): boolean {
    return connection.standing.network !== undefined && this.#connections.isBelowShare(account) && this.#reserved.lend(connection, account);
  }

  #tooMany(limit: TooManyConnections["limit"]): TooManyConnections {
    this.noteClosure(limit);
    return new TooManyConnections(limit);
  }

  noteClosure(reason: ConnectionClosure): void {
    this.#connections.noteClosure(reason);
  }

  #opened(socket: Bun.Socket<Connection>): void {
    const connection = new Connection(socket, this);
    socket.data = connection;
    connection.standing.network = this.#networkOf(socket);
    const limit = this.#connections.makeRoomFor(connection.standing.network);
    if (limit === "full") return this.#openReserved(connection);
    if (limit) return this.#rejectOverload(connection, limit);
    this.#connections.add(connection);
    if (this.#connections.size < this.#options.maxConnections * AVAILABLE_SHARE) this.#isFull = false;
  }

  /**
   * The network of a client. Undefined for a trusted proxy, and for every client of a unix socket, which counts as one: their connections
   * count only against the maximum of the listener.
   */
  #networkOf({ remoteAddress }: Bun.Socket<Connection>): string | undefined {
    const { socket, trustedProxies } = this.#options;
    const isProxy = socket !== undefined || (trustedProxies.length > 0 && isWithin(remoteAddress, trustedProxies));
    return isProxy ? undefined : networkOf(remoteAddress);
  }

  #openReserved(connection: Connection): void {
    this.#reportFull();
    if (this.#reserved.add(connection)) return;
    this.noteClosure("full");
    connection.cut();
  }

  #rejectOverload(connection: Connection, limit: TooManyConnections["limit"]): void {
    const error = this.#tooMany(limit);
    if (this.#rejected.size >= Math.max(1, this.#options.maxConnections * REJECTED_SHARE)) return connection.cut();
    this.#rejected.add(connection);
    connection.rejectOverload(error);
  }

  #reportFull(): void {
    if (!this.#isFull) this.#options.reportFull();
    this.#isFull = true;
  }

  #closed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#reserved.delete(connection);
    this.#rejected.delete(connection);
    if (connection.isBusy) this.connectionDrained();
    connection.closed();
  }

  #failed(socket: Bun.Socket<Connection>, thrown: unknown): void {
    this.#options.reportFailure(thrown);
    socket.terminate();
  }

  #tick(): void {
    this.#seconds++;
    this.#date = new Date().toUTCString();
    const { isCredentialValid } = this.#options;
    if (isCredentialValid) for (const connection of this.#connections) connection.standing.check(isCredentialValid);
    for (const connections of [this.#connections, this.#reserved, this.#rejected]) {
      for (const connection of connections) connection.checkDeadlines();
    }
  }
}
