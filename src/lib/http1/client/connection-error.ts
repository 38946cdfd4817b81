/** A failed connection, or an invalid response on it. Operators search for its code. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
  }
}

/** No connection could be established: nothing was sent, so the server has done nothing. */
export class NotConnected extends ConnectionError {}

/** The server closed the connection before the response was complete. */
export function connectionClosed(cause?: unknown): ConnectionError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "ECONNRESET";
  return new ConnectionError(code, "the connection was closed");
}

/** The received bytes are not a valid response. A response that violates a rule is never interpreted leniently (response smuggling). */
export function invalidResponse(what: string): ConnectionError {
  return new ConnectionError("InvalidHTTPResponse", what);
}
