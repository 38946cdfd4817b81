import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function PeoplePage(): ReactNode {
  return (
    <Page title="People">
      <Empty title="Not built yet" />
    </Page>
  );
}
