/** Receives the next piece of a source: each read calls exactly one of these methods, and none of them may throw. */
export interface Consumer<Piece> {
  take(piece: Piece): void;
  /** Called when there are no more pieces. */
  end(): void;
  fail(error: unknown): void;
}

/**
 * A pull stream without promises. The consumer may be called before `read` returns, so that a piece passes through all stages within one
 * turn of the event loop: a promise per stage costs more than the processing of a piece.
 */
export interface Source<Piece> {
  read(consumer: Consumer<Piece>): void;
}

/** The next piece as a promise, undefined at the end, for sources that are read rarely. */
export function next<Piece>(source: Source<Piece>): Promise<Piece | undefined> {
  return new Promise((resolve, reject) => source.read({ take: resolve, end: () => resolve(undefined), fail: reject }));
}

/** Delivers a promised piece to a consumer; undefined is the end. */
export function deliver<Piece>(promised: Promise<Piece | undefined>, consumer: Consumer<Piece>): void {
  void promised.then(
    (piece) => (piece === undefined ? consumer.end() : consumer.take(piece)),
    (error: unknown) => consumer.fail(error),
  );
}
