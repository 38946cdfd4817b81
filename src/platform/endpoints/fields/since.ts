/** Since when a resource is in a state that a request sets or clears: undefined leaves it as it is, and a repeated request too. */
export function since(wanted: boolean | undefined, currentMs: number | null, nowMs: number): number | null {
  if (wanted === undefined) return currentMs;
  return wanted ? (currentMs ?? nowMs) : null;
}
