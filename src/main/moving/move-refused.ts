/** The move was not started, or was aborted. The message says why and what to do. */
export class MoveRefused extends Error {
  override readonly name = "MoveRefused";
}
