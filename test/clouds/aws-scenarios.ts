import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AwsCloud } from "./aws-cloud.ts";
import type { AwsServer } from "./aws-server.ts";
import { startContainerCredentials, startInstanceMetadata } from "./metadata-servers.ts";
import { SSO_ACCOUNT, SSO_ROLE, startSso, type SsoServers } from "./sso-server.ts";
import { startSts } from "./sts-server.ts";

export const REGION = "us-east-1";
export const USER = "AKIAUSER000000000001";
export const OTHER_USER = "AKIAUSER000000000002";
export const EXTERNAL_ID = "external-id-of-the-role";
const WEB_IDENTITY = "header.claims.signature";
const CONTAINER_TOKEN = "Basic container-authorization";

export const roleArn = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;

/** All doubles of AWS, with two users and some roles. */
export class AwsWorld implements AsyncDisposable {
  readonly cloud: AwsCloud;
  readonly metadata: AwsServer;
  readonly container: AwsServer;
  readonly sts: ReturnType<typeof startSts>;
  readonly sso: SsoServers;

  constructor(cloud: AwsCloud = new AwsCloud()) {
    this.cloud = cloud;
    cloud.addUser(USER);
    cloud.addUser(OTHER_USER);
    this.metadata = startInstanceMetadata(cloud);
    this.container = startContainerCredentials(cloud, "/role", () => CONTAINER_TOKEN);
    this.sso = startSso(cloud);
    this.sts = startSts(cloud, REGION, [
      { arn: roleArn("open") },
      { arn: roleArn("second"), trusts: [`${roleArn("open")} by ${USER}`] },
      { arn: roleArn("guarded"), externalId: EXTERNAL_ID },
      { arn: roleArn("pod"), webIdentity: () => WEB_IDENTITY },
    ]);
  }

  /** The variables with the URLs of the doubles. */
  get endpoints(): Record<string, string> {
    return {
      AWS_EC2_METADATA_SERVICE_ENDPOINT: this.metadata.url,
      AWS_ENDPOINT_URL_STS: this.sts.url,
      AWS_ENDPOINT_URL_SSO: this.sso.portal.url,
      AWS_ENDPOINT_URL_SSO_OIDC: this.sso.oidc.url,
    };
  }

