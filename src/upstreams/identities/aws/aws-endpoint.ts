/** The domains of the partitions of AWS, by the start of their regions. GovCloud has that of the others. */
const DOMAINS: readonly (readonly [regions: string, domain: string])[] = [["cn-", "amazonaws.com.cn"]];

/** The base URL of a service in a region, such as `https://sts.us-gov-west-1.amazonaws.com`. */
export function endpointOf(service: string, region: string): string {
  const domain = DOMAINS.find(([regions]) => region.startsWith(regions))?.[1] ?? "amazonaws.com";
  return `https://${service}.${region}.${domain}`;
}
