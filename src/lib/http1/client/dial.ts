import { addressIn } from "../../net/ip-address.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import type { Origin } from "./origin.ts";
import { connectionClosed, NotConnected, ConnectionError } from "./connection-error.ts";

/** ALPN in wire format (RFC 7301): the length, and the name. */
const HTTP_1_1 = Buffer.from("\u0008http/1.1");

/** The server and the address to connect to, and the pool that the connection will belong to. */
export interface DialTarget extends ConnectionOwner {
  readonly origin: Origin;
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
    // An invalid TLS record, or an exception of ours: reports why the connection ends.
    socket.data.connection?.closed(error);
    socket.terminate();
  },
};

const secureHandlers = {
  ...plainHandlers,
  open: () => undefined,
  /**
   * Bun verifies the certificate chain and the name, and leaves the decision to us. No byte of a request can be sent before: there is no
   * connection yet.
   */
  handshake(socket: AttemptSocket, isTrusted: boolean, error: Error | null) {
    const { data: attempt } = socket;
    if (isTrusted && error === null && socket.authorized) return attempt.succeeded(socket);
    attempt.connected.reject(error ?? new ConnectionError("EPROTO", "the TLS handshake failed"));
    socket.terminate();
  },
};

/** Connects to an IP address, never to a name, and verifies the certificate for the host name. */
export async function dial(target: DialTarget): Promise<Connection> {
  const { address, origin } = target;
  const attempt = new DialAttempt(target);
  // Set explicitly, so that no environment variable can switch it off.
  const tls = { rejectUnauthorized: true, ALPNProtocols: HTTP_1_1, serverName: serverNameOf(origin) };
  try {
    await Bun.connect({
      hostname: address,
      port: origin.port,
      data: attempt,
      socket: origin.isEncrypted ? secureHandlers : plainHandlers,
      ...(origin.isEncrypted && { tls }),
    });
  } catch (error) {
    throw new NotConnected(
      error instanceof Error && "code" in error ? String(error.code) : "ECONNREFUSED",
      "no connection could be established",
    );
  }
  return attempt.connected.promise;
}

/**
 * The name for SNI and the certificate. An IP address must not be sent as one (RFC 6066 §3), and Bun sends it unless the name is
 * empty; it then looks for the address in the certificate.
 */
function serverNameOf({ hostname }: Origin): string {
  return addressIn(hostname) === undefined ? hostname.replace(/\.$/, "") : "";
}
