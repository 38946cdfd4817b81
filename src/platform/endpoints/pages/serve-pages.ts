import { join } from "node:path";
import { operation, type Operation } from "../../operation.ts";

const FOLDER = join(import.meta.dir, "..", "..", "pages");

/** What a browser can visit. Nothing on a page is secret: what it shows it has to ask the API for. */
const PAGES = [
  { path: "/", file: "sign-in.html", operationId: "showSignInPage", summary: "The page to sign in on." },
  { path: "/welcome", file: "welcome.html", operationId: "showWelcomePage", summary: "The page to which invitations lead." },
  { path: "/docs.css", file: "docs.css", operationId: "showDocsStyle", summary: "How the documentation looks." },
  { path: "/pages.css", file: "pages.css", operationId: "showPageStyle", summary: "How pages look." },
  { path: "/pages.js", file: "pages.js", operationId: "showPageScript", summary: "What pages do." },
] as const;

/** GET / and GET /welcome: pages for people, and what belongs to them. */
export function servePages(): Operation[] {
  return PAGES.map(({ path, file, operationId, summary }) =>
    operation({
      method: "GET",
      path,
      access: "anyone",
      operationId,
      summary,
      query: "any",
      reply: { status: 200, description: summary, isPage: true },
      run: () => new Response(Bun.file(join(FOLDER, file))),
    }),
  );
}