  /** An environment with these variables, and its own home folder with these files. In a variable, `~` stands for that home folder. */
  environment(variables: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>): Record<string, string> {
    const home = mkdtempSync(join(tmpdir(), "tollgate-aws-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text.replaceAll("~", home));
    }
    const given = Object.entries(variables).map(([name, value]) => [name, value.replace("~", home)]);
    return { HOME: home, ...this.endpoints, ...(Object.fromEntries(given) as Record<string, string>) };
  }

  /** The cache file of an `aws sso login` session. */
  ssoCache(key: string, lifetimeMs: number): Record<string, string> {
    const name = new Bun.CryptoHasher("sha1").update(key).digest("hex");
    return { [`.aws/sso/cache/${name}.json`]: JSON.stringify(this.sso.login(lifetimeMs)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.metadata, this.container, this.sts, this.sso]) await server[Symbol.asyncDispose]();
  }
}

/** A machine, and the owner of its credentials. */
export interface Scenario {
  readonly name: string;
  readonly variables?: (world: AwsWorld) => Record<string, string>;
  readonly files?: (world: AwsWorld) => Record<string, string>;
  readonly owner: string;
}

const secretOf = (user: string): string => `secret/of+${user}`;
const keysInFile = (user: string): string => `aws_access_key_id = ${user}\naws_secret_access_key=${secretOf(user)}\n`;
const inEnvironment = (user: string): Record<string, string> => ({ AWS_ACCESS_KEY_ID: user, AWS_SECRET_ACCESS_KEY: secretOf(user) });
const profile = (name: string): Record<string, string> => ({ AWS_PROFILE: name });
const containerAt = ({ container }: AwsWorld): Record<string, string> => ({
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${container.url}/role`,
  AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN,
});
const POD = { AWS_ROLE_ARN: roleArn("pod"), AWS_WEB_IDENTITY_TOKEN_FILE: "~/web-identity" };
const SSO_CONFIG = `[profile sso]\nsso_session = corp\nsso_account_id = ${SSO_ACCOUNT}\nsso_role_name = ${SSO_ROLE}
[sso-session corp]\nsso_start_url = https://corp.awsapps.com/start\nsso_region = us-east-1\nsso_registration_scopes = sso:account:access\n`;
const START_URL = "https://old.awsapps.com/start";

/** Every source of the credential chain, and the source that wins if there are two. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "keys in the environment", variables: () => inEnvironment(USER), owner: USER },
  {
    name: "half a pair of keys in the environment is none",
    variables: () => ({ AWS_ACCESS_KEY_ID: OTHER_USER }),
    files: () => ({ ".aws/credentials": `[default]\n${keysInFile(USER)}` }),
    owner: USER,
  },
  {
    name: "keys in the environment before the default profile and the container",
    variables: (world) => ({ ...inEnvironment(USER), ...containerAt(world) }),
    files: () => ({ ".aws/credentials": `[default]\n${keysInFile(OTHER_USER)}` }),
    owner: USER,
  },
  {
    name: "AWS_PROFILE before keys in the environment",
    variables: () => ({ ...inEnvironment(OTHER_USER), ...profile("work") }),
    files: () => ({ ".aws/config": `[profile work]\n${keysInFile(USER)}` }),
    owner: USER,
  },
  {
    name: "the default profile of the credentials file",
    files: () => ({ ".aws/credentials": `[default]\n${keysInFile(USER)}` }),
    owner: USER,
  },
  { name: "the default profile of the config file", files: () => ({ ".aws/config": `[default]\n${keysInFile(USER)}` }), owner: USER },
  {
    name: "[profile default] before [default]",
    files: () => ({ ".aws/config": `[profile default]\n${keysInFile(USER)}[default]\n${keysInFile(OTHER_USER)}` }),
    owner: USER,
  },
  {
    name: "a section of the config file that is not a profile",
    variables: () => profile("work"),
    files: () => ({ ".aws/config": `[work]\n${keysInFile(OTHER_USER)}` }),
    owner: "instance",
  },
  {
    name: "the credentials file before the config file",
    variables: () => profile("work"),
    files: () => ({
      ".aws/config": `[profile work]\nregion = eu-west-1\n${keysInFile(OTHER_USER)}`,
      ".aws/credentials": `[work]\n${keysInFile(USER)}`,
    }),
    owner: USER,
  },
  {
    name: "comments, quotes and nested settings",
    variables: () => profile("my-work"),
    files: () => ({
      ".aws/config": `# first\n[profile work] ; a comment\n${keysInFile(OTHER_USER)}
[profile "my-work"]\r\ns3 =\r\n  aws_access_key_id = ${OTHER_USER}\r\nregion = us-east-1 # here\r\n${keysInFile(USER)}`,
    }),
    owner: USER,
  },
  {
    name: "files elsewhere",
    variables: () => ({ AWS_CONFIG_FILE: "~/a", AWS_SHARED_CREDENTIALS_FILE: "~/b", ...profile("work") }),
    files: () => ({ a: `[profile work]\nrole_arn = ${roleArn("open")}\nsource_profile = base\n`, b: `[base]\n${keysInFile(USER)}` }),
    owner: `${roleArn("open")} by ${USER}`,
  },
  {
    name: "a role of a role",
    variables: () => profile("second"),
    files: () => ({
      ".aws/config": `[profile second]\nrole_arn = ${roleArn("second")}\nsource_profile = first
[profile first]\nrole_arn = ${roleArn("open")}\nsource_profile = base\nrole_session_name = me\nduration_seconds = 900
[profile base]\n${keysInFile(USER)}`,
    }),
    owner: `${roleArn("second")} by ${roleArn("open")} by ${USER}`,
  },
  {
    name: "a role with an external id",
    variables: () => profile("guarded"),
    files: () => ({
      ".aws/config": `[profile guarded]\nrole_arn = ${roleArn("guarded")}\nsource_profile = base\nexternal_id = ${EXTERNAL_ID}\n`,
      ".aws/credentials": `[base]\n${keysInFile(USER)}`,
    }),
    owner: `${roleArn("guarded")} by ${USER}`,
  },
  {
    name: "a role assumed with the keys of the same profile",
    variables: () => profile("self"),
    files: () => ({ ".aws/config": `[profile self]\nrole_arn = ${roleArn("open")}\nsource_profile = self\n${keysInFile(USER)}` }),
    owner: `${roleArn("open")} by ${USER}`,
  },
  {
    name: "a role assumed with the environment",
    variables: () => ({ ...inEnvironment(USER), ...profile("role") }),
    files: () => ({ ".aws/config": `[profile role]\nrole_arn = ${roleArn("open")}\ncredential_source = Environment\n` }),
    owner: `${roleArn("open")} by ${USER}`,
  },
  {
    name: "a role assumed with the instance's role",
    variables: () => profile("role"),
    files: () => ({ ".aws/config": `[profile role]\nrole_arn = ${roleArn("open")}\ncredential_source = Ec2InstanceMetadata\n` }),
    owner: `${roleArn("open")} by instance`,
  },
  {
    name: "a role assumed with the container's role",
    variables: (world) => ({ ...profile("role"), ...containerAt(world) }),
    files: () => ({ ".aws/config": `[profile role]\nrole_arn = ${roleArn("open")}\ncredential_source = EcsContainer\n` }),
    owner: `${roleArn("open")} by container`,
  },
  {
    name: "a web identity",
    variables: () => POD,
    files: () => ({ "web-identity": WEB_IDENTITY }),
    owner: `${roleArn("pod")} by web identity`,
  },
  {
    name: "a web identity of a profile",
    variables: () => profile("pod"),
    files: () => ({
      ".aws/config": `[profile pod]\nrole_arn = ${roleArn("pod")}\nweb_identity_token_file = ~/web-identity\n`,
      "web-identity": WEB_IDENTITY,
    }),
    owner: `${roleArn("pod")} by web identity`,
  },
  {
    name: "the default profile before a web identity",
    variables: () => POD,
    files: () => ({ "web-identity": WEB_IDENTITY, ".aws/credentials": `[default]\n${keysInFile(USER)}` }),
    owner: USER,
  },
  {
    name: "a web identity before the container",
    variables: (world) => ({ ...POD, ...containerAt(world) }),
    files: () => ({ "web-identity": WEB_IDENTITY }),
    owner: `${roleArn("pod")} by web identity`,
  },
  {
    name: "an SSO session",
    variables: () => profile("sso"),
    files: (world) => ({ ".aws/config": SSO_CONFIG, ...world.ssoCache("corp", 3_600_000) }),
    owner: "sso",
  },
  {
    name: "an SSO session that has expired and is refreshed",
    variables: () => profile("sso"),
    files: (world) => ({ ".aws/config": SSO_CONFIG, ...world.ssoCache("corp", -60_000) }),
    owner: "sso",
  },
  {
    name: "SSO by a start URL",
    variables: () => profile("old"),
    files: (world) => ({
      ".aws/config": `[profile old]\nsso_start_url = ${START_URL}\nsso_region = us-east-1\nsso_account_id = ${SSO_ACCOUNT}\nsso_role_name = ${SSO_ROLE}\n`,
      ...world.ssoCache(START_URL, 3_600_000),
    }),
    owner: "sso",
  },
  { name: "the container before the instance", variables: containerAt, owner: "container" },
  {
    name: "the container's authorization in a file before that in a variable",
    variables: (world) => ({
      ...containerAt(world),
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "wrong",
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "~/authorization",
    }),
    files: () => ({ authorization: CONTAINER_TOKEN }),
    owner: "container",
  },
  { name: "the instance", owner: "instance" },
  { name: "a profile that does not exist", variables: () => profile("gone"), owner: "instance" },
];
