/** The caller closed its connection before the answer was whole. Nobody reads a reply to this; only the log will know. */
export class CallerGone extends Error {
  constructor() {
    super("The caller closed the connection.");
    this.name = "CallerGone";
  }
}
