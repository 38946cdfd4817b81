import type { DeclaredUpstream } from "../../src/models/declared-upstream.ts";

/** Valid values of the fields of an identity. */
const VALUES: Readonly<Record<string, string>> = {
  region: "us-west-2",
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  role_arn: "arn:aws:iam::123456789012:role/sample",
  project: "acme-prod",
  client_id: "00000000-0000-0000-0000-000000000000",
};

/** A value for each variable of these upstreams; `other` for variables outside of an identity's fields. */
export function sampleVariables(upstreams: readonly DeclaredUpstream[], other: string): Record<string, string> {
  const named = upstreams.flatMap(({ aws, google, azure, base_url, credential, ...others }) => [
    ...Object.entries({ base_url, credential, ...textsOf(others as ExtraHeaders) }).map(([, text]): [string, string] => [
      text ?? "",
      other,
    ]),
    ...Object.entries({ ...aws, ...google, ...azure }).map(([field, text]): [string, string] => [text ?? "", VALUES[field] ?? "value"]),
  ]);
  return Object.fromEntries(named.flatMap(([text, value]) => [...text.matchAll(/\$\{(\w+)\}/g)].map((match) => [match[1]!, value])));
}

/** The organization, the project and the headers of an upstream. */
function textsOf({ organization = "", project = "", headers = {} }: ExtraHeaders): Record<string, string> {
  return { organization, project, ...headers };
}

interface ExtraHeaders {
  readonly organization?: string;
  readonly project?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
