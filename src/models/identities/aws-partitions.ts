/** The partitions of AWS with a domain of their own, by the start of their regions. GovCloud has that of all other regions. */
const DOMAINS: readonly (readonly [regions: string, domain: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
];

const DEFAULT_DOMAIN = "amazonaws.com";

/** The domain of the services of AWS in a region. */
export function awsDomain(region: string): string {
  return DOMAINS.find(([regions]) => region.startsWith(regions))?.[1] ?? DEFAULT_DOMAIN;
}

const ALL_DOMAINS = [DEFAULT_DOMAIN, ...DOMAINS.map(([, domain]) => domain)].join("|").replaceAll(".", String.raw`\.`);

/** Of endpoints that have addresses of both versions (dual stack). */
const DUAL_STACK_DOMAINS = String.raw`api\.aws|api\.amazonwebservices\.(com\.cn|eu)`;

const REGION = String.raw`[a-z]{2,4}(-[a-z]+)+-\d+`;

/** The hosts that serve models, in all partitions. */
export const BEDROCK_RUNTIME_HOST = String.raw`bedrock-runtime(-fips)?\.[a-z\d-]+\.(${ALL_DOMAINS})`;

const BEDROCK = String.raw`bedrock(-runtime|-mantle)?(-fips)?\.${REGION}`;

/**
 * The hosts of Bedrock, with those of its VPC endpoints (`vpce-….bedrock-runtime.us-east-1.vpce.amazonaws.com`). Other names below these domains
 * belong to customers of AWS: machines, load balancers, buckets.
 */
export const BEDROCK_HOST = new RegExp(
  String.raw`^(${BEDROCK}\.(${ALL_DOMAINS}|${DUAL_STACK_DOMAINS})|vpce-[a-z\d-]+\.${BEDROCK}\.vpce\.(${ALL_DOMAINS}))$`,
);
