import type { ReactNode } from "react";
import { Fetched } from "../../parts/states.tsx";
import { Announcements } from "./announcements.tsx";
import { InterfaceDocs } from "./interface-docs.tsx";
import { useDocument } from "./use-document.ts";

/** A page of the docs about this version and this gateway. */
interface ReferencePage {
  readonly page: string;
  readonly label: string;
  /** Absent where it is a Markdown page. */
  readonly Content?: () => ReactNode;
  /** Announcements are limited to models that the person may see. */
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
