/** The caller disconnected before the response was complete. No response can reach the caller; the log records status 499. */
export class CallerGone extends Error {
  constructor() {
    super("The caller closed the connection.");
    this.name = "CallerGone";
  }
}
