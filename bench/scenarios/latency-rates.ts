/**
 * The request rate of each system: a share of its peak, but no more than the same share of Tollgate's highest peak. So a relay that could
 * serve ten times as many requests is compared at the rate of a gateway.
 */
export function ratesFor(peaks: ReadonlyMap<string, number>, share: number, isOurs: (name: string) => boolean): Map<string, number> {
  const ours = Math.max(...[...peaks].filter(([name]) => isOurs(name)).map(([, peak]) => peak));
  return new Map([...peaks].map(([name, peak]) => [name, Math.max(1, Math.floor(share * Math.min(peak, ours)))]));
}
