import type { Deadlines } from "./deadlines.ts";
import type { ListenerContext } from "./listener-context.ts";

/** Whom a connection counts for: its network, or the account whose credential its last request had. */
export class ConnectionStanding<Connection> {
  /** Undefined for a trusted proxy, whose connections carry the requests of many accounts. */
  network: string | undefined;
  /** The account, or a person without one. */
  account: string | undefined;
  /** Whether the connection is beyond the maximum of the listener: it serves one request, and is closed. */
  isReserved = false;
  #credential: string | undefined;
  readonly #connection: Connection;
  readonly #deadlines: Deadlines;
  readonly #host: ListenerContext<Connection>;

  constructor(connection: Connection, deadlines: Deadlines, host: ListenerContext<Connection>) {
    this.#connection = connection;
    this.#deadlines = deadlines;
    this.#host = host;
  }

  /** A connection of a trusted proxy: it counts as authenticated, and for no account. */
  trust(): void {
    this.#deadlines.authenticate();
    this.#deadlines.idle();
  }

  /** A request has a valid credential. Throws `TooManyConnections` where the connection is reserved for others. */
  authenticate(account: string, credential: string | undefined, isOperator: boolean): void {
    this.#credential = credential;
    if (account === this.account || (this.network === undefined && !this.isReserved)) return;
    this.#host.authenticated(this.#connection, account, isOperator);
    this.account = account;
    this.#deadlines.authenticate();
  }

  /** The credential was rejected, or is no longer valid: the connection is that of a client without one. */
  end(): void {
    if (this.account === undefined || this.network === undefined) return;
    this.#host.unauthenticated(this.#connection);
    this.account = undefined;
    this.#credential = undefined;
    this.#deadlines.endAuthentication();
  }

  /** Ends it where the credential was revoked since. */
  check(isCredentialValid: (credential: string) => boolean): void {
    if (this.account !== undefined && this.#credential !== undefined && !isCredentialValid(this.#credential)) this.end();
  }
}
