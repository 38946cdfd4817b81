import { Link, Outlet, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isUnauthenticated } from "../../platform/call.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Brand } from "../../shell/brand.tsx";
import { Layout } from "../../shell/layout.tsx";
import { MeContext } from "../../shell/me.ts";
import { DocsNavigation } from "./docs-navigation.tsx";
import { DocsSearchBox } from "./docs-search-box.tsx";

/** The docs need no sign-in: people who only call models have no account here. */
export function DocsLayout(): ReactNode {
  const { data: me, error } = useApiQuery("showMe", {});
  if (me && !isUnauthenticated(error)) {
    return (
      <MeContext value={me}>
        <Layout>
          <Docs />
        </Layout>
      </MeContext>
    );
  }
  if (!error) return null;
  return (
    <>
      <header className="flex h-14 items-center justify-between border-b border-line bg-surface px-4 sm:px-6 lg:px-8">
        <Brand />
        <Link to="/" className={buttonClass()}>
          Sign in
        </Link>
      </header>
      <main>
        <Docs />
      </main>
    </>
  );
}

/** Search and navigation beside the page, or above it on narrow screens. */
function Docs(): ReactNode {
  const { _splat: page = "" } = useParams({ strict: false });
  return (
    <div className="xl:grid xl:grid-cols-[14rem_minmax(0,1fr)]">
      <div className="flex flex-col gap-4 px-4 pt-5 sm:px-6 lg:px-8 xl:sticky xl:top-0 xl:h-dvh xl:pt-7 xl:pr-0 xl:pl-6">
        <DocsSearchBox />
        <div className="xl:hidden">
          {/* Closed again by each page that is opened. */}
          <Fold key={page} title="Pages">
            <DocsNavigation open={page} />
          </Fold>
        </div>
        <div className="min-h-0 overflow-y-auto pb-7 max-xl:hidden">
          <DocsNavigation open={page} />
        </div>
      </div>
      <div className="min-w-0">
        <Outlet />
      </div>
    </div>
  );
}
