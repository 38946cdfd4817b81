import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function UpstreamPage(): ReactNode {
  return (
    <Page title="Upstream">
      <Empty title="Not built yet" />
    </Page>
  );
}
