/**
 * A base URL of Vertex AI with the project and the location of an identity; undefined if one of them is missing. The global endpoint and
 * the multi-regions have their own hosts: https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations
 */
export function vertexAddress(baseUrl: string, { project, location }: { project?: string; location?: string }): string | undefined {
  if (project === undefined || location === undefined || !baseUrl.includes("{project}")) return undefined;
  const placed = baseUrl.replace("{location}-aiplatform.googleapis.com", vertexHost(location));
  return placed.replace("{project}", project).replace("{location}", location);
}

export function vertexHost(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  return location === "us" || location === "eu" ? `aiplatform.${location}.rep.googleapis.com` : `${location}-aiplatform.googleapis.com`;
}
