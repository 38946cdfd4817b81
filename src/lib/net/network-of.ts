/** The key for limits per client address: an IPv4 address, or an IPv6 /64, because one owner has all 2^64 addresses of the /64. */
export function networkOf(address: string | null): string {
  const plain = (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [front = [], back = []] = plain.split("::").map((half) => half.split(":").filter((step) => step !== ""));
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}
