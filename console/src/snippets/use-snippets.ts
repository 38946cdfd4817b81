import { useApiQuery } from "../platform/use-api.ts";
import { greetingBody, snippetsOf, type Snippet } from "./snippet.ts";

/** The gateway's base URL; undefined while loading. */
export function useGatewayUrl(): string | undefined {
  return useApiQuery("showAbout", {}).data?.gateway_url;
}

/** Code for a first call with a key, to the first model that it may call. */
export function useFirstSnippets(
  keyId: string,
  key: string,
): { readonly baseUrl: string; readonly snippets: readonly Snippet[] } | undefined {
  const baseUrl = useGatewayUrl();
  const { data: models, isError } = useApiQuery("listModels", { query: { key: keyId, state: "available", kind: "chat", limit: 1 } });
  if (baseUrl === undefined || (!models && !isError)) return undefined;
  const body = greetingBody(models?.data[0]?.id ?? "your-model");
  return { baseUrl, snippets: snippetsOf({ baseUrl, key, body }) };
}
