import { addressIn } from "../../net/ip-address.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import type { Origin } from "./origin.ts";
import { connectionClosed, NotConnected, ConnectionError } from "./connection-error.ts";
import type { Secret } from "../../secret/secret.ts";
import { canBeginHead, MAX_HEAD_BYTES, readHead } from "./response-head.ts";
import { messageOf } from "../../text/message-of.ts";

/** ALPN in wire format (RFC 7301): the length, and the name. */
const HTTP_1_1 = Buffer.from("\u0008http/1.1");

/** An HTTP proxy, which opens tunnels (RFC 9110 §9.3.6). */
export interface TunnelProxy {
  readonly hostname: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: Secret | undefined;
}

/** Thrown if a proxy did not open the tunnel: no byte of the request has reached the server. */
export class TunnelFailed extends NotConnected {
  /** The status of the proxy's reply; undefined if it did not send one. */
  readonly status: number | undefined;
  readonly proxy: TunnelProxy;
  /** The destination of the requested tunnel. */
  readonly authority: string;

  constructor(proxy: TunnelProxy, authority: string, status: number | undefined, code: string, message: string) {
    super(code, message);
    this.proxy = proxy;
    this.authority = authority;
    this.status = status;
  }
}

/** The server and the address to connect to, and the pool that the connection will belong to. */
export interface DialTarget extends ConnectionOwner {
  readonly origin: Origin;
  /** The proxy to connect through; undefined to connect directly. */
  readonly proxy: TunnelProxy | undefined;
}

/** A connection attempt. It owns the socket until the connection is established. */
class DialAttempt {
  readonly target: DialTarget;
  readonly connected: PromiseWithResolvers<Connection> = Promise.withResolvers();
  connection: Connection | undefined;

  constructor(target: DialTarget) {
    this.target = target;
  }

  succeeded(socket: Bun.Socket<DialAttempt>): void {
    this.connection = new Connection(this.target, socket);
    this.connected.resolve(this.connection);
  }
}

type AttemptSocket = Bun.Socket<DialAttempt>;

const plainHandlers = {
  open: (socket: AttemptSocket) => socket.data.succeeded(socket),
  data: (socket: AttemptSocket, bytes: Buffer) => socket.data.connection?.received(bytes),
  drain: (socket: AttemptSocket) => socket.data.connection?.drained(),
  close(socket: AttemptSocket, error?: Error) {
    const { connection, connected } = socket.data;
    if (connection) connection.closed(error);
    else connected.reject(connectionClosed(error));
  },
  error(socket: AttemptSocket, error: Error) {
    // An invalid TLS record, or an exception in our code: reports why the connection ends.
    socket.data.connection?.closed(error);
    socket.terminate();
  },
};

const secureHandlers = {
  ...plainHandlers,
  open: () => undefined,
  /**
   * Bun verifies the certificate chain and the name, but leaves the decision to this code. No byte of a request can be sent earlier,
   * because there is no connection yet.
   */
  handshake(socket: AttemptSocket, isTrusted: boolean, error: Error | null) {
    const { data: attempt } = socket;
    if (isTrusted && error === null && socket.authorized) return attempt.succeeded(socket);
    attempt.connected.reject(error ?? new ConnectionError("EPROTO", "the TLS handshake failed"));
    socket.terminate();
  },
};

/** Connects to an address, directly or through its proxy, and verifies the certificate for the host name. */
export async function dial(target: DialTarget): Promise<Connection> {
  const attempt = new DialAttempt(target);
  await (target.proxy ? connectThrough(target.proxy, attempt) : connectDirectly(attempt));
  return attempt.connected.promise;
}

async function connectDirectly(attempt: DialAttempt): Promise<void> {
  const { address, origin } = attempt.target;
  try {
    await Bun.connect({
      hostname: address,
      port: origin.port,
      data: attempt,
      socket: origin.isEncrypted ? secureHandlers : plainHandlers,
      ...(origin.isEncrypted && { tls: tlsOf(origin) }),
    });
  } catch (error) {
    throw new NotConnected(
      error instanceof Error && "code" in error ? String(error.code) : "ECONNREFUSED",
      "no connection could be established",
    );
  }
}

/** TLS is inside the tunnel: the proxy sees only the address and the server name of the handshake, not the requests. */
function connectThrough(proxy: TunnelProxy, attempt: DialAttempt): Promise<void> {
  const { address, origin } = attempt.target;
  const authority = `${address.includes(":") ? `[${address}]` : address}:${origin.port}`;
  return openTunnel(proxy, authority, (socket) => {
    if (origin.isEncrypted) {
      socket.upgradeTLS<DialAttempt>({ data: attempt, tls: tlsOf(origin), socket: secureHandlers });
    } else {
      const plain = socket as unknown as AttemptSocket;
      plain.data = attempt;
      plain.reload({ socket: plainHandlers });
      attempt.succeeded(plain);
    }
  });
}

