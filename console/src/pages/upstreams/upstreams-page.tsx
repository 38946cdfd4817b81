import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function UpstreamsPage(): ReactNode {
  return (
    <Page title="Upstreams">
      <Empty title="Not built yet" />
    </Page>
  );
}
