import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function DocsPage(): ReactNode {
  return (
    <Page title="Docs">
      <Empty title="Not built yet" />
    </Page>
  );
}
