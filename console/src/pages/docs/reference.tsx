import { type ReactNode, use } from "react";
import { Fetched, Empty } from "../../parts/states.tsx";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { base } from "../../platform/base.ts";
import { send, urlOf } from "../../platform/call.ts";
import { type OpenApi, operationsIn } from "./openapi.ts";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { Rss } from "lucide-react";
import type { Announcement } from "../../../../platform-client/types.ts";
import { usePages, useApiQuery } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { day } from "../../parts/format/format.ts";
import { Section } from "../../parts/page.tsx";
import { Paged } from "../../parts/paged.tsx";
import { textLink } from "../../parts/text-link.ts";
import { Code } from "../../parts/code.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { MeContext } from "../../shell/me.ts";
import { curlSnippet } from "../../snippets/curl.ts";
import { greetingBody } from "../../snippets/snippet.ts";
import { OperationDocs } from "./operation-docs.tsx";

/** A page of the docs that depends on this version and this gateway. */
interface ReferencePage {
  readonly page: string;
  readonly label: string;
  /** Absent for a Markdown page. */
  readonly Content?: () => ReactNode;
  /** Only signed-in people see it: announcements are limited to models that the person may see. */
  readonly needsSignIn?: true;
}

export const REFERENCE: readonly ReferencePage[] = [
  { page: "openapi/gateway", label: "Public API (OpenAPI)", Content: PublicApi },
  { page: "openapi/platform", label: "Platform API (OpenAPI)", Content: PlatformApi },
  { page: "changelog", label: "Changelog" },
  { page: "announcements", label: "Announcements", Content: Announcements, needsSignIn: true },
];

function PublicApi(): ReactNode {
  const document = useDocument("gateway");
  return <Fetched of={document}>{(shown) => <InterfaceDocs document={shown} file="gateway.json" />}</Fetched>;
}

function PlatformApi(): ReactNode {
  const document = useDocument("platform");
  return <Fetched of={document}>{(shown) => <InterfaceDocs document={shown} file="platform.json" />}</Fetched>;
}

/** A published OpenAPI document. */
function useDocument(name: "gateway" | "platform"): UseQueryResult<OpenApi> {
  return useQuery({
    queryKey: ["document", name],
    queryFn: async ({ signal }) => (await send(`${base}/docs/${name}.json`, { signal })).json() as Promise<OpenApi>,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Model announcements: new models, retirements and price changes. */
function Announcements(): ReactNode {
  const pages = usePages("listAnnouncements", { query: { limit: 50 } });
  const feed = (
    <a className={buttonClass()} href={urlOf("showFeed", {})}>
      <Rss size={14} aria-hidden />
      Atom feed
    </a>
  );
  return (
    <Section title="Model announcements" actions={feed} flush>
      <Paged of={pages} empty={<Empty title="No announcements yet">New models, retirements and price changes are listed here.</Empty>}>
        {(announced) => (
          <ul aria-label="Announcements">
            {announced.map((announcement) => (
              <Announced key={`${announcement.at} ${announcement.model} ${announcement.state}`} announcement={announcement} />
            ))}
          </ul>
        )}
      </Paged>
    </Section>
  );
}

function Announced({ announcement: { at, model, text } }: { readonly announcement: Announcement }): ReactNode {
  return (
    <li className="flex flex-wrap gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 first:border-t-0">
      <time dateTime={at} className="figures w-28 shrink-0 text-ink-3">
        {day(at)}
      </time>
      <Link to="/models/$id" params={{ id: model }} title={model} className={classes(textLink, "w-44 shrink-0 truncate")}>
        {model}
      </Link>
      <p className="min-w-0 basis-80 grow wrap-anywhere text-ink-2">{text}</p>
    </li>
  );
}

const route = getRouteApi("__root__");

/** Every operation of an API. */
function InterfaceDocs({ document, file }: { readonly document: OpenApi; readonly file: "gateway.json" | "platform.json" }): ReactNode {
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

/** The base URL and a model that the newest key may call are known only when signed in; others got both together with their key. */
function FirstCall(): ReactNode {
  const isSignedIn = use(MeContext) !== null;
  const { data } = useApiQuery("showAbout", {}, { enabled: isSignedIn });
  const { data: keys } = useApiQuery("listKeys", { query: { state: "active", limit: 1 } }, { enabled: isSignedIn });
  const key = keys?.data[0]?.id;
  const callable = { state: "available", kind: "chat", limit: 1, ...(key !== undefined && { key }) } as const;
  const { data: models } = useApiQuery("listModels", { query: callable }, { enabled: keys !== undefined });
  const baseUrl = data?.gateway_url ?? "https://your-gateway.example/v1";
  const body = greetingBody(models?.data[0]?.id ?? "your-model");
  return <Code label="first call" text={curlSnippet({ baseUrl, key: null, body })} />;
}

function PlatformCall(): ReactNode {
  return <Code label="first call" text={`curl ${location.origin}${base}/api/me \\\n  -H "Authorization: Bearer $ACCESS_TOKEN"`} />;
}
