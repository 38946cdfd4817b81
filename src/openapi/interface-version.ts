/** The version of the public interface. Its major version is the last segment of the base URL; `CHANGELOG.md` has the versioning rules. */
export const INTERFACE_VERSION = "1.0.0";
