/** What to count attempts by: an IPv4 address, or an IPv6 network, because whoever has one address of it has the 2^64 that begin alike. */
export function networkOf(address: string | null): string {
  const plain = (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [front = [], back = []] = plain.split("::").map((half) => half.split(":").filter((step) => step !== ""));
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}
