import type { Target } from "../systems/system.ts";

/** Sends requests with different bodies and a given concurrency, and counts the statuses. */
export async function statusesOf(
  { port, path, headers }: Target,
  count: number,
  concurrency: number,
  bodyOf: (at: number) => object,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  async function call(): Promise<void> {
    while (next < count) {
      const body = JSON.stringify(bodyOf(next++));
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  }
  await Promise.all(Array.from({ length: concurrency }, call));
  return statuses;
}
