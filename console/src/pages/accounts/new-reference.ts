/** A default reference: the date and a random suffix. */
export function newReference(nowMs = Date.now()): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => byte.toString(16).padStart(2, "0"));
  return `${new Date(nowMs).toISOString().slice(0, 10)}-${random.join("")}`;
}
