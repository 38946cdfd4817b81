import { Link } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { textLink } from "./text-link.ts";

interface DocsLinkProps extends Pick<ComponentProps<"a">, "className" | "aria-current" | "aria-label" | "onKeyDown"> {
  /** A page of docs/ and a section of it: `limits#rate-limits`. The start page has no name. */
  readonly to: string;
  readonly children: ReactNode;
}

/** A link to the documentation that the console serves. */
export function DocsLink({ to, className = textLink, ...rest }: DocsLinkProps): ReactNode {
  return <Link {...docsTarget(to)} className={className} {...rest} />;
}

/** The same target for the router. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is the library's and has no short name
export function docsTarget(to: string) {
  const [page = "", hash = ""] = to.split("#");
  return page === "" ? ({ to: "/docs", hash } as const) : ({ to: "/docs/$", params: { _splat: page }, hash } as const);
}
