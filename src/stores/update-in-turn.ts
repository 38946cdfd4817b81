/**
 * Compare-and-set in an embedded store. `apply` writes the change and puts it in force before it returns. Everything from `make` to there is
 * one turn of the event loop, and this process is the only writer: the record cannot change meanwhile, so `make` is called once, and no
 * version of the record is needed.
 */
export async function updateInTurn<T, Made extends object | undefined>(
  current: T | undefined,
  make: (current: T | undefined) => Made,
  apply: (made: NonNullable<Made>) => void,
): Promise<Made> {
  const made = make(current);
  if (made) apply(made);
  return made;
}
