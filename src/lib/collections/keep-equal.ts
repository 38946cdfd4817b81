/**
 * Returns `next`, with the objects of `before` that `renew` keeps; `before` itself if `renew` keeps all objects in the same order. State
 * that belongs to an object, such as a connection pool or a cache, then survives changes of other objects.
 */
export function keepEqual<T>(
  before: ReadonlyMap<string, T>,
  next: ReadonlyMap<string, T>,
  renew: (before: T, next: T) => T,
): ReadonlyMap<string, T> {
  const kept = new Map<string, T>();
  const ids = before.keys();
  let isUnchanged = next.size === before.size;
  for (const [id, value] of next) {
    const earlier = before.get(id);
    const renewed = earlier === undefined || earlier === value ? value : renew(earlier, value);
    kept.set(id, renewed);
    isUnchanged &&= renewed === earlier && ids.next().value === id;
  }
  return isUnchanged ? before : kept;
}
