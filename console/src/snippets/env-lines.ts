import { shellQuoted } from "./literals.ts";

/** The environment variables that most clients and tools read. */
export function envLines(baseUrl: string, key: string): string {
  return `export OPENAI_BASE_URL=${shellQuoted(baseUrl)}\nexport OPENAI_API_KEY=${shellQuoted(key)}`;
}
