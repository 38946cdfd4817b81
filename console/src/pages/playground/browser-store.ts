/**
 * JSON in the storage of this browser. Each person has a name of their own, because several may share a browser profile. Undefined where
 * there is nothing, or where the browser blocks storage.
 */
export function readStored(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** False if the browser blocks storage, or has no space left. */
export function store(name: string, value: unknown): boolean {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
