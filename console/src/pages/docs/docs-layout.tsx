import { Link, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isUnauthenticated } from "../../platform/call.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Brand } from "../../shell/brand.tsx";
import { Layout } from "../../shell/layout.tsx";
import { MeContext } from "../../shell/me.ts";

/** The docs need no sign-in: people who only call models have no account here. */
export function DocsLayout(): ReactNode {
  const { data: me, error } = useApiQuery("showMe", {});
  if (me && !isUnauthenticated(error)) {
    return (
      <MeContext value={me}>
        <Layout>
          <Outlet />
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
        <Outlet />
      </main>
    </>
  );
}
