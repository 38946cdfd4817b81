import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

/** A member has come to a page of operators, by a link or by typing. Nothing of it is fetched. */
export function ForOperators({ title }: { readonly title: string }): ReactNode {
  return (
    <Page title={title}>
      <div className="card">
        <Empty
          title="This page is for operators"
          action={
            <Link to="/models" className={buttonClass()}>
              To the models
            </Link>
          }
        >
          Which models you can call, and what they cost, is on the page of models.
        </Empty>
      </div>
    </Page>
  );
}
