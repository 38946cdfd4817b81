/**
 * The rate for each system: a share of its own peak, and no more than the same share of our own highest peak. A relay that could take ten
 * times as many requests is compared at the rate that a gateway has.
 */
export function ratesFor(peaks: ReadonlyMap<string, number>, share: number, isOurs: (name: string) => boolean): Map<string, number> {
  const ours = Math.max(...[...peaks].filter(([name]) => isOurs(name)).map(([, peak]) => peak));
  return new Map([...peaks].map(([name, peak]) => [name, Math.max(1, Math.floor(share * Math.min(peak, ours)))]));
}
