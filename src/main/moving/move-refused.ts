/** The move was not begun, or was broken off. The message says why and what to do. */
export class MoveRefused extends Error {
  override readonly name = "MoveRefused";
}