/** Set explicitly, so that no environment variable can switch the verification off. */
function tlsOf(origin: Origin): { rejectUnauthorized: true; ALPNProtocols: Buffer; serverName: string } {
  return { rejectUnauthorized: true, ALPNProtocols: HTTP_1_1, serverName: serverNameOf(origin) };
}

/**
 * The name for SNI and the certificate. An IP address must not be sent as a server name (RFC 6066 §3), but Bun sends it unless the name is
 * empty. With an empty name, Bun looks for the address in the certificate.
 */
function serverNameOf({ hostname }: Origin): string {
  return addressIn(hostname) === undefined ? hostname.replace(/\.$/, "") : "";
}

/**
 * Receives the open tunnel, and replaces the handlers of its socket. It must do so immediately, because the server may send its first
 * bytes.
 */
type HandOver = (socket: Bun.Socket<TunnelAttempt>) => void;

/** The idle timeout of a proxy, which closes the connection. The calls that need the tunnel time out earlier. */
const REPLY_LIMIT_MS = 60_000;

class TunnelAttempt {
  readonly head: string;
  readonly handOver: HandOver;
  readonly opened: PromiseWithResolvers<void> = Promise.withResolvers();
  received: Buffer = Buffer.alloc(0);
  isOpen = false;

  constructor(head: string, handOver: HandOver) {
    this.head = head;
    this.handOver = handOver;
  }
}

type TunnelSocket = Bun.Socket<TunnelAttempt>;

const tunnelHandlers = {
  open: (socket: TunnelSocket) => void socket.write(socket.data.head),
  data(socket: TunnelSocket, bytes: Buffer) {
    const attempt = socket.data;
    // With TLS, the underlying socket reports its bytes, too.
    if (attempt.isOpen) return;
    try {
      if (!isOpenedBy(attempt, bytes)) return;
      attempt.isOpen = true;
      attempt.handOver(socket);
      attempt.opened.resolve();
    } catch (error) {
      attempt.opened.reject(error);
      socket.terminate();
    }
  },
  close: (socket: TunnelSocket) => socket.data.opened.reject(new ConnectionError("ECONNRESET", "it closed the connection")),
  error(socket: TunnelSocket, error: Error) {
    socket.data.opened.reject(error);
    socket.terminate();
  },
};

/** Asks a proxy for a tunnel to `authority`, an address or a name with its port. Throws `TunnelFailed`. */
async function openTunnel(proxy: TunnelProxy, authority: string, handOver: HandOver): Promise<void> {
  const authorization = proxy.authorization ? `proxy-authorization: ${proxy.authorization.reveal()}\r\n` : "";
  const attempt = new TunnelAttempt(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`, handOver);
  attempt.opened.promise.catch(() => undefined);
  let limit: Timer | undefined;
  try {
    const socket = await Bun.connect({ hostname: proxy.hostname, port: proxy.port, data: attempt, socket: tunnelHandlers });
    limit = setTimeout(() => attempt.isOpen || socket.terminate(), REPLY_LIMIT_MS).unref();
    await attempt.opened.promise;
  } catch (error) {
    const status = error instanceof ProxyRefused ? error.status : undefined;
    const code = error instanceof Error && "code" in error ? String(error.code) : "ECONNREFUSED";
    throw new TunnelFailed(proxy, authority, status, code, messageOf(error));
  } finally {
    clearTimeout(limit);
  }
}

class ProxyRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`it returned status ${status}`);
    this.status = status;
  }
}

/** Whether the reply to CONNECT is complete. Throws if the reply does not open the tunnel. */
function isOpenedBy(attempt: TunnelAttempt, bytes: Buffer): boolean {
  attempt.received = attempt.received.length === 0 ? Buffer.from(bytes) : Buffer.concat([attempt.received, bytes]);
  const { received } = attempt;
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) {
    if (received.length > MAX_HEAD_BYTES || !canBeginHead(received))
      throw new ConnectionError("InvalidHTTPResponse", "its reply is not HTTP");
    return false;
  }
  const { status } = readHead(received.toString("latin1", 0, end + 4));
  if (status < 200 || status > 299) throw new ProxyRefused(status);
  // Neither TLS nor HTTP/1.1 lets the server send first: these bytes would be mistaken for its response.
  if (received.length > end + 4) throw new ConnectionError("InvalidHTTPResponse", "it sent data before the tunnel was used");
  return true;
}
