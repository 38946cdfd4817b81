import { addressIn } from "../../net/ip-address.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import type { Origin } from "./origin.ts";
import { connectionClosed, NotConnected, ConnectionError } from "./connection-error.ts";

/** In the form in which TLS says it (RFC 7301): the length, and the name. */
const HTTP_1_1 = Buffer.from("\u0008http/1.1");

/** The server and the address to connect to, and the pool that the connection will belong to. */
export interface DialTarget extends ConnectionOwner {
  readonly origin: Origin;
}

/** An attempt to connect. Its socket belongs to it until there is a connection. */
class Attempt {
  readonly target: DialTarget;
  readonly made: PromiseWithResolvers<Connection> = Promise.withResolvers();
  connection: Connection | undefined;

  constructor(target: DialTarget) {
    this.target = target;
  }

  succeeded(socket: Bun.Socket<Attempt>): void {
    this.connection = new Connection(this.target, socket);
    this.made.resolve(this.connection);
  }
}

type AttemptSocket = Bun.Socket<Attempt>;

const plainHandlers = {
  open: (socket: AttemptSocket) => socket.data.succeeded(socket),
  data: (socket: AttemptSocket, bytes: Buffer) => socket.data.connection?.heard(bytes),
  drain: (socket: AttemptSocket) => socket.data.connection?.drained(),
  close(socket: AttemptSocket, error?: Error) {
    const { connection, made } = socket.data;
    if (connection) connection.closed(error);
    else made.reject(connectionClosed(error));
  },
  error(socket: AttemptSocket, error: Error) {
    // A record of TLS that is none, or a fault of ours: this says why the connection ends.
    socket.data.connection?.closed(error);
    socket.terminate();
  },
};

const secureHandlers = {
  ...plainHandlers,
  open: () => undefined,
  /**
   * Bun checks the chain and the name, and leaves it to us to act on it. No byte of a request is sent before: there is no
   * connection to send it on.
   */
  handshake(socket: AttemptSocket, isTrusted: boolean, error: Error | null) {
    const { data: attempt } = socket;
    if (isTrusted && error === null && socket.authorized) return attempt.succeeded(socket);
    attempt.made.reject(error ?? new ConnectionError("EPROTO", "the TLS handshake failed"));
    socket.terminate();
  },
};

/** Opens a connection: to an address, never a name, and to one who can prove to be who is meant. */
export async function dial(target: DialTarget): Promise<Connection> {
  const { address, origin } = target;
  const attempt = new Attempt(target);
  // Said here, so that no variable of the environment can switch it off.
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
    throw new NotConnected(error instanceof Error && "code" in error ? String(error.code) : "ECONNREFUSED", "there is no connection");
  }
  return attempt.made.promise;
}

/**
 * The name for SNI and the certificate. An IP address must not be sent as one (RFC 6066 §3), and Bun sends it unless the name is
 * empty; it then looks for the address in the certificate.
 */
function serverNameOf({ hostname }: Origin): string {
  return addressIn(hostname) === undefined ? hostname.replace(/\.$/, "") : "";
}
