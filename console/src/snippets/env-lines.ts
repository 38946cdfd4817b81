import { shellQuoted } from "./literals.ts";

/** What most clients and tools look for in their environment. */
export function envLines(baseUrl: string, key: string): string {
  return `export OPENAI_BASE_URL=${shellQuoted(baseUrl)}\nexport OPENAI_API_KEY=${shellQuoted(key)}`;
}
