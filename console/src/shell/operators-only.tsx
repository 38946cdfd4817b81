import { Link, useMatchRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { useMe } from "./me.ts";
import { NAVIGATION } from "./navigation.ts";

const OPERATOR_PAGES = NAVIGATION.flatMap(({ places }) => places).filter(({ isForOperators }) => isForOperators);

/** Keeps members from pages that would ask the platform for nothing but refusals. */
export function OperatorsOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const { isOperator } = useMe();
  const matches = useMatchRoute();
  const place = isOperator ? undefined : OPERATOR_PAGES.find(({ to }) => matches({ to, fuzzy: true }) !== false);
  if (!place) return children;
  return (
    <Page title={place.label}>
      <Empty
        title="This page is for operators"
        action={
          <Link to="/" className={buttonClass()}>
            To the overview
          </Link>
        }
      >
        You are a member and see to one account. Ask an operator about anything else.
      </Empty>
    </Page>
  );
}
