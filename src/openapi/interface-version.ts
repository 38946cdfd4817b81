/** The version of the public interface. Its major version is the last segment of the base URL; `CHANGELOG.md` has the versioning rules. */
export const INTERFACE_VERSION = "1.0.0";

/** The version with the endpoints that operators can turn on. It only adds to the public interface. */
export const INTERFACE_VERSION_WITH_ENDPOINTS = "1.2.0";
