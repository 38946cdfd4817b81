/** The AWS partitions with their own domain, by the prefix of their regions. GovCloud uses the default domain. */
const DOMAINS: readonly (readonly [regions: string, domain: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
];

const DEFAULT_DOMAIN = "amazonaws.com";

/** The domain of AWS services in a region. */
export function awsDomain(region: string): string {
  return DOMAINS.find(([regions]) => region.startsWith(regions))?.[1] ?? DEFAULT_DOMAIN;
}

const ALL_DOMAINS = [DEFAULT_DOMAIN, ...DOMAINS.map(([, domain]) => domain)].join("|").replaceAll(".", String.raw`\.`);

/** The domains of dual-stack endpoints, which have IPv4 and IPv6 addresses. */
const DUAL_STACK_DOMAINS = String.raw`api\.aws|api\.amazonwebservices\.(com\.cn|eu)`;

const REGION = String.raw`[a-z]{2,4}(-[a-z]+)+-\d+`;

/** The hosts that serve models, in all partitions. */
export const BEDROCK_RUNTIME_HOST = String.raw`bedrock-runtime(-fips)?\.[a-z\d-]+\.(${ALL_DOMAINS})`;

const BEDROCK = String.raw`bedrock(-runtime|-mantle)?(-fips)?\.${REGION}`;

/**
 * The hosts of Bedrock, including its VPC endpoints (`vpce-….bedrock-runtime.us-east-1.vpce.amazonaws.com`). Other names below these
 * domains belong to customers of AWS: machines, load balancers, buckets.
 */
export const BEDROCK_HOST = new RegExp(
  String.raw`^(${BEDROCK}\.(${ALL_DOMAINS}|${DUAL_STACK_DOMAINS})|vpce-[a-z\d-]+\.${BEDROCK}\.vpce\.(${ALL_DOMAINS}))$`,
);
