/** Whoever waits for the next piece of something. For each time that it has asked it hears one of these, and none of them may throw. */
export interface Consumer<Piece> {
  take(piece: Piece): void;
  /** There are no more. */
  end(): void;
  fail(error: unknown): void;
}

/**
 * What comes piece by piece, each when it is asked for. The taker may hear of it before asking has returned: what passes through
 * several hands on its way to a caller does so in one turn. A promise for each of them costs more than all that is done with a piece.
 */
export interface Source<Piece> {
  read(taker: Consumer<Piece>): void;
}

/** The next piece, undefined at the end, for those who ask for few. */
export function next<Piece>(source: Source<Piece>): Promise<Piece | undefined> {
  return new Promise((resolve, reject) => source.read({ take: resolve, end: () => resolve(undefined), fail: reject }));
}

/** Tells of a piece that is promised; undefined is the end. */
export function deliver<Piece>(promised: Promise<Piece | undefined>, taker: Consumer<Piece>): void {
  void promised.then(
    (piece) => (piece === undefined ? taker.end() : taker.take(piece)),
    (error: unknown) => taker.fail(error),
  );
}
