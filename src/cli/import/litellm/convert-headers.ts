import type { Endpoint } from "./endpoint/endpoint.ts";
import { isFilledIn, variableIn, type Credential } from "./references.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { Fields } from "./yaml/fields.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

/** A value that is not secret and is written as text, or a secret. */
type HeaderValue = { readonly text: string } | Credential;

/** The headers that requests to an upstream have in addition to the credential. */
export interface ExtraHeaders {
  readonly organization?: string;
  readonly project?: string;
  readonly headers?: Readonly<Record<string, HeaderValue>>;
}

/** Headers that the gateway or the API format sets. */
const NOT_ALLOWED =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|accept|accept-encoding|user-agent|authorization|content-(length|type|encoding)|proxy-.*|transfer-encoding|trace(parent|state)|(x-)?api-key|x-goog-api-key|anthropic-version|x-amz-.*)$/;

/** Headers whose values are not secret. The value of any other header may be secret. */
const HARMLESS = /^(anthropic-beta|openai-beta|http-referer|x-title)$/;

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

export function convertExtraHeaders(params: Fields, { dialect }: Endpoint, unsupported: Unsupported[]): ExtraHeaders {
  const headers = Object.assign(
    {},
    ...["headers", "default_headers", "extra_headers"].map((name) => headersIn(params.take(name), unsupported)),
  );
  const has = { organization: "openai-organization" in headers, project: "openai-project" in headers };
  const [organization, project] = (["organization", "project"] as const).map((name) => {
    const node = params.take(name);
    if (node && dialect === "openai" && !has[name]) return textIn(node, unsupported);
    if (node)
      unsupported.push(asUnsupported(node, "not converted: it is a setting of upstreams in the format of OpenAI, without the header"));
    return undefined;
  });
  return {
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
    ...(Object.keys(headers).length > 0 && { headers: headers as Record<string, HeaderValue> }),
  };
}

/** The text of `openai-organization` or `openai-project`. */
function textIn(node: YamlNode, unsupported: Unsupported[]): string | undefined {
  const variable = node.text === undefined ? undefined : variableIn(node.text);
  if (variable !== undefined) return `\${${variable}}`;
  if (node.text !== undefined && /^[!-~]{1,200}$/.test(node.text) && !isFilledIn(node.text)) return node.text;
  unsupported.push(asUnsupported(node, "it must be ASCII without spaces"));
  return undefined;
}

function headersIn(node: YamlNode | undefined, unsupported: Unsupported[]): Record<string, HeaderValue> {
  const found: Record<string, HeaderValue> = {};
  if (node && !node.fields) unsupported.push(asUnsupported(node, "it has no headers in it"));
  for (const header of node?.fields?.values() ?? []) {
    const name = header.name.toLowerCase();
    const value = valueIn(name, header);
    if (value === undefined) unsupported.push(asUnsupported(header, "it is not the text of a header"));
    else if (NOT_ALLOWED.test(name)) unsupported.push(asUnsupported(header, "not converted: Tollgate sets this header itself"));
    else found[name] = value;
  }
  return found;
}

function valueIn(name: string, node: YamlNode): HeaderValue | undefined {
  const { text } = node;
  if (text === undefined || !HEADER_NAME.test(name) || !/^[!-~]([ -~]*[!-~])?$/.test(text)) return undefined;
  const variable = variableIn(text);
  if (variable !== undefined) return { variable };
  return HARMLESS.test(name) && !isFilledIn(text) ? { text } : { secret: text, node };
}
