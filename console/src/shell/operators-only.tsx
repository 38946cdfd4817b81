import { Link, useMatchRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { useMe } from "./me.ts";
import { NAVIGATION } from "./navigation.ts";

const OPERATOR_PAGES = NAVIGATION.flatMap(({ items }) => items).filter(({ isForOperators }) => isForOperators);

/** Shows a notice to members on operator pages, whose API calls would all return 403. */
export function OperatorsOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const { isOperator } = useMe();
  const matches = useMatchRoute();
  const operatorPage = isOperator ? undefined : OPERATOR_PAGES.find(({ to }) => matches({ to, fuzzy: true }) !== false);
  if (!operatorPage) return children;
  return (
    <Page title={operatorPage.label}>
      <Empty
        title="This page is for operators"
        action={
          <Link to="/" className={buttonClass()}>
            Go to overview
          </Link>
        }
      >
        You are a member of one account. Ask an operator for anything beyond it.
      </Empty>
    </Page>
  );
}
