import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function PlaygroundPage(): ReactNode {
  return (
    <Page title="Playground">
      <Empty title="Not built yet" />
    </Page>
  );
}
