import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { use, type ReactNode } from "react";
import { base } from "../../platform/base.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Code } from "../../parts/code.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import { MeContext } from "../../shell/me.ts";
import { curlSnippet } from "../../snippets/curl.ts";
import { greetingBody } from "../../snippets/snippet.ts";
import { operationsIn, type OpenApi } from "./openapi.ts";
import { OperationDocs } from "./operation-docs.tsx";

const route = getRouteApi("__root__");

/** Every operation of an API. */
export function InterfaceDocs({
  document,
  file,
}: {
  readonly document: OpenApi;
  readonly file: "gateway.json" | "platform.json";
}): ReactNode {
  const { search = "" } = route.useSearch() as { search?: string };
  const navigate = useNavigate();
  const operations = operationsIn(document);
  const shown = operations.filter(({ method, path, summary }) =>
    `${method} ${path} ${summary}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-2">
          {document.info.description}{" "}
          <a href={`${base}/docs/${file}`} className={textLink}>
            OpenAPI document, version {document.info.version}
          </a>
        </p>
        {operations.length > 5 && (
          <SearchBox
            label="Search operations"
            value={search}
            onSearch={(text) => void navigate({ to: ".", search: { search: text }, replace: true })}
          />
        )}
      </div>
      {file === "gateway.json" ? <FirstCall /> : <PlatformCall />}
      {shown.length === 0 && <Empty title="No matching operations" />}
      {shown.map((operation) => (
        <OperationDocs key={operation.operationId} operation={operation} document={document} isOpen={operations.length <= 5} />
      ))}
    </>
  );
}

/** The base URL and a model that the newest key may call are known only when signed in; others received them with their key. */
function FirstCall(): ReactNode {
  const isSignedIn = use(MeContext) !== null;
  const { data } = useApiQuery("showAbout", {}, { enabled: isSignedIn });
  const { data: keys } = useApiQuery("listKeys", { query: { state: "active", limit: 1 } }, { enabled: isSignedIn });
  const key = keys?.data[0]?.id;
  const callable = { state: "available", limit: 1, ...(key !== undefined && { key }) } as const;
  const { data: models } = useApiQuery("listModels", { query: callable }, { enabled: keys !== undefined });
  const baseUrl = data?.gateway_url ?? "https://your-gateway.example/v1";
  const body = greetingBody(models?.data[0]?.id ?? "your-model");
  return <Code label="first call" text={curlSnippet({ baseUrl, key: null, body })} />;
}

function PlatformCall(): ReactNode {
  return <Code label="first call" text={`curl ${location.origin}${base}/api/me \\\n  -H "Authorization: Bearer $ACCESS_TOKEN"`} />;
}
