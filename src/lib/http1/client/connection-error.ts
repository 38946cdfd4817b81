/** Trouble with a connection, or with what came over it. The code is what operators search for. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
  }
}

/** There was no connection: nothing was sent, so nothing was done there. */
export class NotConnected extends ConnectionError {}

/** The other side has ended the connection before its reply was whole. */
export function connectionClosed(cause?: unknown): ConnectionError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "ECONNRESET";
  return new ConnectionError(code, "the connection was closed");
}

/** What came is no reply. One that breaks a rule is never read in some other way: whoever reads it otherwise can be lied to. */
export function invalidResponse(what: string): ConnectionError {
  return new ConnectionError("InvalidHTTPResponse", what);
}
