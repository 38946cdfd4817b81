import { useLook } from "../platform/use-platform.ts";
import { greetingBody, snippetsOf, type Snippet } from "./snippet.ts";

/** Where clients reach the gateway; undefined until it is known. */
export function useGatewayUrl(): string | undefined {
  return useLook("showAbout", {}).data?.gateway_url;
}

/** What a key says first, as code: to the first model that it may call. */
export function useFirstSnippets(
  keyId: string,
  key: string,
): { readonly baseUrl: string; readonly snippets: readonly Snippet[] } | undefined {
  const baseUrl = useGatewayUrl();
  const { data: models, isError } = useLook("listModels", { query: { key: keyId, state: "available", limit: 1 } });
  if (baseUrl === undefined || (!models && !isError)) return undefined;
  const body = greetingBody(models?.data[0]?.id ?? "the-name-of-a-model");
  return { baseUrl, snippets: snippetsOf({ baseUrl, key, body }) };
}
