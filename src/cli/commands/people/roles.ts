export const ROLES = ["operator", "member"] as const;
