/**
 * Reads JSON from the browser's storage. The name is different for each person, because several people may share a browser profile.
 * Undefined if there is no value, or if the browser blocks storage.
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
