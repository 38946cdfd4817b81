/** How the clouds name the permission that an identity lacks, in the message of a 403. */
const PATTERNS = [
  // AWS: "User: arn:… is not authorized to perform: bedrock:InvokeModel on resource: …"
  /is not authorized to perform:? ([\w-]+:\w+)/,
  // Google Cloud: "Permission 'aiplatform.endpoints.predict' denied on resource …"
  /Permission '([\w.]+)' denied/,
  // Azure: "The principal `…` lacks the required data action `Microsoft.CognitiveServices/accounts/…/action` to perform …"
  /lacks the required data action [`'"]?([\w./]+)/,
];

/** The permission that an identity lacks, by the message of its cloud. */
export function missingPermission(message: string): string | undefined {
  for (const pattern of PATTERNS) {
    const permission = pattern.exec(message)?.[1];
    if (permission !== undefined) return permission;
  }
  return undefined;
}
